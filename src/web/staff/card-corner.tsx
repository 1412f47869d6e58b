import type { PetView } from '../service/queries.ts';

/** What staff do with a pet right in the list. Lies over the picture: the card around it is `position: relative`. */
export function CardCorner({ pet }: { pet: PetView }) {
  return <span hidden>{pet.name}</span>;
}
