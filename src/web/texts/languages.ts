import { isLanguage, LANGUAGE_COOKIE, type Language } from '../../api/web/languages.ts';
import type { TextPart } from '../../api/web/page-texts.ts';
import { bootstrap } from '../service/bootstrap.ts';
import type { texts as others } from './en/other-texts.ts';
import type profile from './en/profile.json';
import type { texts as first } from './en/texts.ts';

/** Each in its own language. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' };

/** English is the reference: every other language has the same texts. */
type FirstTexts = typeof first;
type OtherTexts = typeof others & ProfileTexts;
interface ProfileTexts {
  profile: typeof profile;
}

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

interface Parts {
  first: () => Promise<{ texts: FirstTexts }>;
  profile: () => Promise<{ default: typeof profile }>;
  others: () => Promise<{ texts: typeof others }>;
}

const PARTS: Readonly<Record<Language, Parts>> = {
  en: {
    first: () => import('./en/texts.ts'),
    profile: () => import('./en/profile.json'),
    others: () => import('./en/other-texts.ts'),
  },
  de: {
    first: () => import('./de/texts.ts'),
    profile: () => import('./de/profile.json'),
    others: () => import('./de/other-texts.ts'),
  },
};

export type Texts = FirstTexts & Partial<OtherTexts>;

/** The texts of the pages of visitors, and these parts. */
export async function loadTexts(language: Language, parts: readonly TextPart[]): Promise<Texts> {
  const { first, profile, others } = PARTS[language];
  const [loaded, ofProfile, further] = await Promise.all([
    first(),
    parts.includes('profile') ? profile() : undefined,
    parts.includes('others') ? others() : undefined,
  ]);
  return { ...loaded.texts, ...(ofProfile && { profile: ofProfile.default }), ...further?.texts };
}

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
