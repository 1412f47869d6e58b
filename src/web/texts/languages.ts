import { texts as english } from './en/texts.ts';

/** By what they call themselves. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;

export type Language = keyof typeof LANGUAGES;

/** English is the measure: every other language has the same texts. */
export type Texts = typeof english;

declare module 'use-intl' {
  interface AppConfig {
    Messages: Texts;
  }
}

/** Where the choice of a reader is kept. The script at the top of the page knows it, too. */
const LANGUAGE_KEY = 'menagerie-language';

/** The one that was chosen, or the first of the reader's own that we have; the page's `lang`, which is set before anything is shown. */
export function preferredLanguage(): Language {
  const { lang } = document.documentElement;
  return isLanguage(lang) ? lang : 'en';
}

export function rememberLanguage(language: Language): void {
  document.documentElement.lang = language;
  try {
    localStorage.setItem(LANGUAGE_KEY, language);
  } catch {
    // A browser that keeps nothing: the choice holds until the page is left.
  }
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

function isLanguage(text: string): text is Language {
  return Object.hasOwn(LANGUAGES, text);
}
