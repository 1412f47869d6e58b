import { canonicalText } from '../text.ts';
import { tagNamesOf, type Label, type PetRecord, type PetStatus } from '../pets/pet.ts';

/** The fields by which a pet is found and counted. */
export type PetTraits = Pick<PetRecord, 'name' | 'categoryName' | 'tagNames' | 'status'>;

/** Reads the fields from the stored text of a pet. No ids are needed, so the faster `JSON.parse` suffices. */
export function traitsOfText(text: string): PetTraits {
  const { name, category, tags, status } = JSON.parse(text) as {
    name: string;
    category?: Pick<Label, 'name'>;
    tags: readonly Pick<Label, 'name'>[];
    status?: PetStatus;
  };
  return {
    name,
    categoryName: category?.name === undefined ? null : canonicalText(category.name),
    tagNames: [...new Set(tagNamesOf({ tags }).map(canonicalText))],
    status: status ?? null,
  };
}
