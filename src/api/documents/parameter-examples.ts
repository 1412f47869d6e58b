import { isOptional, type TSchema } from '../records/type.ts';
import { DESCRIPTIONS } from './descriptions.ts';
import { EXAMPLES, withSamples } from './examples.ts';
import type { JsonValue } from './examples/example.ts';
import type { OperationDescription } from './parts/format.ts';

/**
 * The first example of each required parameter, by its schema, which operations share. Not of optional ones: API pages
 * fill in all examples, and would send all filters together.
 */
export const PARAMETER_EXAMPLES: ReadonlyMap<TSchema, JsonValue> = new Map(
  [...EXAMPLES]
    .flatMap(([id, { parameters = {} }]) => {
      const { path, query }: OperationDescription = DESCRIPTIONS[id];
      return Object.entries(parameters).flatMap(([name, value]) => {
        const schema = path?.[name] ?? query?.[name];
        return schema === undefined || isOptional(schema) ? [] : [[schema, exampleFor(schema, value)] as const];
      });
    })
    // Of entries with the same key, the last remains.
    .toReversed(),
);

function exampleFor(schema: TSchema, value: string | number | boolean): JsonValue {
  const example = withSamples(value);
  return 'type' in schema && schema['type'] === 'array' ? [example] : example;
}
