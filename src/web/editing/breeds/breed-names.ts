import type { Language } from '../../../api/web/languages.ts';

/*
 * Names of breeds that the form suggests, a chunk for each species and language. Their sources are in decision 40.
 */

type Load = () => Promise<{ default: readonly string[] }>;

const NAMES: Readonly<Partial<Record<string, Readonly<Record<Language, Load>>>>> = {
  dog: { en: () => import('./dog.en.json'), de: () => import('./dog.de.json') },
  cat: { en: () => import('./cat.en.json'), de: () => import('./cat.de.json') },
  rabbit: { en: () => import('./rabbit.en.json'), de: () => import('./rabbit.de.json') },
  horse: { en: () => import('./horse.en.json'), de: () => import('./horse.de.json') },
  bird: { en: () => import('./bird.en.json'), de: () => import('./bird.de.json') },
  'small-furry': { en: () => import('./small-furry.en.json'), de: () => import('./small-furry.de.json') },
};

/** None for a species without a list. */
export async function loadBreedNames(species: string, language: Language): Promise<readonly string[]> {
  return (await NAMES[species]?.[language]())?.default ?? [];
}
