import assert from 'node:assert/strict';
import { test } from 'node:test';
import TypeBox, { IsOptional } from 'typebox';
import * as Type from '../../src/api/records/type.ts';

/** The types are those of TypeBox, so the same call is valid for both. */
type Builders = Pick<typeof TypeBox, Exclude<keyof typeof Type, 'isOptional'>>;

const SCHEMAS: Readonly<Record<string, (builders: Builders) => object>> = {
  Array: ({ Array, String }) => Array(String(), { maxItems: 3, description: 'Names.' }),
  Boolean: ({ Boolean }) => Boolean({ default: true }),
  Integer: ({ Integer }) => Integer({ minimum: 1 }),
  Literal: ({ Array, Literal }) => Array(Literal('sold')),
  'Literal, a number': ({ Literal }) => Literal(2, { description: 'The format.' }),
  Null: ({ Null }) => Null({ description: 'Nothing.' }),
  Object: ({ Object, Optional, String }) =>
    Object({ name: String({ minLength: 1 }), tag: Optional(String()) }, { additionalProperties: false }),
  'Object, all optional': ({ Object, Optional, Integer }) => Object({ id: Optional(Integer()) }),
  'Object, nested': ({ Object, Optional, String }) => Object({ a: Optional(Object({ b: String() })) }),
  Optional: ({ Optional, Unsafe }) => Optional(Unsafe({ type: 'string', enum: ['a', 'b'] })),
  Record: ({ Record, String, Integer }) => Record(String(), Integer(), { description: 'Counts.' }),
  String: ({ String }) => String(),
  Union: ({ Union, String, Null }) => Union([String(), Null()], { title: 'Name' }),
  Unsafe: ({ Unsafe }) => Unsafe<'a'>({ enum: ['a'] }),
};

for (const [name, build] of Object.entries(SCHEMAS)) {
  void test(`${name}: is the schema that TypeBox builds`, () => {
    assert.equal(JSON.stringify(build(Type)), JSON.stringify(build(TypeBox)));
  });
}

void test('optional schemas: are copies that are known as optional', () => {
  const name = Type.String();
  assert.deepEqual([name, Type.Optional(name)].map(Type.isOptional), [false, true]);
  assert.deepEqual([name, Type.Optional(name)].map(IsOptional), [false, true]);
});
