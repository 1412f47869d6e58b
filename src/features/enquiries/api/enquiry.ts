import type { EnquiryOverview as DomainOverview, EnquiryUpdate } from '../domain/enquiry-administration.ts';
import type { SentEnquiry as DomainSentEnquiry } from '../domain/enquiry-reception.ts';
import {
  ENQUIRY_LIMITS,
  ENQUIRY_STATES,
  type Enquiry as DomainEnquiry,
  type EnquiryEntry as DomainEntry,
  type EnquiryLanguage,
  type EnquiryState,
} from '../domain/enquiry.ts';
import { VISIT_DAYS } from '../domain/visit-days.ts';
import { MAX_COUNTED_ENQUIRIES } from '../domain/ports.ts';
import { canonicalText } from '../../../domain/text.ts';
import { language } from './enquiry-form.ts';
import {
  absent,
  Actor,
  count,
  exactly,
  int64,
  nonEmptyText,
  orNull,
  text,
  time,
  timeText,
} from '../../../api/records/fields.ts';
import { recordText } from '../../../api/records/record-text.ts';
import * as Type from '../../../api/records/type.ts';

/* Enquiries: messages of people to the shelter about a pet. */

const LIMITS = ENQUIRY_LIMITS;

const state = Type.Unsafe<EnquiryState>({
  type: 'string',
  enum: [...ENQUIRY_STATES],
  message: `must be one of ${ENQUIRY_STATES.join(', ')}`,
});

const answer = Type.Unsafe<string | boolean>({
  anyOf: [{ type: 'string' }, { type: 'boolean' }],
  description: 'A text, the value of a choice, or for yes and no a Boolean.',
});

const EnquiryAnswer = Type.Object(
  { id: Type.String(), question: Type.String({ description: 'The question at that time.' }), answer },
  exactly('EnquiryAnswer'),
);

const EnquiryEntry = Type.Object(
  {
    number: count('Counts the entries from 1.'),
    kind: Type.Unsafe<DomainEntry['kind']>({
      type: 'string',
      enum: ['note', 'answer'],
      description: 'An answer was sent by e-mail.',
    }),
    author: Actor,
    at: time('The time of the entry.'),
    text: Type.String(),
  },
  exactly('EnquiryEntry'),
);

export const Enquiry = Type.Object(
  {
    id: int64('Ascending.'),
    petId: int64('The ID of the pet, which may have been deleted.'),
    petName: Type.String({ description: 'The name of the pet at that time.' }),
    state,
    assignee: orNull(Type.String(), 'The user name of the editor or administrator who takes care of it.'),
    name: Type.String(),
    email: Type.String(),
    phone: Type.Optional(Type.String()),
    message: Type.String(),
    answers: Type.Array(EnquiryAnswer),
    language,
    createdAt: time('The time of the enquiry.'),
    changedAt: time('The time of the last change by the staff.'),
    entries: Type.Optional(Type.Array(EnquiryEntry, { description: 'Notes and answers. Absent in lists.' })),
  },
  exactly('Enquiry'),
);
export type Enquiry = Type.Static<typeof Enquiry>;

export const SentEnquiry = Type.Object(
  {
    name: nonEmptyText(LIMITS.nameLength),
    email: text(LIMITS.emailLength),
    phone: absent(text(LIMITS.phoneLength)),
    message: nonEmptyText(LIMITS.messageLength),
    answers: absent(
      Type.Unsafe<Readonly<Record<string, string | boolean | null>>>({
        type: 'object',
        additionalProperties: { anyOf: [{ type: 'string' }, { type: 'boolean' }, { type: 'null' }] },
        maxProperties: 100,
        description: 'The answers by the ID of the question.',
        message: 'must be an object with texts and Booleans',
      }),
    ),
    visitDays: absent(
      Type.Array(Type.String({ description: 'A date, such as `2026-12-05`.', message: 'must be a date' }), {
        maxItems: VISIT_DAYS.most,
        description: 'Days on which the person could visit the pet. Staff get them as an answer.',
        message: `must be an array of at most ${VISIT_DAYS.most} dates`,
      }),
    ),
    language: absent(language),
    token: Type.Unsafe<string>({ type: 'string', maxLength: 200, message: 'must be the token of the form' }),
    website: Type.Optional(
      Type.Unsafe<unknown>({ description: 'To be absent or empty: people do not see it, only programs fill it in.' }),
    ),
  },
  { title: 'SentEnquiry', message: 'must be a JSON object with name, email, message and token' },
);
export type SentEnquiry = Type.Static<typeof SentEnquiry>;

/** Control characters in one line of text could end a header field of a message. */
function lineOf(sent: string): string {
  return canonicalText(sent.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' '));
}

/** @param usual the language of the client, if the enquiry has none */
export function readEnquiry(sent: SentEnquiry, usual: EnquiryLanguage): DomainSentEnquiry {
  const { website } = sent;
  const phone = lineOf(sent.phone ?? '');
  return {
    name: lineOf(sent.name),
    email: sent.email.trim(),
    phone: phone === '' ? undefined : phone,
    message: canonicalText(sent.message.replaceAll(/\r\n?/g, '\n')),
    answers: sent.answers ?? {},
    visitDays: sent.visitDays ?? [],
    language: sent.language ?? usual,
    token: sent.token,
    isTrap: website !== undefined && website !== null && website !== '',
  };
}

export const SentEnquiryUpdate = Type.Object(
  { state: Type.Optional(state), assignee: absent(Type.String({ minLength: 1, message: 'must be a user name' })) },
  { title: 'SentEnquiryUpdate', message: 'must be a JSON object' },
);
export type SentEnquiryUpdate = Type.Static<typeof SentEnquiryUpdate>;

export function readEnquiryUpdate({ state: sentState, assignee }: SentEnquiryUpdate): EnquiryUpdate {
  return { state: sentState, assignee };
}

export const EnquiryOverview = Type.Object(
  {
    newEnquiries: count(`The number of enquiries with the state \`new\`; at most ${MAX_COUNTED_ENQUIRIES}.`),
    staff: Type.Array(Type.String(), { description: 'The user names of editors and administrators, sorted.' }),
  },
  exactly('EnquiryOverview'),
);
type EnquiryOverview = Type.Static<typeof EnquiryOverview>;

export function overviewText({ newEnquiries, staff }: DomainOverview): string {
  return recordText<EnquiryOverview>({ newEnquiries, staff: [...staff] });
}

/** A note, or an answer that is sent by e-mail. */
export const SentEnquiryEntry = Type.Object(
  { text: nonEmptyText(LIMITS.entryLength) },
  { title: 'SentEnquiryEntry', message: 'must be a JSON object with text' },
);
export type SentEnquiryEntry = Type.Static<typeof SentEnquiryEntry>;

export function enquiryText(enquiry: DomainEnquiry, entries?: readonly DomainEntry[]): string {
  const { id, petId, petName, state: current, assignee, name, email, phone, message, answers } = enquiry;
  return recordText<Enquiry>({
    id,
    petId,
    petName,
    state: current,
    assignee: assignee ?? null,
    name,
    email,
    phone,
    message,
    answers,
    language: enquiry.language,
    createdAt: timeText(enquiry.createdAtMs),
    changedAt: timeText(enquiry.changedAtMs),
    entries: entries?.map(({ number, kind, authorId = null, authorName = null, atMs, text: entry }) => ({
      number,
      kind,
      author: { id: authorId, name: authorName },
      at: timeText(atMs),
      text: entry,
    })),
  });
}
