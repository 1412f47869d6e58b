import { invalidInput, type FieldProblem } from '../failure.ts';
import type { SiteRecord } from './ports.ts';

/* Fields that a shelter adds to the profiles of its pets. */

export const OWN_FIELD_TYPES = ['text', 'number', 'date', 'yes-no-unknown', 'choice'] as const;

export type OwnFieldType = (typeof OWN_FIELD_TYPES)[number];

/** Lengths are in characters. */
export const OWN_FIELD_LIMITS = { fields: 50, choices: 50, valueLength: 100, labelLength: 100 } as const;

/** The key under which a profile has the value. */
export const OWN_FIELD_KEY = '^[a-z][a-zA-Z0-9]{0,39}$';

/** A value that a profile may have. Without labels, pages show the value. */
export interface OwnFieldChoice {
  value: string;
  labelEn?: string;
  labelDe?: string;
}

export interface OwnField {
  /** Unique. Profiles refer to it, so a changed key is another field. */
  key: string;
  type: OwnFieldType;
  label: { en: string; de: string };
  /** Whether everyone sees the field and its values; otherwise only those who may change pets. */
  isPublic: boolean;
  /** Only for the type `choice`, which has at least one. */
  choices?: readonly OwnFieldChoice[];
}

export function ownFieldsIn(record: SiteRecord | undefined): readonly OwnField[] {
  return record === undefined ? [] : (JSON.parse(record.text) as readonly OwnField[]);
}

/** @throws Failure `invalid-input` for equal keys or values, and for choices that do not fit the type */
export function requireOwnFields(fields: readonly OwnField[]): void {
  const problems = [
    ...repeated(fields.map(({ key }) => key)).map((at) => problem(`/fields/${at}/key`, 'is the key of another field')),
    ...fields.flatMap((field, index) => choiceProblems(field, `/fields/${index}/choices`)),
  ];
  if (problems.length > 0) throw invalidInput(problems);
}

function choiceProblems({ type, choices = [] }: OwnField, path: string): readonly FieldProblem[] {
  if (type !== 'choice') return choices.length === 0 ? [] : [problem(path, 'are only for the type choice')];
  if (choices.length === 0) return [problem(path, 'must have at least one choice for the type choice')];
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
