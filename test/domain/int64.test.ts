import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { createCheck } from '../../src/api/check.ts';
import { SentPet } from '../../src/api/records/sent-pet.ts';
import { readPet } from '../../src/api/read-pet.ts';
import { Failure } from '../../src/domain/failure.ts';
import { MAX_INT64, parseExactJson, parseInt64 } from '../../src/domain/int64.ts';
import { petText, readPetText, recordOf } from '../../src/domain/pets/pet.ts';
import { int64 } from '../support/arbitraries.ts';

const checkPet = createCheck(SentPet);
const isInvalid = (error: unknown) => error instanceof Failure && error.code === 'invalid-input';

/** Passes a client's text through everything up to the text in the store. */
function storedText(body: string): string {
  const { id, pet } = readPet(checkPet(parseExactJson(body)));
  return petText(id ?? 0n, recordOf(pet));
}

void describe('64-bit ids', () => {
  void it('keep every digit, as numbers and as strings, in every position', () => {
    fc.assert(
      fc.property(fc.tuple(int64, int64, int64), fc.boolean(), ([id, categoryId, tagId], asText) => {
        const sent = (value: bigint) => (asText ? `"${value}"` : `${value}`);
        const text = storedText(
          `{"id":${sent(id)},"category":{"id":${sent(categoryId)}},"name":"x","tags":[{"id":${sent(tagId)}}]}`,
        );
        assert.equal(
          text,
          `{"id":${id},"category":{"id":${categoryId}},"name":"x","photoUrls":[],"tags":[{"id":${tagId}}]}`,
        );
        const pet = readPetText(text);
        assert.deepEqual([pet.id, pet.category?.id, pet.tags[0]?.id], [id, categoryId, tagId]);
        assert.equal(petText(pet.id, recordOf(pet)), text);
      }),
    );
  });

  void it('are parsed from exactly the texts of 64-bit integers', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 65n), max: 2n ** 65n }), fc.nat(5), (value, zeros) => {
        const digits = `${'0'.repeat(zeros)}${value < 0n ? -value : value}`;
        const expected = value >= -(2n ** 63n) && value < 2n ** 63n ? value : undefined;
        assert.equal(parseInt64(`${value < 0n ? '-' : ''}${digits}`), expected);
      }),
    );
    for (const text of ['', '-', '+1', '1.0', '1e3', '0x10', '١', '1 ', '1_000', '9'.repeat(400)]) {
      assert.equal(parseInt64(text), undefined, JSON.stringify(text));
    }
  });

  const refused = [
    '9223372036854775808',
    '-9223372036854775809',
    '"9223372036854775808"',
    '1e400',
    '1.5',
    '"1e3"',
    '""',
    '" 1"',
    'true',
    '{}',
  ];
  for (const id of refused) {
    void it(`${id} is refused, and the failure names the field`, () => {
      for (const body of [`{"id":${id},"name":"x"}`, `{"name":"x","tags":[{"id":1},{"id":${id}}]}`]) {
        assert.throws(
          () => storedText(body),
          (error) => {
            assert.ok(isInvalid(error) && error instanceof Failure);
            assert.match(error.details.problems?.[0]?.path ?? '', /^(?:\/tags\/1)?\/id$/);
            return true;
          },
        );
      }
    });
  }

  void it('beyond 2^53 are not rounded next to other numbers, nor with an escaped key', () => {
    const max = MAX_INT64.toString();
    assert.match(storedText(`{"i\\u0064" : ${max} ,"name":"x"}`), /^\{"id":9223372036854775807,/);
    assert.match(storedText(`{"id":1,"id":${max},"name":"1234567890123456789"}`), /^\{"id":9223372036854775807,/);
  });

  void it('leave everything else to parse like JSON.parse', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        assert.deepEqual(parseExactJson(text), JSON.parse(text));
      }),
    );
    const text = '{"price":12345678901234567890,"id":5,"list":[1.5,1e400,null],"long":"1234567890123456"}';
    assert.deepEqual(parseExactJson(text), JSON.parse(text));
    assert.throws(() => parseExactJson('{"id":1234567890123456789'), SyntaxError);
  });
});
