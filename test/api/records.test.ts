import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { createCheck } from '../../src/api/check.ts';
import { JsonText, recordText } from '../../src/api/records/record-text.ts';
import { Pet, type Category } from '../../src/api/records/pet.ts';
import type { LabelCount } from '../../src/api/records/search.ts';
import { petText, recordOf, withPhotoOrigin } from '../../src/domain/pets/pet.ts';
import { int64, petDetails } from '../support/arbitraries.ts';

void describe('text of a record', () => {
  void it('has the fields in the given order, without undefined ones', () => {
    assert.equal(recordText<LabelCount>({ name: 'a "b"', count: 2 }), '{"name":"a \\"b\\"","count":2}');
    assert.equal(recordText<Category>({ id: undefined, name: 'Dogs' }), '{"name":"Dogs"}');
    assert.equal(recordText<Category>({ id: undefined, name: undefined }), '{}');
  });

  void it('has every digit of 64-bit integers, and embeds JSON verbatim', () => {
    assert.equal(recordText<Category>({ id: 2n ** 63n - 1n, name: undefined }), '{"id":9223372036854775807}');
    const nested = { name: 'Rex', tags: [{ id: 2n ** 63n - 1n }] };
    assert.equal(recordText<Pick<Pet, 'name' | 'tags'>>(nested), '{"name":"Rex","tags":[{"id":9223372036854775807}]}');
    assert.equal(recordText<Pick<Pet, 'tags'>>({ tags: new JsonText('[{"id": 1}]') }), '{"tags":[{"id": 1}]}');
  });

  void it('fails to compile with a missing field, an unknown field, or without the record type', () => {
    // @ts-expect-error count is missing
    recordText<LabelCount>({ name: 'a' });
    // @ts-expect-error id is optional, but has to be named
    recordText<Category>({ name: 'a' });
    // @ts-expect-error secret is no field
    recordText<LabelCount>({ name: 'a', count: 2, secret: 'b' });
    const record: unknown = {};
    // @ts-expect-error the record type cannot be inferred
    recordText(record);
  });
});

void describe('text of a stored pet', () => {
  void it('matches its schema, for any pet', () => {
    const check = createCheck(Pet);
    fc.assert(
      fc.property(int64, petDetails, (id, details) => {
        fc.pre(details.name !== '');
        const text = withPhotoOrigin(petText(id, recordOf(details)), 'https://pets.example.org');
        check(JSON.parse(text));
      }),
    );
  });
});
