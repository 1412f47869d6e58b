import * as fc from 'fast-check';
import type { Arbitrary } from 'fast-check';

/* Values generated from the schemas of a document: mostly valid, some invalid. */

/** The parts of JSON Schema that the documents use. */
export interface Schema {
  $ref?: string;
  type?: string | readonly string[];
  enum?: readonly unknown[];
  const?: unknown;
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  allOf?: readonly Schema[];
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  pattern?: string;
  format?: string;
}

export type Resolve = (reference: string) => Schema;

/** A number of arbitrary digits, which JavaScript could not represent. */
export class Digits {
  readonly digits: string;
  constructor(digits: string) {
    this.digits = digits;
  }
}

const INT64 = fc.oneof(
  { weight: 9, arbitrary: fc.integer({ min: 1, max: 25 }) },
  {
    weight: 2,
    arbitrary: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((id) => new Digits(id.toString())),
  },
  fc.constantFrom(
    new Digits('9223372036854775807'),
    new Digits('9223372036854775808'),
    0,
    -1,
    new Digits('9007199254740993'),
  ),
);

const NAMES = [
  'Rex',
  'Olive',
  'Dogs',
  'calm',
  '007',
  'true',
  ' ',
  'Žofie',
  '犬',
  '🦜',
  'a\u0301',
  '<&>"\'',
  '%2F',
  '../..',
  "'; --",
  '\u2028',
];

/** Plausible and hostile texts. */
export const TEXT: Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...NAMES) },
  { weight: 4, arbitrary: fc.string({ maxLength: 30 }) },
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom('', '\0', '\uD800', 'x'.repeat(256), 'y'.repeat(3000)),
);

/** Values of unexpected types. */
const ANYTHING: Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(null, true, false, 0, -1.5, 1e300, '', [], {}, [null], { id: 1 }, '1', 'null'),
  fc.jsonValue({ maxDepth: 3 }),
);

/** Values for a schema, with about one invalid part in eighty. */
export function valuesOf(schema: Schema, resolve: Resolve, depth = 0): Arbitrary<unknown> {
  return fc.oneof({ weight: 79, arbitrary: fitting(schema, resolve, depth) }, { weight: 1, arbitrary: ANYTHING });
}

function fitting(schema: Schema, resolve: Resolve, depth: number): Arbitrary<unknown> {
  if (schema.$ref !== undefined) return valuesOf(resolve(schema.$ref), resolve, depth + 1);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return fc.oneof(...choices.map((choice) => valuesOf(choice, resolve, depth + 1)));
  const type = Array.isArray(schema.type) ? (schema.type as readonly string[])[0] : schema.type;
  switch (type ?? 'anything') {
    case 'object':
      return objects(schema, resolve, depth);
    case 'array':
      return fc.array(valuesOf(schema.items ?? {}, resolve, depth + 1), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 4, 4),
      });
    case 'integer':
      return schema.format === 'int64'
        ? INT64
        : fc.integer({ min: schema.minimum ?? -(2 ** 31), max: schema.maximum ?? 2 ** 31 - 1 });
    case 'number':
      return fc.double();
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'string':
      return texts(schema);
    default:
      return ANYTHING;
  }
}

function objects({ properties = {}, required = [] }: Schema, resolve: Resolve, depth: number): Arbitrary<unknown> {
  if (depth > 6) return fc.constant({});
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [name, valuesOf(field, resolve, depth + 1)]),
  );
  // Sometimes omits a required property.
  const whole = fc.record(fields, { requiredKeys: [...required].filter((name) => Object.hasOwn(fields, name)) });
  return fc.oneof({ weight: 29, arbitrary: whole }, { weight: 1, arbitrary: fc.record(fields, { requiredKeys: [] }) });
}

function texts({ pattern, format, minLength = 0, maxLength = Infinity }: Schema): Arbitrary<string> {
  if (format === 'date-time')
    return fc.constantFrom('2026-01-31T12:00:00Z', '2026-01-31', 'yesterday', '9999-99-99T99:99:99Z');
  const some = TEXT.filter((text) => text.length >= minLength && text.length <= maxLength);
  // fast-check generates matches only for simple patterns; for others, random texts match often enough.
  const isOfForm = pattern !== undefined && /^\^[\w[\]{}().+*?\\/-]+\$$/.test(pattern);
  return isOfForm ? fc.oneof({ weight: 4, arbitrary: fc.stringMatching(new RegExp(pattern)) }, some) : some;
}

/** JSON with every digit of `Digits`; lone surrogates are escaped, as JSON requires. */
export function jsonText(value: unknown): string {
  const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => unknown };
  return (
    JSON.stringify(value, (_key, part: unknown) => (part instanceof Digits ? rawJSON(part.digits) : part)) ?? 'null'
  );
}

/** The value as text, for a path or a header. */
export function plainText(value: unknown): string {
  if (value instanceof Digits) return value.digits;
  return typeof value === 'string' ? value : jsonText(value);
}
