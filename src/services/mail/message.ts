import { paragraph, plain, timeText, type Block, type MessageParts } from '../../domain/mail/message.ts';
import { isOfFeature } from '../../domain/mail/mail.ts';
import type { FeatureMessage, MailContent, MailReader, OutgoingMail } from '../../domain/mail/ports.ts';
import { localeIn } from '../../domain/organisation/country.ts';
import { withSingleStops } from '../../domain/sentences.ts';
import { ENGLISH } from './texts/english.ts';
import { GERMAN } from './texts/german.ts';
import { FACTS, type MailTexts, type MailValues } from './texts/mail-texts.ts';

export interface Message extends MessageParts {
  language: string;
  footer: string;
}

const LANGUAGES: readonly MailTexts[] = [ENGLISH, GERMAN];

/** Writes a message in the language of its recipient. */
export function messageOf({ content }: Pick<OutgoingMail, 'content'>): Message {
  const texts = LANGUAGES.find(({ language }) => language === content.language) ?? ENGLISH;
  const values: MailValues = {
    site: plain(content.siteName),
    username: plain(content.accounts[0]?.username ?? ''),
    expires: timeText(content.expiresAtMs ?? 0, readerOf(content, texts).locale),
  };
  const reader = { ...readerOf(content, texts), site: values.site };
  const footer = content.ofFeature?.footerFor?.(reader) ?? texts.footer(values);
  return {
    language: texts.language,
    ...partsOf(content, texts, values),
    footer: withSingleStops(footer),
  };
}

/** Without a country, English dates are the British ones. */
function readerOf({ country = 'GB' }: MailContent, { language }: MailTexts): Pick<MailReader, 'language' | 'locale'> {
  return { language, locale: localeIn(language, country) };
}

function partsOf(content: MailContent, texts: MailTexts, values: MailValues): MessageParts {
  const { kind } = content;
  if (isOfFeature(kind))
    return requireFeatureMessage(content).partsFor({ ...readerOf(content, texts), site: values.site });
  switch (kind) {
    case 'invitation':
      return withLinks(content, texts.invitation, values, []);
    case 'password-reset':
      return withLinks(content, texts.reset, values, factsOf(content, texts));
    case 'email-confirmation':
      return withLinks(content, texts.confirmation, values, []);
    case 'test':
      return { subject: texts.test.subject(values), blocks: [paragraph(texts.test.text(values))] };
    case 'certificate-failed':
      return certificateParts(content, texts);
    case 'alert':
      break;
  }
  return alertParts(content, texts, values);
}

function requireFeatureMessage({ kind, ofFeature }: MailContent): FeatureMessage {
  if (ofFeature === undefined) throw new Error(`A message of the kind ${kind} needs its parts.`);
  return ofFeature;
}

function withLinks(
  { accounts }: MailContent,
  { subject, before, action, after }: MailTexts['reset'],
  values: MailValues,
  facts: readonly Block[],
): MessageParts {
  const links = accounts.flatMap<Block>(({ username, link }) =>
    link === undefined
      ? []
      : [{ kind: 'link', label: action({ ...values, username: plain(username ?? '') }), url: link }],
  );
  const paragraphs = (sentences: typeof before) => sentences.map((sentence) => paragraph(sentence(values)));
  return { subject: subject(values), blocks: [...paragraphs(before), ...facts, ...links, ...paragraphs(after)] };
}

function alertParts(content: MailContent, texts: MailTexts, values: MailValues): MessageParts {
  const { titles, account, advice, action } = texts.alert;
  if (content.alert === undefined) throw new Error('A message of the kind alert needs an alert.');
  const title = titles[content.alert](values);
  const blocks: Block[] = [
    paragraph(`${title}.`),
    { kind: 'facts', facts: [[account, values.username], ...listFacts(content, texts)] },
    paragraph(advice(values)),
    { kind: 'link', label: action, url: `${content.siteUrl}/account` },
  ];
  return { subject: title, blocks };
}

function certificateParts(content: MailContent, texts: MailTexts): MessageParts {
  const { details, siteUrl } = content;
  const { certificate } = texts;
  const { error = '', atMs = '0', notAfterMs } = details;
  const { locale } = readerOf(content, texts);
  const site = new URL(siteUrl).host;
  const facts = [
    [certificate.since, timeText(Number(atMs), locale)],
    ...(notAfterMs === undefined ? [] : [[certificate.until, timeText(Number(notAfterMs), locale)] as const]),
    [certificate.error, plain(error)],
  ] as const;
  const blocks: Block[] = [
    paragraph(certificate.text({ site })),
    { kind: 'facts', facts },
    { kind: 'link', label: certificate.action, url: `${siteUrl}/admin/system` },
  ];
  return { subject: certificate.subject({ site }), blocks };
}

function factsOf(content: MailContent, texts: MailTexts): readonly Block[] {
  const facts = listFacts(content, texts);
  return facts.length === 0 ? [] : [{ kind: 'facts', facts }];
}

function listFacts(content: MailContent, texts: MailTexts): (readonly [string, string])[] {
  const { locale } = readerOf(content, texts);
  return FACTS.flatMap((name) => {
    const value = content.details[name];
    if (value === undefined) return [];
    return [[texts.facts[name], name === 'atMs' ? timeText(Number(value), locale) : plain(value)] as const];
  });
}
