import type { OwnPhotoView, PetCoverView } from '../../api/photos/photo-texts.ts';
import type { FirstAnswer } from '../../api/web/bootstrap.ts';
import type { CatalogueSearch } from '../../api/web/catalogue-search.ts';
import type { Pet } from '../../domain/pets/pet.ts';

/** What the catalogue shows. */
export interface FoundPets {
  search: CatalogueSearch;
  pets: readonly Pet[];
  /** Their first pictures. */
  covers: readonly PetCoverView[];
  /** The categories that can be chosen, the most used first. */
  kinds: readonly string[];
}

/** What a page would ask for first, and what of it is seen before the application is there. */
export interface PageContents {
  answers: Readonly<Record<string, FirstAnswer>>;
  found?: FoundPets;
  /** The pet that the page is about, with its pictures of ours; those of other hosts are links. */
  subject?: { pet: Pet; photos: readonly OwnPhotoView[] };
}

export const NO_CONTENTS: PageContents = { answers: {} };
