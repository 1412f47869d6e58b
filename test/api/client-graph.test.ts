import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { test } from 'node:test';
import type { TSchema } from 'typebox';
import { INT64_FIELDS } from '../../src/client/int64-text.ts';
import { HEADER_OPTIONS } from '../../src/api/documents/operation-types.ts';
import { DESCRIPTIONS } from '../../src/api/documents/descriptions.ts';
import type { OperationDescription } from '../../src/api/documents/parts/format.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** Runtime imports of a file, without those of types only. */
function importsOf(path: string): string[] {
  const text = readFileSync(path, 'utf8');
  return [...text.matchAll(/^(?:import|export) (?!type )[^;]*?from '([^']+)'/gms)].map((match) => match[1] ?? '');
}

function graphFrom(path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return seen;
  seen.add(path);
  for (const specifier of importsOf(path)) {
    if (specifier.startsWith('.')) graphFrom(join(dirname(path), specifier), seen);
    else seen.add(specifier);
  }
  return seen;
}

void test('client: imports no package, no Node.js module, and few modules outside of src/client', () => {
  const graph = graphFrom(join(ROOT, 'src/client/client.ts'));
  const files = [...graph].map((path) => (path.startsWith('/') ? relative(ROOT, path) : path));
  assert.ok(files.includes('src/api/endpoints.ts'));
  const strange = files.filter(
    (file) =>
      !file.startsWith('src/client/') &&
      !/^src\/features\/(?:[\w-]+\/api\/)?endpoints\.ts$/.test(file) &&
      !/^src\/api\/(?:endpoints?|documents\/operation-types|records\/(?:record-text|response-texts))\.ts$/.test(file),
  );
  assert.deepEqual(strange, []);
});

interface AnySchema {
  type?: string | readonly string[];
  format?: string;
  properties?: Readonly<Record<string, AnySchema>>;
  items?: AnySchema;
  anyOf?: readonly AnySchema[];
  allOf?: readonly AnySchema[];
  oneOf?: readonly AnySchema[];
}

/** Every number in a schema, with the name of its field. */
function* numbersIn(schema: AnySchema, field: string): Generator<{ field: string; isInt64: boolean }> {
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []);
  if (types.includes('integer') || types.includes('number')) yield { field, isInt64: schema.format === 'int64' };
  for (const [name, part] of Object.entries(schema.properties ?? {})) yield* numbersIn(part, name);
  if (schema.items !== undefined) yield* numbersIn(schema.items, `${field}[]`);
  for (const parts of [schema.anyOf, schema.allOf, schema.oneOf])
    for (const part of parts ?? []) yield* numbersIn(part, field);
}

const descriptions: Readonly<Record<string, OperationDescription>> = DESCRIPTIONS;

void test('client: INT64_FIELDS lists exactly the 64-bit integers of the responses', () => {
  const known: ReadonlySet<string> = new Set(INT64_FIELDS);
  for (const [id, { responses }] of Object.entries(descriptions)) {
    // Responses that are API documents have no schema.
    for (const { content = {} } of Object.values(responses)) {
      for (const schema of Object.values<TSchema>(content))
        for (const { field, isInt64 } of numbersIn(schema, ''))
          assert.equal(known.has(field), isInt64, `${id}: ${field}; see INT64_FIELDS in src/client/int64-text.ts`);
    }
  }
});

void test('client: has an option for every request header of an operation', () => {
  const known: ReadonlySet<string> = new Set(Object.values(HEADER_OPTIONS));
  for (const [id, { headers = {} }] of Object.entries(descriptions))
    for (const name of Object.keys(headers)) assert.ok(known.has(name), `${id}: ${name}; see HEADER_OPTIONS`);
});
