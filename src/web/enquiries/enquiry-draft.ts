import { ENQUIRY_LIMITS, isMailAddress } from '../../api/web/enquiry-rules.ts';
import { bootstrap } from '../service/bootstrap.ts';
import type { Question } from './enquiry-form.ts';

/* What a visitor has typed. It stays in this tab, so that a reload or a look at other pets loses nothing. */

const TEXTS = ['name', 'email', 'phone', 'message'] as const;

export type TextName = (typeof TEXTS)[number];

export interface EnquiryDraft extends Readonly<Record<TextName, string>> {
  /** By the ID of the question; yes and no are texts as well. */
  answers: Readonly<Record<string, string>>;
}

const EMPTY: EnquiryDraft = { name: '', email: '', phone: '', message: '', answers: {} };

/** With the path: several services may share a host. */
function keyOf(petId: string): string {
  return `menagerie-enquiry:${bootstrap.basePath}:${petId}`;
}

export function readDraft(petId: string): EnquiryDraft {
  try {
    const stored = JSON.parse(sessionStorage.getItem(keyOf(petId)) ?? '{}') as Partial<EnquiryDraft>;
    return { ...EMPTY, ...stored };
  } catch {
    return EMPTY;
  }
}

/** @param draft undefined after it was sent */
export function keepDraft(petId: string, draft: EnquiryDraft | undefined): void {
  try {
    if (draft === undefined) sessionStorage.removeItem(keyOf(petId));
    else sessionStorage.setItem(keyOf(petId), JSON.stringify(draft));
  } catch {
    // Without storage, it lasts until the page is left.
  }
}

type Fault = 'missing' | 'malformed' | 'long';

/** A field of the form by the path that errors of the service have. */
export type FieldPath = `/${TextName}` | `/answers/${string}`;

export type Faults = ReadonlyMap<string, Fault>;

/** What the service would refuse. */
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
