import { isLanguage, LANGUAGE_COOKIE, type Language } from '../../api/web/languages.ts';
import type { TextPart } from '../../api/web/page-texts.ts';
import { ENGLISH_WORDS, type Words } from '../../api/words/words.ts';
import { bootstrap } from '../service/bootstrap.ts';
import type { texts as dashboard } from './en/dashboard-texts.ts';
import type { texts as others } from './en/other-texts.ts';
import type { texts as profile } from './en/profile-texts.ts';
import type { texts as saved } from './en/saved-texts.ts';
import type { texts as first } from './en/texts.ts';

/** Each in its own language. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' };

/** English is the reference: every other language has the same texts. */
type FirstTexts = typeof first;
type OtherTexts = typeof others & typeof profile & typeof dashboard & typeof saved;

declare module 'use-intl' {
  interface AppConfig {
    Messages: FirstTexts & OtherTexts;
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

type Part = 'first' | TextPart;

const PARTS: Readonly<Record<Language, Readonly<Record<Part, () => Promise<{ texts: object }>>>>> = {
  en: {
    first: () => import('./en/texts.ts'),
    profile: () => import('./en/profile-texts.ts'),
    dashboard: () => import('./en/dashboard-texts.ts'),
    saved: () => import('./en/saved-texts.ts'),
    others: () => import('./en/other-texts.ts'),
  },
  de: {
    first: () => import('./de/texts.ts'),
    profile: () => import('./de/profile-texts.ts'),
    dashboard: () => import('./de/dashboard-texts.ts'),
    saved: () => import('./de/saved-texts.ts'),
    others: () => import('./de/other-texts.ts'),
  },
};

export type Texts = FirstTexts & Partial<OtherTexts>;

/** The texts of the pages of visitors, and these parts. */
export async function loadTexts(language: Language, parts: readonly TextPart[]): Promise<Texts> {
  const loaded = await Promise.all((['first', ...parts] as const).map((part) => PARTS[language][part]()));
  return Object.assign({}, ...loaded.map(({ texts }) => texts)) as Texts;
}

/** English has no table: most breeds are entered in it. */
export async function loadWords(language: Language): Promise<Words> {
  return language === 'de' ? (await import('../../api/words/german-words.ts')).GERMAN_WORDS : ENGLISH_WORDS;
}
