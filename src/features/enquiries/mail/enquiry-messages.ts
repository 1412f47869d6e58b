import { paragraph, plain, type Block, type MessageParts } from '../../../domain/mail/message.ts';
import type { MailKind } from '../../../domain/mail/mail.ts';
import type { FeatureMessage, MailReader } from '../../../domain/mail/ports.ts';
import type { EnquiryFacts, EnquiryMail } from '../domain/enquiry-mail.ts';
import { ENGLISH, GERMAN, type EnquiryTexts } from './enquiry-texts.ts';

const textsIn = (language: string) => (language === 'de' ? GERMAN : ENGLISH);

/** @param siteUrl empty if it is unknown */
export function enquiryMessage(kind: MailKind, mail: EnquiryMail, siteUrl: string): FeatureMessage {
  const { facts, ...common } = mail;
  if (kind === 'enquiry') {
    const partsFor = ({ language }: MailReader) => noticeParts(facts, siteUrl, textsIn(language));
    return { ...common, partsFor, isToShelter: true };
  }
  const pet = plain(facts.petName);
  if (kind === 'enquiry-received')
    return {
      ...common,
      partsFor: ({ language, site }) => receivedParts({ pet, site }, textsIn(language)),
      autoSubmitted: 'auto-replied',
    };
  return {
    ...common,
    partsFor: ({ language, site }) => ({
      subject: textsIn(language).answerSubject({ site, pet }),
      blocks: [{ kind: 'lines', lines: linesOf(facts.answer ?? ''), isQuoted: false }],
    }),
    footerFor({ language, site }) {
      const { answerFooter, reply } = textsIn(language);
      return [answerFooter(site), ...(mail.replyTo === undefined ? [] : [reply])].join(' ');
    },
    autoSubmitted: undefined,
  };
}

function receivedParts(about: { pet: string; site: string }, { receivedSubject, received }: EnquiryTexts) {
  return { subject: receivedSubject(about), blocks: received.map((sentence) => paragraph(sentence(about))) };
}

/** The message to the shelter: everything in it but the name of the pet was written by a stranger. */
function noticeParts(
  { id, petName, sender, message = '', answers = [] }: EnquiryFacts,
  siteUrl: string,
  texts: EnquiryTexts,
): MessageParts {
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
