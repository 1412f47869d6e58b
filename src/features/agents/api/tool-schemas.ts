import type { TSchema } from 'typebox';

/*
 * Records as tools have them: 64-bit integers are strings. Agents and their models read JSON as doubles, which do not
 * hold the digits of an ID beyond 2^53.
 */

type JsonSchema = Readonly<Record<string, unknown>>;

/** Keywords for the documents and for messages, and patterns, which are too long for a model. */
const OMITTED: ReadonlySet<string> = new Set(['xml', 'message', 'title', 'pattern', 'examples', 'documentedAs']);

export function inputSchema(schema: TSchema): object {
  return converted(schema, (each) => each) as object;
}

/** A later version may return more fields. */
export function outputSchema(schema: TSchema): object {
  return converted(schema, ({ additionalProperties, ...each }) => ({
    ...(typeof additionalProperties === 'object' && { additionalProperties }),
    ...asTextId(each),
  })) as object;
}

function asTextId({ format, ...schema }: JsonSchema): JsonSchema {
  if (format !== 'int64') return format === undefined ? schema : { ...schema, format };
  return { ...schema, type: Array.isArray(schema['type']) ? ['string', 'null'] : 'string' };
}

function converted(schema: unknown, convert: (schema: JsonSchema) => JsonSchema): unknown {
  if (Array.isArray(schema)) return schema.map((each) => converted(each, convert));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { properties, ...keywords } = convert(schema as JsonSchema);
  const kept = Object.entries(keywords).filter(([keyword]) => !OMITTED.has(keyword));
  return {
    ...Object.fromEntries(kept.map(([keyword, value]) => [keyword, converted(value, convert)])),
    // The names of properties are no keywords.
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties as JsonSchema).map(([name, each]) => [name, converted(each, convert)]),
      ),
    }),
  };
}

/** Parses the JSON text of a record, with the 64-bit integers of its schema as strings. */
export function readRecord(schema: TSchema, text: string): Readonly<Record<string, unknown>> {
  return withTextIds(schema as JsonSchema, JSON.parse(text, keepDigits)) as Readonly<Record<string, unknown>>;
}

function keepDigits(_key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? '')
    ? context?.source
    : value;
}

function withTextIds(schema: JsonSchema, value: unknown): unknown {
  const { format, anyOf, items, properties } = schema;
  if (format === 'int64') return typeof value === 'number' ? String(value) : value;
  if (Array.isArray(anyOf)) return anyOf.reduce((read: unknown, each) => withTextIds(each as JsonSchema, read), value);
  if (Array.isArray(value))
    return items === undefined ? value : value.map((each) => withTextIds(items as JsonSchema, each));
  if (typeof value !== 'object' || value === null || properties === undefined) return value;
  const schemas = properties as Readonly<Record<string, JsonSchema | undefined>>;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => {
      const ofField = schemas[name];
      return [name, ofField === undefined ? each : withTextIds(ofField, each)];
    }),
  );
}
