import type { TextLanguage } from '../../domain/organisation/organisation.ts';
import type { Profile } from '../records/profile.ts';
import type { ShownText } from './organisation-texts.ts';

interface Page {
  language: TextLanguage;
  /** The language of texts that have no other one; undefined if the organisation has not said it. */
  textLanguage: TextLanguage | undefined;
}

export function summaryIn({ summary, summaryEn, summaryDe }: Profile, page: Page): ShownText<string> | undefined {
  return textIn(summary, { en: summaryEn, de: summaryDe }, page);
}

/** The story as safe HTML. */
export function storyIn(profile: Profile, page: Page): ShownText<string> | undefined {
  const { descriptionHtml, descriptionEnHtml, descriptionDeHtml } = profile;
  return textIn(descriptionHtml, { en: descriptionEnHtml, de: descriptionDeHtml }, page);
}

/** The text in the language of the page, otherwise the usual one, otherwise the one in the other language. */
function textIn(
  usual: string | undefined,
  texts: Readonly<Record<TextLanguage, string | undefined>>,
  { language, textLanguage }: Page,
): ShownText<string> | undefined {
  const other = language === 'de' ? 'en' : 'de';
  if (texts[language] !== undefined) return { text: texts[language], lang: undefined };
  if (usual !== undefined) return { text: usual, lang: textLanguage === language ? undefined : textLanguage };
  return texts[other] === undefined ? undefined : { text: texts[other], lang: other };
}
