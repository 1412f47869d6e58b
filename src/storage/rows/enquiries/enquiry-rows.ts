import type {
  Assignee,
  Enquiry,
  EnquiryEntry,
  EnquiryLanguage,
  EnquiryState,
  EnquiryText,
} from '../../../domain/enquiries/enquiry.ts';
import { searchKey } from '../accounts/account-rows.ts';

/* Enquiries and their entries as rows. */

export const ENQUIRY_COLUMNS =
  'enquiry.id, enquiry.version, pet_id, pet_name, state, assignee_id, account.username, enquiry.name, enquiry.email, ' +
  'enquiry.phone, message, answers, language, enquiry.created_at_ms, enquiry.changed_at_ms';

export const FROM_ENQUIRY = 'from enquiry left join account on account.id = enquiry.assignee_id';

export type EnquiryRow = [
  id: bigint,
  version: bigint,
  petId: bigint,
  petName: string,
  state: EnquiryState,
  assigneeId: bigint | null,
  assigneeName: string | null,
  name: string,
  email: string,
  phone: string | null,
  message: string,
  answers: string,
  language: EnquiryLanguage,
  createdAtMs: bigint,
  changedAtMs: bigint,
];

export type EntryRow = [
  enquiryId: bigint,
  number: bigint,
  kind: EnquiryEntry['kind'],
  authorId: bigint | null,
  authorName: string | null,
  atMs: bigint,
  text: string,
];

export function toEnquiry(row: EnquiryRow): Enquiry {
  const [id, version, petId, petName, state, assigneeId, assigneeName, name, email, phone, message] = row;
  const [answers, language, createdAtMs, changedAtMs] = row.slice(11) as [string, EnquiryLanguage, bigint, bigint];
  return {
    id,
    version,
    petId,
    petName,
    state,
    assignee: toAssignee(assigneeId, assigneeName),
    name,
    email,
    phone: phone ?? undefined,
    message,
    answers: JSON.parse(answers) as Enquiry['answers'],
    language,
    createdAtMs: Number(createdAtMs),
    changedAtMs: Number(changedAtMs),
  };
}

function toAssignee(id: bigint | null, username: string | null): Assignee | undefined {
  return id === null || username === null ? undefined : { id, username };
}

export function toEntry([, number, kind, authorId, authorName, atMs, text]: EntryRow): EnquiryEntry {
  return {
    number: Number(number),
    kind,
    authorId: authorId ?? undefined,
    authorName: authorName ?? undefined,
    atMs: Number(atMs),
    text,
  };
}

/** The text in which enquiries are searched. */
export function searchedText({ petName, ...enquiry }: EnquiryText & { petName: string }): string {
  const { name, email, phone, message, answers } = enquiry;
  const given = answers.map(({ answer }) => answer).filter((answer) => typeof answer === 'string');
  return searchKey([petName, name, email, phone ?? '', message, ...given].join('\n'));
}
