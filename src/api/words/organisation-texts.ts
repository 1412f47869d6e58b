import {
  TEXT_LANGUAGES,
  type CommonQuestion,
  type Organisation as DomainOrganisation,
  type TextLanguage,
} from '../../domain/organisation/organisation.ts';
import type { Organisation } from '../records/organisation/organisation.ts';
import type { LabelNames } from './words.ts';

export type { CommonQuestion };

/** A text, and its language if it is another one than that of the page. */
export interface ShownText<T> {
  text: T;
  lang: TextLanguage | undefined;
}

interface Texts {
  summary?: string;
  commonQuestions?: readonly CommonQuestion[];
  aboutHtml?: string;
  adoptionSteps?: readonly string[];
  openingHours?: string;
}

/** The texts of an organisation in the language of a page, and each that is missing in it in the other one. */
export function textsIn({ contact, ...organisation }: Organisation, page: TextLanguage) {
  const { language, translations = {}, aboutHtml, adoptionSteps, summary, commonQuestions } = organisation;
  const own: Texts = {
    ...(summary !== undefined && { summary }),
    ...(commonQuestions !== undefined && { commonQuestions }),
    ...(aboutHtml !== undefined && { aboutHtml }),
    ...(adoptionSteps !== undefined && { adoptionSteps }),
    ...(contact?.openingHours !== undefined && { openingHours: contact.openingHours }),
  };
  const other = page === 'de' ? 'en' : 'de';
  // Without a language, nothing says in which one the texts are.
  const inPage = page === (language ?? page) ? own : translations[page];
  const inOther = inPage === own ? translations[other] : own;
  const find = <T>(text: T | undefined, fallback: T | undefined): ShownText<T> | undefined => {
    if (text !== undefined) return { text, lang: undefined };
    return fallback === undefined ? undefined : { text: fallback, lang: other };
  };
  return {
    summary: find(inPage?.summary, inOther?.summary),
    commonQuestions: find(inPage?.commonQuestions, inOther?.commonQuestions),
    about: find(inPage?.aboutHtml, inOther?.aboutHtml),
    adoptionSteps: find(inPage?.adoptionSteps, inOther?.adoptionSteps),
    openingHours: find(inPage?.openingHours, inOther?.openingHours),
  };
}

/** The names of categories and tags that an organisation has given; undefined if there are none. */
export function labelsOf({ translations = {} }: DomainOrganisation): LabelNames | undefined {
  const named = TEXT_LANGUAGES.flatMap((language) => {
    const labels = translations[language]?.labels;
    return labels === undefined ? [] : [[language, labels] as const];
  });
  return named.length === 0 ? undefined : Object.fromEntries(named);
}
