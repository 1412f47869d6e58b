import type { TSchema } from 'typebox';
import * as Type from './type.ts';

/*
 * The types of fields that several records have. `message` is the error message for an invalid value, `title` the name
 * of a schema in the documents.
 */

/** The options of a record of a response: its name in the documents, and no further fields. */
export function exactly(title: string) {
  return { title, additionalProperties: false } as const;
}

/** The options of a body of Petstore, whose unknown fields are ignored. In all others, they are refused. */
export function tolerantly(title: string, message: string) {
  return { title, message, additionalProperties: true } as const;
}

/**
 * A 64-bit integer as the service writes it. Beyond 2^53 a double does not hold its digits, so it is a bigint in a
 * program.
 */
export function int64(description: string) {
  return Type.Unsafe<bigint>({ type: 'integer', format: 'int64', description });
}

export function int32(description: string) {
  return Type.Unsafe<number>({ type: 'integer', format: 'int32', description });
}

/** A number that a double holds exactly. */
export function count(description: string) {
  return Type.Unsafe<number>({ type: 'integer', minimum: 0, description });
}

/** RFC 3339, in UTC. */
export function time(description: string) {
  return Type.Unsafe<string>({ type: 'string', format: 'date-time', description });
}

/** The text of a time that is milliseconds since 1970. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString();
}

export function optionalTime(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : timeText(ms);
}

export function textOrNull(description: string) {
  return Type.Unsafe<string | null>({ type: ['string', 'null'], description });
}

export function orNull<T extends TSchema>(schema: T, description?: string) {
  return Type.Unsafe<Type.Static<T> | null>({
    anyOf: [schema, { type: 'null' }],
    ...(description !== undefined && { description }),
  });
}

/** The author of a change or action, in all records. */
export const Actor = Type.Object(
  {
    id: Type.Unsafe<bigint | null>({
      type: ['integer', 'null'],
      format: 'int64',
      description: 'The `accountId`; null for the command line.',
    }),
    name: Type.Optional(
      textOrNull(
        'In the history, the current user name; null if the account was deleted. In the audit log, the user name at ' +
          'that time; for the command line, the user name of the operating system. Events do not have it.',
      ),
    ),
  },
  exactly('Actor'),
);

/**
 * U+0000 and lone surrogates: JSON can carry them, but databases and programs disagree on their meaning (RFC 7493,
 * section 2.1).
 */
export const PLAIN_TEXT = String.raw`^(?:[^\u0000\uD800-\uDFFF]|[\uD800-\uDBFF][\uDC00-\uDFFF])*$`;

/** Combines patterns into one: client generators take `allOf` for a record made of several. */
export function allOfPatterns(...patterns: readonly string[]): string {
  return `^${patterns.map((pattern) => `(?=${pattern.startsWith('^') ? '' : String.raw`[\s\S]*`}${pattern})`).join('')}`;
}

/** A 64-bit integer in a request: a number, or a string of digits from clients whose numbers have fewer bits. */
export const SentInt64 = Type.Unsafe<number | string>({
  anyOf: [
    { type: 'integer', format: 'int64' },
    { type: 'string', pattern: '^-?[0-9]+$' },
  ],
  message: 'must be a 64-bit integer, or a string of its digits',
});

/** An optional field for which null means absent. */
export function absent<T extends Type.TSchema>(schema: T, description?: string) {
  const { message } = schema as { message?: string };
  return Type.Optional(
    Type.Unsafe<Type.Static<T> | null>({
      anyOf: [schema, { type: 'null' }],
      ...(description !== undefined && { description }),
      ...(message !== undefined && { message }),
    }),
  );
}

/** A string that every database and program can store. */
export function text(maxLength: number) {
  return Type.Unsafe<string>({
    type: 'string',
    maxLength,
    pattern: PLAIN_TEXT,
    message: `must be a string of at most ${maxLength} characters, without U+0000 or unpaired surrogates`,
  });
}

/** A text with at least one character that is no space. */
export function nonEmptyText(maxLength: number) {
  return Type.Unsafe<string>({
    type: 'string',
    minLength: 1,
    maxLength,
    pattern: allOfPatterns(PLAIN_TEXT, String.raw`\S`),
    message: `must be a string of 1 to ${maxLength} characters with one that is no space`,
  });
}

export function countryCode(description: string) {
  return Type.Unsafe<string>({
    type: 'string',
    pattern: '^[A-Z]{2}$',
    description,
    examples: ['DE'],
    message: 'must be the code of a country, such as DE',
  });
}

export function currencyCode(description: string) {
  return Type.Unsafe<string>({
    type: 'string',
    pattern: '^[A-Z]{3}$',
    description,
    examples: ['EUR'],
    message: 'must be the code of a currency, such as EUR',
  });
}
