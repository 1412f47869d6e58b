import { isLanguage, LANGUAGE_COOKIE, type Language } from '../../api/web/languages.ts';
import { bootstrap } from '../service/bootstrap.ts';
import { texts as english } from './en/texts.ts';

/** Each in its own language. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' };

/** English is the reference: every other language has the same texts. */
export type Texts = typeof english;

declare module 'use-intl' {
  interface AppConfig {
    Messages: Texts;
  }
}

const YEAR_SECONDS = 365 * 24 * 3600;

/** The language that the service has chosen for the page: from the cookie, or the best match for `Accept-Language`. */
export function preferredLanguage(): Language {
  const { lang } = document.documentElement;
  return isLanguage(lang) ? lang : 'en';
}

export function rememberLanguage(language: Language): void {
  document.documentElement.lang = language;
  // If the browser stores no cookies, the choice applies until the page is left.
  const path = bootstrap.basePath || '/';
  document.cookie = `${LANGUAGE_COOKIE}=${language}; path=${path}; max-age=${YEAR_SECONDS}; samesite=lax`;
}

/** English is part of the application; other languages are loaded on demand. */
export async function loadTexts(language: Language): Promise<Texts> {
  return language === 'en' ? english : LOADERS[language]();
}

const LOADERS: Readonly<Record<Exclude<Language, 'en'>, () => Promise<Texts>>> = {
  de: async () => (await import('./de/texts.ts')).texts,
};

/**
 * The locale for numbers and dates: the user's own, if it has the language of the page, otherwise the default of that
 * language.
 */
export function localeOf(language: Language): string {
  const isOfLanguage = (locale: string) => locale === language || locale.startsWith(`${language}-`);
  return navigator.languages.find((locale) => isOfLanguage(locale) && isLocale(locale)) ?? language;
}

/** Misconfigured systems report locales such as `en-US@posix`, which `Intl` rejects. */
function isLocale(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}
