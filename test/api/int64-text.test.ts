import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { parameterText, readJson, writeJson } from '../../src/client/int64-text.ts';
import { jsonText } from '../../src/api/records/record-text.ts';

const READERS = { 'with the source text from the runtime': true, 'without it': false };

for (const [name, seesSource] of Object.entries(READERS)) {
  const read = (text: string) => readJson(text, 'bigint', seesSource);

  void describe(`JSON read ${name}`, () => {
    void it('keeps the digits of 64-bit integers', () => {
      for (const digits of ['0', '-1', '9007199254740993', '9223372036854775807', '-9223372036854775808'])
        assert.deepEqual(read(`{"id":${digits},"tags":[{"id" : ${digits}}]}`), {
          id: BigInt(digits),
          tags: [{ id: BigInt(digits) }],
        });
    });

    void it('leaves other numbers, and strings that look like numbers, unchanged', () => {
      const text = String.raw`{"code":200,"id":"17","name":"n1 s2 \"id\":3","userStatus":1,"x":[1,2.5,-3e2,"4"],"y":null,"z":true,"id2":"\u006e9"}`;
      assert.deepEqual(read(text), JSON.parse(text));
      assert.deepEqual(read('"logged in user session:17"'), 'logged in user session:17');
      assert.deepEqual(read('[]'), []);
    });

    void it('refuses malformed JSON', () => {
      for (const text of ['', '{', '{"id":}', '<html>']) assert.throws(() => read(text), SyntaxError);
    });

    void it('reads whatever the service writes', () => {
      const leaf = fc.oneof(fc.string({ unit: 'binary' }), fc.boolean(), fc.constant(null), fc.integer(), fc.double());
      const { tree } = fc.letrec<{ tree: unknown; record: unknown }>((tie) => ({
        tree: fc.oneof({ maxDepth: 4 }, leaf, fc.array(tie('tree'), { maxLength: 4 }), tie('record')),
        record: fc.record(
          { id: fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), name: leaf, ['"id":']: leaf, parts: tie('tree') },
          { requiredKeys: [] },
        ),
      }));
      fc.assert(
        fc.property(tree, (value) => {
          const text = jsonText(value);
          assert.equal(jsonText(read(text)), text);
        }),
      );
    });
  });
}

void describe('JSON written', () => {
  void it('has bigints as numbers if a double holds them, and as strings otherwise', () => {
    assert.equal(
      writeJson({ id: 1n, tags: [{ id: -(2n ** 53n - 1n) }] }),
      '{"id":1,"tags":[{"id":-9007199254740991}]}',
    );
    assert.equal(writeJson({ id: 2n ** 63n - 1n }), '{"id":"9223372036854775807"}');
  });

  void it('refuses numbers that may have been rounded', () => {
    assert.throws(() => writeJson({ id: 2 ** 53 }), /bigint/);
    assert.throws(() => parameterText(1e17), /bigint/);
    assert.throws(() => writeJson({ tags: [{ id: Number.NaN }] }), RangeError);
    assert.equal(writeJson({ createdNs: 2 ** 60, name: 'Rex' }), `{"createdNs":${2 ** 60},"name":"Rex"}`);
    assert.equal(parameterText(2n ** 63n - 1n), '9223372036854775807');
  });
});
