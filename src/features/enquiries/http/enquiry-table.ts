import type { EnquiryWithEntries } from '../domain/enquiry.ts';

/* Enquiries as rows of a table. Cells with several parts have one in each line. */

export const ENQUIRY_COLUMNS = [
  'id',
  'createdAt',
  'state',
  'assignee',
  'petId',
  'petName',
  'name',
  'email',
  'phone',
  'language',
  'message',
  'answers',
  'entries',
] as const;

/** The cells of an enquiry, in the order of `ENQUIRY_COLUMNS`. */
export function enquiryCells(enquiry: EnquiryWithEntries): readonly string[] {
  const { id, createdAtMs, state, assignee, petId, petName, name, email, phone, language, message } = enquiry;
  return [
    String(id),
    isoTime(createdAtMs),
    state,
    assignee ?? '',
    String(petId),
    petName,
    name,
    email,
    phone ?? '',
    language,
    message,
    enquiry.answers.map(({ question, answer }) => `${question} ${answerText(answer)}`).join('\n'),
    enquiry.entries
      .map(({ kind, authorName = '', atMs, text }) => `${isoTime(atMs)} ${kind} ${authorName}: ${text}`)
      .join('\n'),
  ];
}

function answerText(answer: string | boolean): string {
  return typeof answer === 'string' ? answer : answer ? 'yes' : 'no';
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
