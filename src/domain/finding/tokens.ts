import { tagNamesOf, type Label, type PetStatus } from '../pets/pet.ts';
import { codeOf, nameKeyOf, wordsOf } from './words.ts';

/*
 * A pet as an index of tokens knows it. A token is a letter that says of what kind it is, and after it letters, digits, `-` and `_` only: no engine has
 * to quote any.
 */

export const TOKEN_KINDS = { nameWord: 'n', otherWord: 'o', status: 's', category: 'c', tag: 't' } as const;

export interface PetTokens {
  /** What the pet is sorted by when names are. */
  nameKey: string;
  tokens: readonly string[];
}

interface TokenSource {
  category?: Pick<Label, 'name'>;
  name: string;
  tags: readonly Pick<Label, 'name'>[];
  status?: PetStatus;
}

/** By the stored text of a pet: of what only ids hold, nothing is wanted here, so that the quick parse will do. */
export function tokensOfText(text: string): PetTokens {
  return tokensOf(JSON.parse(text) as TokenSource);
}

function tokensOf({ category, name, tags, status }: TokenSource): PetTokens {
  const tagNames = tagNamesOf({ tags });
  const inName = new Set(wordsOf(name));
  const elsewhere = new Set([
    ...(category?.name === undefined ? [] : wordsOf(category.name)),
    ...tagNames.flatMap(wordsOf),
  ]);
  const { nameWord, otherWord } = TOKEN_KINDS;
  return {
    nameKey: nameKeyOf(name),
    tokens: [
      ...[...inName].map((word) => nameWord + word),
      // A word is told of once, where it says most.
      ...[...elsewhere].filter((word) => !inName.has(word)).map((word) => otherWord + word),
      ...(status === undefined ? [] : [TOKEN_KINDS.status + status]),
      ...(category?.name === undefined ? [] : [TOKEN_KINDS.category + codeOf(category.name)]),
      ...tagNames.map((tag) => TOKEN_KINDS.tag + codeOf(tag)),
    ],
  };
}
