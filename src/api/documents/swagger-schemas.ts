import type { TSchema } from 'typebox';
import { mapValues, type WrittenSchema } from './schema-writer.ts';

/*
 * Swagger 2.0 knows less than JSON Schema: no choice between types, no null. What it says here is the nearest that is true.
 */

/** A schema without what Swagger 2.0 cannot say. Of a choice, it tells the one form that programs have a use for. */
export function simplified(schema: WrittenSchema): WrittenSchema {
  const { anyOf, pattern: _pattern, examples, additionalProperties, ...rest } = schema;
  const choices = (anyOf as readonly WrittenSchema[] | undefined)?.filter(({ type }) => type !== 'null');
  // A number rather than its digits, a tag rather than its name: `string` stands first only where there is nothing else.
  const chosen = choices?.find(({ type }) => type !== 'string') ?? choices?.[0];
  return {
    ...rest,
    ...(chosen !== undefined && simplified(chosen)),
    ...(Array.isArray(examples) && { example: examples[0] as unknown }),
    // Answers have no other fields; but in what is sent, by the same definition, they are passed over.
    ...(additionalProperties !== undefined && additionalProperties !== false && { additionalProperties }),
  };
}

/** What is checked of a record that is sent, with the name and the hints of how it is answered. */
export function asAnsweredToo(sent: TSchema, answered: TSchema, required: readonly string[]): TSchema {
  const { required: _required, ...schema } = merged(sent as WrittenSchema, answered as WrittenSchema);
  return required.length === 0 ? schema : { ...schema, required };
}

const HINTS = ['title', 'description', 'examples', 'xml'];

function merged(sent: WrittenSchema, answered: WrittenSchema | undefined): WrittenSchema {
  const schema = simplified(sent);
  const hints = Object.entries(answered ?? {}).filter(([name]) => HINTS.includes(name));
  const { properties, items } = schema as Nested;
  const { properties: answeredProperties, items: answeredItems } = (answered ?? {}) as Nested;
  return {
    ...schema,
    ...Object.fromEntries(hints),
    ...(properties !== undefined && {
      properties: mapValues(properties, (property, name) => merged(property, answeredProperties?.[name])),
    }),
    ...(items !== undefined && { items: merged(items, answeredItems) }),
  };
}

interface Nested {
  properties?: Readonly<Record<string, WrittenSchema>>;
  items?: WrittenSchema;
}
