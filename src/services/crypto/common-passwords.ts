import { createRequire } from 'node:module';
import type { dictionary as Dictionary } from '@zxcvbn-ts/language-common';

const require = createRequire(import.meta.url);

/** Some 49,000 of the passwords that people have most often, in small letters. */
let words: ReadonlySet<string> | undefined;

/**
 * Is it one of the passwords that many people have? The list is loaded when it is first asked for: it takes 20 MB of memory, and many a server never
 * needs it.
 *
 * @param password in small letters and NFC
 */
export function isCommonPassword(password: string): boolean {
  words ??= loadWords();
  return words.has(password);
}

function loadWords(): ReadonlySet<string> {
  const { dictionary } = require('@zxcvbn-ts/language-common') as { dictionary: typeof Dictionary };
  return new Set(dictionary['passwords-common'].map((word) => word.normalize('NFC').toLowerCase()));
}
