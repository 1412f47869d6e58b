/*
 * The languages of the web application. The service needs them to render the first view in the language of the reader.
 */

/** The first is the default. */
export const LANGUAGES = ['en', 'de'] as const;

export type Language = (typeof LANGUAGES)[number];

/** Holds the language that the reader chose. Without it, `Accept-Language` decides. */
export const LANGUAGE_COOKIE = 'menagerie_language';

export function isLanguage(text: string | undefined): text is Language {
  return (LANGUAGES as readonly (string | undefined)[]).includes(text);
}

/**
 * The locale for numbers and dates: the reader's own, if it has the language of the page, otherwise the default of that
 * language.
 *
 * @param preferred the locales of the reader, the most preferred first
 */
export function localeOf(language: Language, preferred: readonly string[]): string {
  const isOfLanguage = (locale: string) => locale === language || locale.startsWith(`${language}-`);
  return preferred.find((locale) => isOfLanguage(locale) && isLocale(locale)) ?? language;
}

/** Misconfigured systems report locales such as `en-US@posix`, which `Intl` rejects. */
function isLocale(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}
