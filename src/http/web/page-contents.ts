import type { ResultOf } from '../../contract/client/operation-types.ts';
import type { FirstAnswer } from '../../contract/web/bootstrap.ts';
import type { Pet } from '../../domain/pets/pet.ts';

type FoundPets = ResultOf<'findPets'>;

/** As the application gets them. */
export type FirstPet = FoundPets['pets'][number];
export type FirstCover = NonNullable<FoundPets['covers']>[number];
/** A picture of ours; those of other hosts are links. */
export type FirstPhoto = Extract<ResultOf<'listPetPhotos'>[number], { sizes: unknown }>;

/** What a page would ask for first, and what of it is seen before the application is there. */
export interface PageContents {
  answers: Readonly<Record<string, FirstAnswer>>;
  /** The pets of the catalogue, and their first pictures. */
  found?: { pets: readonly FirstPet[]; covers: readonly FirstCover[] };
  /** The pet that the page is about, with its pictures. */
  subject?: { pet: Pet; photos: readonly FirstPhoto[] };
}

export const NO_CONTENTS: PageContents = { answers: {} };
