import { invalidInput, type FieldProblem } from '../../../domain/failure.ts';
import { ADDRESS_RULE, isMailAddress } from '../../../domain/mail/mail-address.ts';
import type { SiteRecord } from '../../../domain/organisation/ports.ts';
import type { EnquiryLanguage } from './enquiry.ts';

/* The settings of the form, a site record. */

export const QUESTION_TYPES = ['text', 'yes-no', 'choice'] as const;

export type QuestionType = (typeof QUESTION_TYPES)[number];

/** Lengths are in characters. */
export const QUESTION_LIMITS = { questions: 20, textLength: 300, choices: 20, valueLength: 100 } as const;

/** Answers refer to it. */
export const QUESTION_ID = '^[a-z][a-zA-Z0-9]{0,39}$';

export const RETENTION_DAYS = { min: 1, max: 3650, usual: 365 } as const;

/** Without labels, pages show the value. */
export interface QuestionChoice {
  value: string;
  labelEn?: string;
  labelDe?: string;
}

export interface Question {
  /** Unique. */
  id: string;
  text: { en: string; de: string };
  type: QuestionType;
  required: boolean;
  /** Only for the type `choice`, which has at least two. */
  choices?: readonly QuestionChoice[];
}

export interface EnquirySettings {
  enabled: boolean;
  /** Gets the enquiries by e-mail; the address of the organisation if it is absent. */
  recipient?: string;
  /** The language of messages to the shelter. */
  language: EnquiryLanguage;
  questions: readonly Question[];
  /** Enquiries are deleted after this time. */
  retentionDays: number;
}

interface StoredSettings extends EnquirySettings {
  /** Signs the tokens of forms. It never leaves the service. */
  formKey: string;
}

const USUAL: EnquirySettings = { enabled: false, language: 'en', questions: [], retentionDays: RETENTION_DAYS.usual };

/** The settings in their record, and the key, which exists since the first change. */
export function settingsIn(record: SiteRecord | undefined): { settings: EnquirySettings; formKey: string | undefined } {
  if (record === undefined) return { settings: USUAL, formKey: undefined };
  const { formKey, ...settings } = JSON.parse(record.text) as StoredSettings;
  return { settings, formKey };
}

export function settingsText(settings: EnquirySettings, formKey: string): string {
  return JSON.stringify({ ...settings, formKey } satisfies StoredSettings);
}

/** @throws Failure `invalid-input`, naming every wrong field */
export function requireSettings({ recipient, questions }: EnquirySettings): void {
  const problems = [
    ...(recipient === undefined || isMailAddress(recipient) ? [] : [problem('/recipient', ADDRESS_RULE)]),
    ...repeated(questions.map(({ id }) => id)).map((at) => problem(`/questions/${at}/id`, 'is the id of another one')),
    ...questions.flatMap((question, index) => choiceProblems(question, `/questions/${index}/choices`)),
  ];
  if (problems.length > 0) throw invalidInput(problems);
}

function choiceProblems({ type, choices = [] }: Question, path: string): readonly FieldProblem[] {
  if (type !== 'choice') return choices.length === 0 ? [] : [problem(path, 'are only for the type choice')];
  if (choices.length < 2) return [problem(path, 'must have at least two choices for the type choice')];
  return repeated(choices.map(({ value }) => value)).map((at) =>
    problem(`${path}/${at}/value`, 'is the value of another choice'),
  );
}

function problem(path: string, message: string): FieldProblem {
  return { path, message };
}

/** The indexes of texts that occur earlier in the list. */
function repeated(texts: readonly string[]): readonly number[] {
  return texts.flatMap((text, index) => (texts.indexOf(text) < index ? [index] : []));
}
