/*
 * JSON with 64-bit integers, exact both ways: a bigint in a program, digits on the wire. `JSON.parse` alone rounds what is beyond 2^53.
 */

/** The fields of answers that are 64-bit integers, wherever they stand. Everything else that is a number is one that a double holds. */
export const INT64_FIELDS = [
  'id',
  'accountId',
  'version',
  'petId',
  'changedBy',
  'restoredFrom',
  'lastVersion',
] as const;

const fields: ReadonlySet<string> = new Set(INT64_FIELDS);

/** What a reviver gets as its third argument (https://tc39.es/proposal-json-parse-with-source/), which the compiler's library does not know of yet. */
type Revive = (key: string, value: unknown, context?: { source?: string }) => unknown;
type Parse = (text: string, revive: Revive) => unknown;

/** Strings, with the colon behind those that are keys; and numbers. Whatever is between them is punctuation. A string without an end goes to the end. */
const TOKENS = /("(?:[^"\\]|\\[^])*(?:"|\\?$))(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const INTEGER = /^-?\d+$/;

/** Does this runtime tell a reviver of the digits? All do since 2025 (Node.js 22, Chrome 114, Firefox 135, Safari 18.4). */
const TELLS_SOURCE = (() => {
  let source: string | undefined;
  (JSON.parse as Parse)('1', (_key, value, context) => {
    source = context?.source;
    return value;
  });
  return source === '1';
})();

/** @param tellsSource for the test of what older runtimes do */
export function readJson(text: string, tellsSource = TELLS_SOURCE): unknown {
  return tellsSource ? readBySource(text) : readByMarks(text);
}

function readBySource(text: string): unknown {
  return (JSON.parse as Parse)(text, (key, value, context) =>
    typeof value === 'number' && fields.has(key) && INTEGER.test(context?.source ?? '')
      ? BigInt(context?.source ?? '')
      : value,
  );
}

/** Makes a string of every integer, and a mark on every string that tells one from the other; then takes the marks off again. */
function readByMarks(text: string): unknown {
  const marked = text.replace(TOKENS, (token, string: string | undefined, colon: string | undefined) => {
    if (string !== undefined) return colon === undefined ? `"s${string.slice(1)}` : token;
    return INTEGER.test(token) ? `"n${token}"` : token;
  });
  return JSON.parse(marked, (key, value: unknown) => {
    if (typeof value !== 'string') return value;
    const content = value.slice(1);
    if (value.startsWith('s')) return content;
    return fields.has(key) ? BigInt(content) : Number(content);
  });
}

/**
 * A bigint beyond what a double holds goes as a string of its digits, which the service takes for the same.
 *
 * @throws RangeError for a 64-bit integer that may have been rounded, and for what JSON would make null of
 */
export function writeJson(value: unknown): string {
  return JSON.stringify(value, (key, part: unknown) => {
    if (typeof part === 'bigint') return isSafe(part) ? Number(part) : part.toString();
    if (typeof part !== 'number') return part;
    if (!Number.isFinite(part)) throw new RangeError(`${part} is no number that can be sent.`);
    if (fields.has(key)) refuseRounded(part);
    return part;
  });
}

/**
 * What stands in a path or a query.
 *
 * @throws RangeError for a number that may have been rounded
 */
export function parameterText(value: unknown): string {
  if (typeof value === 'number') refuseRounded(value);
  return String(value);
}

function isSafe(value: bigint): boolean {
  return BigInt(Number.MIN_SAFE_INTEGER) <= value && value <= BigInt(Number.MAX_SAFE_INTEGER);
}

/** Beyond 2^53 a number has been rounded before we get to see it: the id would be that of another. */
function refuseRounded(value: number): void {
  if (!(Math.abs(value) <= Number.MAX_SAFE_INTEGER))
    throw new RangeError(`${value} may be a rounded id: give ids beyond 2^53 as a bigint.`);
}
