/*
 * The languages of the web application. The service needs them to render the first view in the language of the reader.
 */

/** The first is the default. */
export const LANGUAGES = ['en', 'de'] as const;

export type Language = (typeof LANGUAGES)[number];

/** The locale for numbers and dates in each language. */
export type Locales = Readonly<Record<Language, string>>;

/** Holds the language that the reader chose. Without it, `Accept-Language` decides. */
export const LANGUAGE_COOKIE = 'menagerie_language';

export function isLanguage(text: string | undefined): text is Language {
  return (LANGUAGES as readonly (string | undefined)[]).includes(text);
}
