import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IndexFollower } from '../../src/domain/search/index-follower.ts';
import type { IndexSource, SourcePet } from '../../src/domain/search/index-source.ts';

const PETS = 5000;

function petAt(id: bigint): SourcePet {
  const text = `{"id":${id},"name":"Rex","photoUrls":[],"tags":[]}`;
  return { id, version: id, isDraft: false, text, profile: null, addedVersion: id, changedAtMs: 0 };
}

/** Lists pets with the ids up to `PETS`, and notes what happens in which order. */
function sourceOf(happened: string[], fail: (batch: number) => boolean = () => false): IndexSource {
  let batch = 0;
  return {
    lastChange: () => undefined,
    countPets: () => PETS,
    listPets: async (fromId, limit) => {
      happened.push(`read ${batch}`);
      if (fail(batch++)) throw new Error('The database is unreachable.');
      const first = fromId < 1n ? 1 : Number(fromId);
      return Array.from({ length: Math.min(limit, PETS + 1 - first) }, (_, index) => petAt(BigInt(first + index)));
    },
    listChanges: () => ({ at: undefined, changes: [] }),
  };
}

function follow(source: IndexSource, happened: string[]): IndexFollower {
  let indexed = 0;
  return new IndexFollower({
    source,
    pause: () => Promise.resolve(),
    onProgress: ({ done }) => {
      if (done > 0) happened.push(`indexed ${indexed++}`);
    },
  });
}

void test('build: each batch is read while the one before is indexed', async () => {
  const happened: string[] = [];
  await follow(sourceOf(happened), happened).start(undefined);
  const batches = happened.filter((what) => what.startsWith('read')).length;
  assert.ok(batches > 2);
  const pairs = Array.from({ length: batches - 1 }, (_, batch) => [`read ${batch + 1}`, `indexed ${batch}`]);
  assert.deepEqual(happened, ['read 0', ...pairs.flat(), `indexed ${batches - 1}`]);
});

void test('build: a batch that cannot be read fails it after the ones before, and the next call builds it', async () => {
  const happened: string[] = [];
  let isAway = true;
  const follower = follow(
    sourceOf(happened, (batch) => isAway && batch === 2),
    happened,
  );
  await assert.rejects(follower.start(undefined), /unreachable/);
  assert.deepEqual(happened, ['read 0', 'read 1', 'indexed 0', 'read 2', 'indexed 1']);
  isAway = false;
  await follower.catchUp();
  assert.equal(follower.save().data.slotCount, PETS);
});
