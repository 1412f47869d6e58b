import type { Enquiry, EnquiryEntry, EnquiryText } from '../domain/enquiry.ts';
import { searchKey } from '../../../storage/rows/accounts/account-rows.ts';
import { rowOf } from '../../../storage/rows/row.ts';

/* Enquiries and their entries as rows. */

export const ENQUIRY = rowOf<Enquiry>({
  id: 'bigint',
  version: 'bigint',
  petId: 'bigint',
  petName: 'text',
  state: 'text',
  assignee: ['text?', '(select username from account where account.id = assignee_id)'],
  name: 'text',
  email: 'text',
  phone: 'text?',
  message: 'text',
  answers: 'json',
  language: 'text',
  createdAtMs: 'number',
  changedAtMs: 'number',
});

export const ENTRY = rowOf<EnquiryEntry & { enquiryId: bigint }>({
  enquiryId: 'bigint',
  number: 'number',
  kind: 'text',
  authorId: 'bigint?',
  authorName: 'text?',
  atMs: 'number',
  text: 'text',
});

/** The text in which enquiries are searched. */
export function searchedText({ petName, ...enquiry }: EnquiryText & { petName: string }): string {
  const { name, email, phone, message, answers } = enquiry;
  const given = answers.map(({ answer }) => answer).filter((answer) => typeof answer === 'string');
  return searchKey([petName, name, email, phone ?? '', message, ...given].join('\n'));
}
