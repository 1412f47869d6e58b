import { tagNamesOf, type Label, type PetRecord, type PetStatus } from '../pets/pet.ts';
import { codeOf, keyOfWords, wordsOf } from './words.ts';

/*
 * A pet as an index of tokens knows it. A token is a letter that says of what kind it is, and after it letters, digits, `-` and `_` only: no engine has
 * to quote any.
 */

export const TOKEN_KINDS = { nameWord: 'n', otherWord: 'o', status: 's', category: 'c', tag: 't' } as const;

/** The token that a pet has which has this. */
export function tokenOf(kind: 'status' | 'category' | 'tag', name: string): string {
  return TOKEN_KINDS[kind] + (kind === 'status' ? name : labelOf(name).code);
}

export interface PetTokens {
  /** What the pet is sorted by when names are. */
  nameKey: string;
  tokens: readonly string[];
}

/** What of a pet it is found by, and counted. */
export type PetTraits = Pick<PetRecord, 'name' | 'categoryName' | 'tagNames' | 'status'>;

/** By the stored text of a pet: of what only ids hold, nothing is wanted here, so that the quick parse will do. */
export function traitsOfText(text: string): PetTraits {
  const { name, category, tags, status } = JSON.parse(text) as {
    name: string;
    category?: Pick<Label, 'name'>;
    tags: readonly Pick<Label, 'name'>[];
    status?: PetStatus;
  };
  return { name, categoryName: category?.name ?? null, tagNames: tagNamesOf({ tags }), status: status ?? null };
}

export function tokensOf({ name, categoryName, tagNames, status }: PetTraits): PetTokens {
  const inName = wordsOf(name);
  const category = categoryName === null ? undefined : labelOf(categoryName);
  const tags = tagNames.map(labelOf);
  const { nameWord, otherWord } = TOKEN_KINDS;
  const tokens: string[] = [];
  // A word is told of once, where it says most.
  const told = new Set<string>();
  const tellOf = (words: readonly string[], kind: string) => {
    for (const word of words) if (told.size < told.add(word).size) tokens.push(kind + word);
  };
  tellOf(inName, nameWord);
  if (category !== undefined) tellOf(category.words, otherWord);
  for (const { words } of tags) tellOf(words, otherWord);
  if (status !== null) tokens.push(TOKEN_KINDS.status + status);
  if (category !== undefined) tokens.push(TOKEN_KINDS.category + category.code);
  for (const { code } of tags) tokens.push(TOKEN_KINDS.tag + code);
  return { nameKey: keyOfWords(inName), tokens };
}

interface LabelTokens {
  words: readonly string[];
  code: string;
}

/** So many labels are remembered: many pets have the same ones. */
const MOST_LABELS = 1000;

const labels = new Map<string, LabelTokens>();

function labelOf(name: string): LabelTokens {
  const known = labels.get(name);
  if (known !== undefined) return known;
  if (labels.size >= MOST_LABELS) labels.clear();
  const made = { words: wordsOf(name), code: codeOf(name) };
  labels.set(name, made);
  return made;
}
