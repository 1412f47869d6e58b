/** The largest id there is: 2^63 - 1. */
export const MAX_INT64 = 9223372036854775807n;
const MIN_INT64 = -9223372036854775808n;

const INT64_TEXT = /^-?0*\d{1,19}$/;

/** Reads decimal digits as a 64-bit integer; undefined when they are none, or out of range. */
export function parseInt64(text: string): bigint | undefined {
  if (!INT64_TEXT.test(text)) return undefined;
  const value = BigInt(text);
  return value >= MIN_INT64 && value <= MAX_INT64 ? value : undefined;
}

/**
 * Parses JSON so that no id is rounded: where the key is `id`, an integer beyond 2^53 comes back as the text of its digits
 * (plain `JSON.parse` would give the nearest double). Everything else is as `JSON.parse` has it.
 *
 * @throws SyntaxError when the text is not JSON
 */
export function parseExactJson(text: string): unknown {
  // No 16 digits in a row, no integer that a double cannot hold: the reviver costs several times the parse itself.
  return /\d{16}/.test(text) ? JSON.parse(text, keepIdDigits) : JSON.parse(text);
}

function keepIdDigits(key: string, value: unknown, context?: { source?: string }): unknown {
  if (key !== 'id' || typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  return context?.source ?? value;
}

/** A number of JSON with these digits (https://tc39.es/proposal-json-parse-with-source/), which the types of TypeScript do not have yet. */
export const exactNumber = (JSON as unknown as { rawJSON: (digits: bigint) => object }).rawJSON;
