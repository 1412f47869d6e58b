import { ENQUIRY_LIMITS, isMailAddress } from '../api/enquiry-rules.ts';
import type { EnquiryDraft, TextName } from './enquiry-draft.ts';
import type { Question } from './enquiry-form.ts';

/* Checks before an enquiry is sent, and its answers in the form of the service. */

type Fault = 'missing' | 'malformed' | 'long';

/** A field of the form by the path that errors of the service have. */
export type FieldPath = `/${TextName}` | `/answers/${string}` | `/visitDays/${number}`;

export type Faults = ReadonlyMap<string, Fault>;

/** Errors for which the service would refuse the enquiry. */
export function findFaults(draft: EnquiryDraft, questions: readonly Question[]): Faults {
  const faults = new Map<string, Fault>();
  const text = (path: FieldPath, value: string, limit: number, required: boolean) => {
    if (value.trim() === '') {
      if (required) faults.set(path, 'missing');
    } else if (Array.from(value).length > limit) faults.set(path, 'long');
  };
  text('/name', draft.name, ENQUIRY_LIMITS.nameLength, true);
  text('/email', draft.email, ENQUIRY_LIMITS.emailLength, true);
  if (draft.email.trim() !== '' && !isMailAddress(draft.email.trim())) faults.set('/email', 'malformed');
  text('/phone', draft.phone, ENQUIRY_LIMITS.phoneLength, false);
  text('/message', draft.message, ENQUIRY_LIMITS.messageLength, true);
  for (const { id, required } of questions)
    text(`/answers/${id}`, draft.answers[id] ?? '', ENQUIRY_LIMITS.answerLength, required);
  return faults;
}

/** The answers to these questions as the service has them. */
export function answersIn(
  draft: EnquiryDraft,
  questions: readonly Question[],
): Readonly<Record<string, string | boolean | null>> {
  return Object.fromEntries(questions.map(({ id, type }) => [id, answerIn(draft.answers[id] ?? '', type)]));
}

function answerIn(text: string, type: Question['type']): string | boolean | null {
  if (text === '') return null;
  return type === 'yes-no' ? text === 'yes' : text;
}
