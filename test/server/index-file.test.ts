import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { deserialize, serialize } from 'node:v8';
import { crc32 } from 'node:zlib';
import { findMatches } from '../../src/domain/search/matches.ts';
import { PetIndex } from '../../src/domain/search/pet-index.ts';
import { isIndexFileSound, readIndexFile, writeIndexFile } from '../../src/server/search/index-file.ts';
import { ALL_PETS, TODAY_MS } from '../support/search.ts';

const ALL = { ...ALL_PETS, synonyms: [], todayMs: TODAY_MS, sort: 'name' } as const;

async function newPath(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'menagerie-index-'));
  t.after(() => rm(folder, { recursive: true }));
  return join(folder, 'search-index');
}

function indexOf(count: number): PetIndex {
  const index = new PetIndex();
  for (let n = 1; n <= count; n++) {
    const [id, version] = [BigInt(n) * 2n ** 40n, BigInt(n)];
    const traits = { name: `Pet ${n % 7} é${n}`, categoryName: 'Dogs', tagNames: [`t${n % 3}`], status: null };
    index.put({ id, version, addedVersion: version, changedAtMs: 1.7e12 + n, traits }, undefined);
  }
  return index;
}

void describe('index file', () => {
  for (const count of [0, 1, 500])
    void it(`${count} pets: are found after the file is read, and the index can be changed`, async (t) => {
      const path = await newPath(t);
      const index = indexOf(count);
      await writeIndexFile(path, { last: { version: 7n, petId: 1n, changedAtMs: 5 }, data: index.toData() });
      const read = (await readIndexFile(path)) ?? assert.fail();
      const loaded = new PetIndex(read.data);
      assert.deepEqual(read.last, { version: 7n, petId: 1n, changedAtMs: 5 });
      for (const words of [[], ['pet'], ['e4'], ['pet', '3']])
        for (const changed of [index, loaded]) {
          const expected = findMatches(index, { ...ALL, words }, undefined, 1000);
          assert.deepEqual(findMatches(changed, { ...ALL, words }, undefined, 1000), expected);
        }
      const traits = { name: 'New', categoryName: null, tagNames: [], status: null } as const;
      loaded.put({ id: 1n, version: 999n, addedVersion: 999n, changedAtMs: 2 ** 53, traits }, undefined);
      assert.equal(findMatches(loaded, { ...ALL, words: ['new'] }, undefined, 5).total, 1);
      assert.equal(loaded.count, count + 1);
    });

  void it('missing, empty, truncated or damaged file: is not used', async (t) => {
    const path = await newPath(t);
    assert.equal(await readIndexFile(path), undefined);
    await writeIndexFile(path, { last: undefined, data: indexOf(50).toData() });
    const whole = await readFile(path);
    for (const length of [0, 1, 7, 8, 100, whole.length - 1]) {
      await writeFile(path, whole.subarray(0, length));
      assert.equal(await readIndexFile(path), undefined, `${length} bytes`);
    }
    for (let place = 0; place < whole.length; place += 211) {
      const damaged = Buffer.from(whole);
      damaged[place] = (damaged[place] ?? 0) ^ 4;
      await writeFile(path, damaged);
      assert.equal(await readIndexFile(path), undefined, `byte ${place}`);
    }
  });

  void it('file of an earlier release: is not used, and not damaged', async (t) => {
    const path = await newPath(t);
    await writeIndexFile(path, { last: undefined, data: indexOf(50).toData() });
    const file = await readFile(path);
    const end = file.length - 8;
    const start = end - file.readUInt32LE(end);
    const withFormat = async (change: (format: number) => number) => {
      const { format, ...rest } = deserialize(file.subarray(start, end)) as { format: number };
      const serialized = serialize({ ...rest, format: change(format) });
      const bytes = Buffer.concat([file.subarray(0, start), serialized, Buffer.alloc(8)]);
      bytes.writeUInt32LE(serialized.length, bytes.length - 8);
      bytes.writeUInt32LE(crc32(bytes.subarray(0, -8)), bytes.length - 4);
      await writeFile(path, bytes);
      return readIndexFile(path);
    };
    assert.notEqual(await withFormat((format) => format), undefined);
    assert.equal(await withFormat((format) => format - 1), undefined);
    assert.ok(await isIndexFileSound(path));
  });

  void it('temporary files of killed processes: are deleted, but not those of other nodes', async (t) => {
    const path = await newPath(t);
    await writeFile(`${path}.old`, 'x');
    await utimes(`${path}.old`, 0, 0);
    await writeFile(`${path}.new`, 'x');
    await writeIndexFile(path, { last: undefined, data: indexOf(1).toData() });
    assert.deepEqual((await readdir(join(path, '..'))).toSorted(), ['search-index', 'search-index.new']);
  });
});
