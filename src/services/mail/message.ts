import type { EnquiryFacts, MailContent, OutgoingMail } from '../../domain/mail/ports.ts';
import { withSingleStops } from '../../domain/sentences.ts';
import { unreachable } from '../../domain/unreachable.ts';
import { ENGLISH } from './texts/english.ts';
import { GERMAN } from './texts/german.ts';
import { FACTS, type MailTexts, type MailValues } from './texts/mail-texts.ts';

/** A part of a message, from which both its text and its HTML are written. */
export type Block =
  | { kind: 'paragraph'; text: string }
  /** Several lines: those of a stranger are marked as a quotation. */
  | { kind: 'lines'; lines: readonly string[]; isQuoted: boolean }
  | { kind: 'facts'; facts: readonly (readonly [label: string, value: string])[] }
  | { kind: 'link'; label: string; url: string }
  | { kind: 'list'; items: readonly { text: string; url: string }[] };

export interface Message {
  language: string;
  subject: string;
  blocks: readonly Block[];
  footer: string;
}

const LANGUAGES: readonly MailTexts[] = [ENGLISH, GERMAN];

/** Control characters, line separators and marks of direction, with which a value could pretend to be another part. */
const NOT_PLAIN = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu;

/** Writes a message in the language of its recipient. */
export function messageOf({ content, replyTo }: Pick<OutgoingMail, 'content' | 'replyTo'>): Message {
  const texts = LANGUAGES.find(({ language }) => language === content.language) ?? ENGLISH;
  const values: MailValues = {
    site: plain(content.siteName),
    username: plain(content.accounts[0]?.username ?? ''),
    expires: timeText(content.expiresAtMs ?? 0, texts.language),
  };
  return {
    language: texts.language,
    ...partsOf(content, texts, values),
    footer: withSingleStops(footerOf(content, texts, values, replyTo !== undefined)),
  };
}

function partsOf(content: MailContent, texts: MailTexts, values: MailValues): Pick<Message, 'subject' | 'blocks'> {
  switch (content.kind) {
    case 'invitation':
      return withLinks(content, texts.invitation, values, []);
    case 'password-reset':
      return withLinks(content, texts.reset, values, factsOf(content, texts));
    case 'email-confirmation':
      return withLinks(content, texts.confirmation, values, []);
    case 'enquiry':
      return noticeParts(enquiryOf(content), content, texts);
    case 'enquiry-received': {
      const about = { site: values.site, pet: plain(enquiryOf(content).petName) };
      const { receivedSubject, received } = texts.enquiry;
      return { subject: receivedSubject(about), blocks: received.map((sentence) => paragraph(sentence(about))) };
    }
    case 'enquiry-answer': {
      const { petName, answer = '' } = enquiryOf(content);
      const subject = texts.enquiry.answerSubject({ site: values.site, pet: plain(petName) });
      return { subject, blocks: [{ kind: 'lines', lines: linesOf(answer), isQuoted: false }] };
    }
    case 'search-confirmation':
      return withLinks(
        { ...content, accounts: [{ ...(content.search && { link: content.search.link }) }] },
        texts.searchConfirmation,
        values,
        [],
      );
    case 'search-matches':
      return matchParts(content, texts, values);
    case 'test':
      return { subject: texts.test.subject(values), blocks: [paragraph(texts.test.text(values))] };
    case 'alert':
      return alertParts(content, texts, values);
  }
  return unreachable(content.kind);
}

/** @param hasReplies whether the shelter gets replies to the message */
function footerOf({ kind }: MailContent, texts: MailTexts, values: MailValues, hasReplies: boolean): string {
  if (kind !== 'enquiry-answer') return texts.footer(values);
  const { answerFooter, reply } = texts.enquiry;
  return [answerFooter(values), ...(hasReplies ? [reply] : [])].join(' ');
}

function withLinks(
  { accounts }: MailContent,
  { subject, before, action, after }: MailTexts['reset'],
  values: MailValues,
  facts: readonly Block[],
): Pick<Message, 'subject' | 'blocks'> {
  const links = accounts.flatMap<Block>(({ username, link }) =>
    link === undefined
      ? []
      : [{ kind: 'link', label: action({ ...values, username: plain(username ?? '') }), url: link }],
  );
  const paragraphs = (sentences: typeof before) => sentences.map((sentence) => paragraph(sentence(values)));
  return { subject: subject(values), blocks: [...paragraphs(before), ...facts, ...links, ...paragraphs(after)] };
}

function enquiryOf({ kind, enquiry }: MailContent): EnquiryFacts {
  if (enquiry === undefined) throw new Error(`A message of the kind ${kind} needs an enquiry.`);
  return enquiry;
}

/** The message to the shelter: everything in it but the name of the pet was written by a stranger. */
function noticeParts(
  { id, petName, sender, message = '', answers = [] }: EnquiryFacts,
  { siteUrl }: MailContent,
  { enquiry: texts }: MailTexts,
): Pick<Message, 'subject' | 'blocks'> {
  const { name = '', email = '', phone } = sender ?? {};
  const pet = plain(petName);
  const textOf = (answer: string | boolean) =>
    typeof answer === 'string' ? plain(answer) : texts.answer[answer ? 'yes' : 'no'];
  const facts: (readonly [string, string])[] = [
    [texts.facts.pet, pet],
    [texts.facts.name, plain(name)],
    [texts.facts.email, plain(email)],
    ...(phone === undefined ? [] : [[texts.facts.phone, plain(phone)] as const]),
    ...answers.map(({ question, answer }) => [plain(question), textOf(answer)] as const),
  ];
  const blocks: Block[] = [
    { kind: 'facts', facts },
    { kind: 'lines', lines: linesOf(message), isQuoted: true },
    paragraph(texts.advice),
    ...(siteUrl === '' ? [] : [{ kind: 'link', label: texts.action, url: `${siteUrl}/enquiries/${id}` } as const]),
  ];
  return { subject: texts.subject({ pet, sender: plain(name) }), blocks };
}

function linesOf(text: string): readonly string[] {
  return text.split('\n').map(plain);
}

function alertParts(content: MailContent, texts: MailTexts, values: MailValues): Pick<Message, 'subject' | 'blocks'> {
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

function matchParts(
  { search }: MailContent,
  { matches, species, language }: MailTexts,
  values: MailValues,
): Pick<Message, 'subject' | 'blocks'> {
  const { pets = [], more = 0, link = '', results = '', expiresAtMs = 0 } = search ?? {};
  const items = pets.map((pet) => ({
    text: [
      plain(pet.name) || pet.url,
      ...(pet.species === undefined ? [] : [species[pet.species] ?? pet.species]),
    ].join(', '),
    url: pet.url,
  }));
  const ends = { ...values, expires: dayText(expiresAtMs, language) };
  const blocks: Block[] = [
    paragraph(matches.before(pets.length)),
    { kind: 'list', items },
    ...(more > 0 ? [paragraph(matches.more(more))] : []),
    { kind: 'link', label: matches.results, url: results },
    paragraph(matches.ends(ends)),
    { kind: 'list', items: [{ text: matches.manage, url: link }] },
  ];
  return { subject: matches.subject(values, pets.length + more), blocks };
}

function factsOf(content: MailContent, texts: MailTexts): readonly Block[] {
  const facts = listFacts(content, texts);
  return facts.length === 0 ? [] : [{ kind: 'facts', facts }];
}

function listFacts({ details }: MailContent, { facts, language }: MailTexts): (readonly [string, string])[] {
  return FACTS.flatMap((name) => {
    const value = details[name];
    if (value === undefined) return [];
    return [[facts[name], name === 'atMs' ? timeText(Number(value), language) : plain(value)] as const];
  });
}

function paragraph(text: string): Block {
  return { kind: 'paragraph', text: withSingleStops(text) };
}

function plain(text: string): string {
  return text.replaceAll(NOT_PLAIN, ' ').trim();
}

function dayText(atMs: number, language: string): string {
  return new Intl.DateTimeFormat(localeOf(language), { dateStyle: 'long' }).format(atMs);
}

/** In the time zone of the service, which it names: the time zone of the recipient is unknown. */
function timeText(atMs: number, language: string): string {
  const format = new Intl.DateTimeFormat(localeOf(language), {
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
  });
  return format.format(atMs);
}

function localeOf(language: string): string {
  return language === 'en' ? 'en-GB' : language;
}
