import { isLanguage, LANGUAGE_COOKIE, type Language } from '../../api/web/languages.ts';
import { texts as english } from './en/texts.ts';

/** Each language in its own words. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' };

/** English is the measure: every other language has the same texts. */
export type Texts = typeof english;

declare module 'use-intl' {
  interface AppConfig {
    Messages: Texts;
  }
}

const YEAR_SECONDS = 365 * 24 * 3600;

/** The language that the service has chosen for the page: that of the cookie, or the best match for `Accept-Language`. */
export function preferredLanguage(): Language {
  const { lang } = document.documentElement;
  return isLanguage(lang) ? lang : 'en';
}

export function rememberLanguage(language: Language): void {
  document.documentElement.lang = language;
  // In a browser that keeps no cookies, the choice holds until the page is left.
  document.cookie = `${LANGUAGE_COOKIE}=${language}; path=/; max-age=${YEAR_SECONDS}; samesite=lax`;
}

/** English is there already; the others come when they are wanted. */
export async function loadTexts(language: Language): Promise<Texts> {
  return language === 'en' ? english : LOADERS[language]();
}

const LOADERS: Readonly<Record<Exclude<Language, 'en'>, () => Promise<Texts>>> = {
  de: async () => (await import('./de/texts.ts')).texts,
};

/** How numbers and dates are written: as where the reader lives, if they read the language of the page; else as is usual for that language. */
export function localeOf(language: Language): string {
  const isOfLanguage = (locale: string) => locale === language || locale.startsWith(`${language}-`);
  return navigator.languages.find((locale) => isOfLanguage(locale) && isLocale(locale)) ?? language;
}

/** Systems that are set up strangely have browsers that name locales (`en-US@posix`) which nothing can be formatted for. */
function isLocale(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}
