import type * as TypeBox from 'typebox';

/*
 * The builders of TypeBox that this project uses, with its types and the same JSON Schemas. Import them as `Type`.
 * TypeBox's own builders load 300 more modules at each start (decision 34).
 */

export type { Static, TSchema } from 'typebox';

/** Marks the schema of an optional property. Not enumerable, so that it is in no document. */
const OPTIONAL = '~optional';

const array = ((items: object, options?: object): object => ({
  type: 'array',
  items,
  ...options,
})) as typeof TypeBox.Array;
const boolean = ((options?: object): object => ({ type: 'boolean', ...options })) as typeof TypeBox.Boolean;
const integer = ((options?: object): object => ({ type: 'integer', ...options })) as typeof TypeBox.Integer;
const string = ((options?: object): object => ({ type: 'string', ...options })) as typeof TypeBox.String;
const nothing = ((options?: object): object => ({ type: 'null', ...options })) as typeof TypeBox.Null;
const union = ((anyOf: readonly object[], options?: object): object => ({ anyOf, ...options })) as typeof TypeBox.Union;
const unsafe = ((schema: object): object => ({ ...schema })) as typeof TypeBox.Unsafe;
const literal = ((value: string | number | boolean, options?: object): object => ({
  type: typeof value,
  const: value,
  ...options,
})) as typeof TypeBox.Literal;

/** The keys are any strings. */
const record = ((_key: object, value: object, options?: object): object => ({
  type: 'object',
  patternProperties: { '^.*$': value },
  ...options,
})) as typeof TypeBox.Record;

const optional = ((schema: object): object =>
  Object.defineProperty({ ...schema }, OPTIONAL, { value: true })) as typeof TypeBox.Optional;

const object = ((properties: Readonly<Record<string, object>>, options?: object): object => {
  const required = Object.keys(properties).filter((name) => !isOptional(properties[name] ?? {}));
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...options };
}) as typeof TypeBox.Object;

/** Whether a property with this schema may be missing. */
export function isOptional(schema: object): boolean {
  return OPTIONAL in schema;
}

export {
  array as Array,
  boolean as Boolean,
  integer as Integer,
  literal as Literal,
  nothing as Null,
  object as Object,
  optional as Optional,
  record as Record,
  string as String,
  union as Union,
  unsafe as Unsafe,
};
