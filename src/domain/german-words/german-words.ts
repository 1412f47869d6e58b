import type { Species } from '../pets/profile.ts';
import { wordKey } from '../word-key.ts';
import { COLOURS, PATTERNS } from './colours.ts';
import { DOG_BREEDS } from './dog-breeds.ts';
import { OTHER_BREEDS } from './other-breeds.ts';

/*
 * German words for what shelters enter in English. They are only shown: what is stored stays as it is, and so does a
 * word that no list has.
 */

type Table = ReadonlyMap<string, string>;

const BREEDS = mapTables({ dog: DOG_BREEDS, ...OTHER_BREEDS, other: 'African lion=Afrikanischer Löwe; Lion=Löwe' });
const [COLOUR_WORDS, PATTERN_WORDS] = [tableOf(COLOURS), tableOf(PATTERNS)];

/** Of the names that have one German name in all species. */
const UNAMBIGUOUS = unambiguous([...BREEDS.values()]);

/** @param species undefined if it is unknown: a name of breeds of several species then stays as it is */
export function germanBreed(name: string, species: string | undefined): string {
  const find = (text: string) => {
    const key = wordKey(text);
    return species === undefined
      ? UNAMBIGUOUS.get(key)
      : (BREEDS.get(species)?.get(key) ?? BREEDS.get('other')?.get(key));
  };
  const base = / mix$/i.test(name) ? find(name.slice(0, -' mix'.length)) : undefined;
  return find(name) ?? (base === undefined ? name : germanMix(base));
}

/** A compound of several words has hyphens between all of them, as in `Golden-Retriever-Mischling`. */
export function germanMix(breed: string): string {
  return /^[\p{L}\p{M}.'’ -]+$/u.test(breed) ? `${breed.replaceAll(' ', '-')}-Mischling` : `${breed}, Mischling`;
}

export function germanColour(name: string): string {
  return translated(name, COLOUR_WORDS);
}

export function germanPattern(name: string): string {
  return translated(name, PATTERN_WORDS);
}

/** Also two words, such as `Black and white`, `Red/white` and `Sand and white`, if both are known. */
function translated(name: string, words: Table): string {
  const find = (part: string) => words.get(wordKey(part));
  const parts = name.split(/ and | & |\//).map(find);
  return find(name) ?? (parts.includes(undefined) ? name : parts.join(' und '));
}

function mapTables(lists: Readonly<Record<Species | 'other', string>>): ReadonlyMap<string, Table> {
  return new Map(Object.entries(lists).map(([species, list]) => [species, tableOf(list)]));
}

function tableOf(list: string): Table {
  return new Map(
    list.split(';').map((entry) => {
      const [english = '', german = ''] = entry.split('=');
      return [wordKey(english), german.trim()];
    }),
  );
}

function unambiguous(tables: readonly Table[]): Table {
  const entries = tables.flatMap((table) => [...table]);
  const names = Map.groupBy(entries, ([key]) => key);
  return new Map(entries.filter(([key, german]) => names.get(key)?.every(([, other]) => other === german)));
}
