import type { TSchema } from 'typebox';

/** A schema as plain data. */
export type WrittenSchema = Readonly<Record<string, unknown>>;

export interface SchemaWriter {
  write: (schema: TSchema) => WrittenSchema;
  /** The schemas with a title, by title. Written schemas refer to them. */
  named: () => Readonly<Record<string, WrittenSchema>>;
}

/**
 * Writes schemas for a document. A schema with a title is written once, and referred to by its title. Of the custom
 * keywords, `message` is left out, and the schema in `documentedAs` is written instead of the one that has it.
 *
 * @param place the prefix of references to named schemas, such as `#/components/schemas/`
 * @param adapt converts a JSON Schema to the schema language of the document
 */
export function createSchemaWriter(
  place: string,
  adapt: (schema: WrittenSchema) => WrittenSchema = (schema) => schema,
): SchemaWriter {
  const named = new Map<string, WrittenSchema>();

  function write(schema: WrittenSchema): WrittenSchema {
    const { documentedAs = schema } = schema as { documentedAs?: WrittenSchema };
    const adapted = adapt(documentedAs);
    const { title } = adapted;
    if (typeof title !== 'string') return writeFields(adapted);
    if (!named.has(title)) {
      // Before its fields, because a schema may refer to itself.
      named.set(title, {});
      named.set(title, writeFields(adapted));
    }
    return { $ref: `${place}${title}` };
  }

  function writeFields(schema: WrittenSchema): WrittenSchema {
    const fields = Object.entries(schema).filter(([name, value]) => name !== 'title' && !isMessage(name, value));
    return Object.fromEntries(fields.map(([name, value]) => [name, writeValue(name, value)]));
  }

  /** Handles the keywords in use that contain other schemas. */
  function writeValue(keyword: string, value: unknown): unknown {
    if (keyword === 'properties') return mapValues(value as Readonly<Record<string, WrittenSchema>>, write);
    if (keyword === 'anyOf' || keyword === 'oneOf' || keyword === 'allOf')
      return (value as readonly WrittenSchema[]).map(write);
    if ((keyword === 'items' || keyword === 'additionalProperties') && typeof value === 'object')
      return write(value as WrittenSchema);
    return value;
  }

  return {
    write: (schema) => write(schema as WrittenSchema),
    named: () => Object.fromEntries(named),
  };
}

function isMessage(name: string, value: unknown): boolean {
  return name === 'message' && typeof value === 'string';
}

export function mapValues<T, U>(record: Readonly<Record<string, T>>, change: (value: T, name: string) => U) {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name)]));
}
