import type { OwnPhotoView, PetCoverView } from '../../contract/pictures/photo-texts.ts';
import type { FirstAnswer } from '../../contract/web/bootstrap.ts';
import type { Pet } from '../../domain/pets/pet.ts';

/** What a page would ask for first, and what of it is seen before the application is there. */
export interface PageContents {
  answers: Readonly<Record<string, FirstAnswer>>;
  /** The pets of the catalogue, and their first pictures. */
  found?: { pets: readonly Pet[]; covers: readonly PetCoverView[] };
  /** The pet that the page is about, with its pictures of ours; those of other hosts are links. */
  subject?: { pet: Pet; photos: readonly OwnPhotoView[] };
}

export const NO_CONTENTS: PageContents = { answers: {} };
