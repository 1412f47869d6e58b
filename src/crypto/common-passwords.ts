import { dictionary } from '@zxcvbn-ts/language-common';

/** Some 49,000 of the passwords that people have most often, in small letters. */
let words: ReadonlySet<string> | undefined;

/** Is it one of the passwords that many people have? @param password in small letters and NFC */
export function isCommonPassword(password: string): boolean {
  words ??= new Set(dictionary['passwords-common'].map((word) => word.normalize('NFC').toLowerCase()));
  return words.has(password);
}
