import { createRequire } from 'node:module';
import type { dictionary as Dictionary } from '@zxcvbn-ts/language-common';

const require = createRequire(import.meta.url);

/** About 49,000 of the most common passwords, in lower case. */
let words: ReadonlySet<string> | undefined;

/**
 * Loads the list on the first call: it takes 20 MB of memory, and many servers never need it.
 *
 * @param password in lower case and NFC
 */
export function isCommonPassword(password: string): boolean {
  words ??= loadWords();
  return words.has(password);
}

function loadWords(): ReadonlySet<string> {
  const { dictionary } = require('@zxcvbn-ts/language-common') as { dictionary: typeof Dictionary };
  return new Set(dictionary['passwords-common'].map((word) => word.normalize('NFC').toLowerCase()));
}
