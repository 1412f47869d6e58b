/*
 * JSON with exact 64-bit integers: bigint in the program, digits on the wire. `JSON.parse` alone rounds integers beyond
 * 2^53.
 */

/** Fields that are 64-bit integers, in every response. All other numbers are doubles. */
export const INT64_FIELDS = ['id', 'accountId', 'version', 'petId', 'restoredFrom', 'lastVersion'] as const;

const fields: ReadonlySet<string> = new Set(INT64_FIELDS);

/**
 * With the third argument of revivers (https://tc39.es/proposal-json-parse-with-source/), which the types of TypeScript
 * do not have yet.
 */
type Revive = (key: string, value: unknown, context?: { source?: string }) => unknown;
type Parse = (text: string, revive: Revive) => unknown;

/** Strings, with the colon after keys, and numbers. An unterminated string extends to the end of the text. */
const TOKENS = /("(?:[^"\\]|\\[^])*(?:"|\\?$))(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const INTEGER = /^-?\d+$/;

/**
 * Whether revivers get the source text. All runtimes pass it since 2025 (Node.js 22, Chrome 114, Firefox 135, Safari
 * 18.4).
 */
const HAS_SOURCE = (() => {
  let source: string | undefined;
  (JSON.parse as Parse)('1', (_key, value, context) => {
    source = context?.source;
    return value;
  });
  return source === '1';
})();

/** The type of 64-bit integers in results: `number` stands for those that are exact as a double. */
export type Integers = 'bigint' | 'number';

/** @param hasSource false in tests of older runtimes */
export function readJson(text: string, integers: Integers = 'bigint', hasSource = HAS_SOURCE): unknown {
  return hasSource ? readBySource(text, integers) : readByMarks(text, integers);
}

function readBySource(text: string, integers: Integers): unknown {
  return (JSON.parse as Parse)(text, (key, value, context) =>
    typeof value === 'number' && fields.has(key) && INTEGER.test(context?.source ?? '')
      ? integerOf(context?.source ?? '', integers)
      : value,
  );
}

function integerOf(digits: string, integers: Integers): bigint | number {
  const value = BigInt(digits);
  return integers === 'number' && isSafe(value) ? Number(value) : value;
}

/** Turns every integer into a string before parsing. A mark at the start of each string distinguishes both. */
function readByMarks(text: string, integers: Integers): unknown {
  const marked = text.replace(TOKENS, (token, string: string | undefined, colon: string | undefined) => {
    if (string !== undefined) return colon === undefined ? `"s${string.slice(1)}` : token;
    return INTEGER.test(token) ? `"n${token}"` : token;
  });
  return JSON.parse(marked, (key, value: unknown) => {
    if (typeof value !== 'string') return value;
    const content = value.slice(1);
    if (value.startsWith('s')) return content;
    return fields.has(key) ? integerOf(content, integers) : Number(content);
  });
}

/**
 * Writes a bigint beyond 2^53 as a string of its digits, which the service accepts as the same value.
 *
 * @throws RangeError for a 64-bit integer that may have been rounded, and for numbers that JSON would turn into null
 */
export function writeJson(value: unknown): string {
  return JSON.stringify(value, (key, part: unknown) => {
    if (typeof part === 'bigint') return isSafe(part) ? Number(part) : part.toString();
    if (typeof part !== 'number') return part;
    if (!Number.isFinite(part)) throw new RangeError(`${part} cannot be sent as JSON.`);
    if (fields.has(key)) refuseRounded(part);
    return part;
  });
}

/**
 * Text of a parameter in a path or a query.
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

/** A number beyond 2^53 was rounded before the call, so it may be the ID of another record. */
function refuseRounded(value: number): void {
  if (!(Math.abs(value) <= Number.MAX_SAFE_INTEGER))
    throw new RangeError(`${value} may be a rounded ID. Pass IDs beyond 2^53 as bigint.`);
}
