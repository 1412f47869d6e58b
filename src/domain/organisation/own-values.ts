import type { FieldProblem } from '../failure.ts';
import type { OwnField } from './own-field.ts';

/** The values of own fields, by their keys. Null deletes a value. */
export type OwnValues = Readonly<Record<string, string | number | boolean | null>>;

/** The problems of values that do not fit the definitions, with paths that begin with `path`. */
export function ownValueProblems(fields: readonly OwnField[], values: OwnValues, path: string): FieldProblem[] {
  const byKey = new Map(fields.map((field) => [field.key, field]));
  return Object.entries(values).flatMap(([key, value]) => {
    const field = byKey.get(key);
    const message = value === null ? undefined : field === undefined ? UNKNOWN : faultOf(field, value);
    return message === undefined ? [] : [{ path: `${path}/${key}`, message }];
  });
}

const UNKNOWN = 'is not a field that the organisation defines';

function faultOf({ type, choices = [] }: OwnField, value: string | number | boolean): string | undefined {
  if (type === 'text') return typeof value === 'string' && value.trim() !== '' ? undefined : 'must be a text';
  if (type === 'number') return typeof value === 'number' ? undefined : 'must be a number';
  if (type === 'yes-no-unknown') return typeof value === 'boolean' ? undefined : 'must be true or false';
  if (type === 'date') return isDate(value) ? undefined : 'must be a date that exists, such as 2026-11-26';
  const isChoice = choices.some((choice) => choice.value === value);
  return isChoice ? undefined : `must be one of ${choices.map((choice) => choice.value).join(', ')}`;
}

/** Whether the value is a date that exists, as `2026-11-26`. */
export function isDate(value: unknown): boolean {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return false;
  const date = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value);
}
