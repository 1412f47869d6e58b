import { Failure } from '../domain/failure.ts';

/* Values of a query of HTTP, or of flags of the command line. All functions throw Failure `invalid-input`. */

export type Query = Readonly<Record<string, unknown>>;

/** The values of an array parameter: `a=1&a=2`, `a=1,2` and `a[]=1`, also mixed. Undefined if there are none. */
export function readListParameter(query: unknown, name: string): readonly string[] | undefined {
  const values = readRepeatedParameter(query, name);
  return values.length === 0 ? undefined : values.flatMap((value) => value.split(','));
}

/** The values of an array parameter whose values may contain commas: `a=1&a=2` and `a[]=1`. */
export function readRepeatedParameter(query: unknown, name: string): readonly string[] {
  const parameters = query as Record<string, string | string[] | undefined>;
  return [parameters[name], parameters[`${name}[]`]].flat().filter((value) => value !== undefined);
}

export function textOf(query: Query, name: string): string | undefined {
  const value = query[name];
  if (value === undefined || (typeof value === 'string' && value !== '')) return value;
  throw new Failure('invalid-input', `${name} must be given once and must not be empty.`);
}

export function choiceOf<T extends string>(query: Query, name: string, values: readonly T[]): T | undefined {
  const value = textOf(query, name);
  const chosen = values.find((candidate) => candidate === value);
  if (value !== undefined && chosen === undefined)
    throw new Failure('invalid-input', `${name} must be one of ${values.join(', ')}.`);
  return chosen;
}

/** False by default. */
export function flagOf(query: Query, name: string): boolean {
  return choiceOf(query, name, ['true', 'false']) === 'true';
}

/** RFC 3339, or a day, which stands for its beginning in UTC. */
export function timeOf(query: Query, name: string): number | undefined {
  const value = textOf(query, name);
  if (value === undefined) return undefined;
  const isTime = /^\d{4}-\d\d-\d\d(?:[Tt]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d:\d\d))?$/.test(value);
  const ms = isTime ? Date.parse(value.toUpperCase()) : Number.NaN;
  if (Number.isNaN(ms))
    throw new Failure(
      'invalid-input',
      `${name} must be a time such as 2026-01-31T12:00:00Z, or a day such as 2026-01-31.`,
    );
  return ms;
}
