/** The largest id: 2^63 - 1. */
export const MAX_INT64 = 9223372036854775807n;
export const MIN_INT64 = -9223372036854775808n;

const INT64_TEXT = /^-?0*\d{1,19}$/;

/** Reads a decimal 64-bit integer; undefined if the text is not a number or out of range. */
export function parseInt64(text: string): bigint | undefined {
  if (!INT64_TEXT.test(text)) return undefined;
  const value = BigInt(text);
  return value >= MIN_INT64 && value <= MAX_INT64 ? value : undefined;
}

/**
 * Parses JSON like `JSON.parse`, but without rounding ids: the value of a key `id` that is an integer beyond 2^53 is
 * returned as a string of its digits.
 *
 * @throws SyntaxError if the text is not JSON
 */
export function parseExactJson(text: string): unknown {
  // Integers with fewer than 16 digits are exact as doubles. The reviver takes several times as long as the parsing
  // itself.
  return /\d{16}/.test(text) ? JSON.parse(text, keepIdDigits) : JSON.parse(text);
}

function keepIdDigits(key: string, value: unknown, context?: { source?: string }): unknown {
  if (key !== 'id' || typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  return context?.source ?? value;
}

/**
 * A JSON number with exactly these digits (https://tc39.es/proposal-json-parse-with-source/). TypeScript has no type
 * for it yet.
 */
export const exactNumber = (JSON as unknown as { rawJSON: (digits: bigint) => object }).rawJSON;
