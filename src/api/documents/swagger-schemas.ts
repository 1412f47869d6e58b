import type { TSchema } from 'typebox';
import { mapValues, type WrittenSchema } from './parts/schema-writer.ts';

/* Swagger 2.0 has neither unions nor null; schemas are simplified to the closest one that still holds. */

/**
 * A schema without the keywords that Swagger 2.0 lacks. Of a union, it has the alternative that is most useful to
 * programs.
 */
export function simplified(schema: WrittenSchema): WrittenSchema {
  const { anyOf, pattern: _pattern, examples, additionalProperties, ...rest } = schema;
  const alternatives = (anyOf as readonly WrittenSchema[] | undefined)?.filter(({ type }) => type !== 'null');
  // A number rather than its digits, a tag rather than its name.
  const chosen = alternatives?.find(({ type }) => type !== 'string') ?? alternatives?.[0];
  return {
    ...rest,
    ...(chosen !== undefined && simplified(chosen)),
    ...(Array.isArray(examples) && { example: examples[0] as unknown }),
    // Requests share the definition, and may have further fields, which are ignored.
    ...(typeof additionalProperties === 'object' && { additionalProperties }),
  };
}

/** The rules for a record in a request, with the name and the annotations of the record in a response. */
export function withResponseHints(sent: TSchema, responseSchema: TSchema, required: readonly string[]): TSchema {
  const { required: _required, ...schema } = merged(sent as WrittenSchema, responseSchema as WrittenSchema);
  return required.length === 0 ? schema : { ...schema, required };
}

const HINTS = ['title', 'description', 'examples', 'xml'];

function merged(sent: WrittenSchema, responseSchema: WrittenSchema | undefined): WrittenSchema {
  const schema = simplified(sent);
  const hints = Object.entries(responseSchema ?? {}).filter(([name]) => HINTS.includes(name));
  const { properties, items } = schema as Nested;
  const { properties: hintedProperties, items: hintedItems } = (responseSchema ?? {}) as Nested;
  return {
    ...schema,
    ...Object.fromEntries(hints),
    ...(properties !== undefined && {
      properties: mapValues(properties, (property, name) => merged(property, hintedProperties?.[name])),
    }),
    ...(items !== undefined && { items: merged(items, hintedItems) }),
  };
}

interface Nested {
  properties?: Readonly<Record<string, WrittenSchema>>;
  items?: WrittenSchema;
}
