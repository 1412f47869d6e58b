import { Failure } from '../../domain/failure.ts';

/* Values of a query of HTTP, or of flags of the command line. All functions throw Failure `invalid-input`. */

export type Query = Readonly<Record<string, unknown>>;

/** Maximum characters of a parameter name in a message. */
const MAX_SHOWN = 50;

/**
 * The values of an array parameter: `a=1&a=2`, `a=1,2`, `a[]=1` and `a[0]=1`, also mixed. Undefined if there are none.
 */
export function readListParameter(query: unknown, name: string): readonly string[] | undefined {
  const values = readRepeatedParameter(query, name);
  return values.length === 0 ? undefined : values.flatMap((value) => value.split(','));
}

/** The values of an array parameter whose values may contain commas: `a=1&a=2`, `a[]=1` and `a[0]=1`. */
export function readRepeatedParameter(query: unknown, name: string): readonly string[] {
  return Object.entries(query as Record<string, string | string[] | undefined>)
    .filter(([parameter]) => isListName(parameter, name))
    .flatMap(([, values]) => values ?? []);
}

/**
 * The values of the only array parameter of an operation of Petstore. Clients that OpenAPI Generator made for PHP send
 * `0=a&1=b`, without its name.
 */
export function readPetstoreList(query: unknown, name: string): readonly string[] | undefined {
  const named = readListParameter(query, name);
  if (named !== undefined) return named;
  const unnamed = Object.entries(query as Record<string, string | string[]>).filter(([key]) => /^\d+$/.test(key));
  return unnamed.length === 0 ? undefined : unnamed.flatMap(([, values]) => values);
}

/**
 * Whether a query parameter has values of the array parameter: `a`, `a[]`, or `a[0]`, as clients in PHP and Ruby write
 * it.
 */
export function isListName(parameter: string, name: string): boolean {
  if (!parameter.startsWith(name)) return false;
  return parameter.length === name.length || /^\[\d*\]$/.test(parameter.slice(name.length));
}

/**
 * The end of a message: names a parameter that is similar to the array parameter but ignored, such as `a[x]`. Empty if
 * there is none.
 */
export function adviceOnIgnored(query: unknown, name: string): string {
  const ignored = Object.keys(query as object).find((parameter) => {
    const isSimilar = parameter.toLowerCase().startsWith(name) && /^[^a-z]/i.test(parameter.slice(name.length));
    return isSimilar && !isListName(parameter, name);
  });
  if (ignored === undefined) return '';
  return `. The parameter ${shownName(ignored)} is ignored; name it ${name}, ${name}[] or ${name}[0].`;
}

/** The name of a parameter for a message. */
export function shownName(parameter: string): string {
  return parameter.slice(0, MAX_SHOWN).toWellFormed();
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
