import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { ChangeEvent } from '../../src/domain/events/change-event.ts';
import { ChangeHub } from '../../src/domain/events/change-hub.ts';
import type { LostChanges } from '../../src/domain/events/seen-changes.ts';

/* The hub on a database that loses changes. Polls are counted, and happen when the test lets them. */

const AT_MS = Date.UTC(2026, 10, 26);

/** A database with these changes; those of another line have other pets. */
class Database {
  changes: ChangeEvent[] = [];
  /** The number of changes that were read. */
  read = 0;

  write(count: number, line = 0): void {
    for (let index = 0; index < count; index++) {
      const version = BigInt(this.changes.length + 1);
      const petId = version + BigInt(1000 * line);
      const base = { version, atMs: AT_MS, actorId: null, text: '{}', profile: null, isDraft: false, wasDraft: false };
      this.changes.push({ kind: 'pet', action: 'added', petId, ...base });
    }
  }

  lose(count: number): void {
    this.changes.length -= count;
  }

  async lastVersion(): Promise<bigint> {
    return BigInt(this.changes.length);
  }

  async list(after: bigint, limit: number): Promise<readonly ChangeEvent[]> {
    const found = this.changes.filter(({ version }) => version > after).slice(0, limit);
    this.read += found.length;
    return found;
  }
}

function openHub(t: TestContext, database: Database) {
  let endPause: (() => void) | undefined;
  let paused = Promise.withResolvers<void>();
  let isOver = false;
  const troubles: unknown[] = [];
  const hub = new ChangeHub({
    feed: database,
    pause() {
      if (isOver) return new Promise(() => {});
      const { promise, resolve } = Promise.withResolvers<void>();
      endPause = resolve;
      paused.resolve();
      return promise;
    },
    onTrouble: (error) => void troubles.push(error),
  });
  t.after(() => {
    isOver = true;
    assert.deepEqual(troubles, []);
  });
  const lost: LostChanges[] = [];
  const follow = () => hub.follow({ onChanges: () => {}, onLost: (loss) => void lost.push(loss) });
  /** Resolves after so many polls. */
  const poll = async (count = 1) => {
    for (let index = 0; index < count; index++) {
      await paused.promise;
      paused = Promise.withResolvers();
      endPause?.();
    }
    await paused.promise;
  };
  /** Polling stops without followers. */
  const endPolls = async () => {
    await paused.promise;
    paused = Promise.withResolvers();
    endPause?.();
    await setImmediate();
  };
  return { hub, lost, follow, poll, endPolls };
}

const petsOf = (events: readonly ChangeEvent[]) => events.map((event) => (event.kind === 'pet' ? event.petId : 0n));

void test('lost changes: noticed when the database has fewer than before', async (t) => {
  const database = new Database();
  database.write(10);
  const { hub, lost, follow, poll } = openHub(t, database);
  follow();
  await poll();
  database.write(5);
  await poll();
  database.lose(3);
  await poll();
  assert.deepEqual(lost, [{ kept: 12n, last: 15n }]);
  database.write(1, 1);
  await poll();
  assert.deepEqual(petsOf(await hub.read(12n)), [1013n]);
  assert.equal(lost.length, 1);
});

void test('lost changes: noticed when others have their versions, and new ones follow', async (t) => {
  const database = new Database();
  const { hub, lost, follow, poll } = openHub(t, database);
  follow();
  await poll();
  database.write(300);
  await poll();
  database.lose(30);
  database.write(50, 1);
  await poll();
  assert.deepEqual(lost, [{ kept: 270n, last: 300n }]);
  assert.deepEqual(petsOf(await hub.read(270n)).slice(0, 2), [1271n, 1272n]);
  assert.deepEqual(
    [270n, 271n, 300n, 301n].map((position) => hub.findLost(position)?.kept),
    [undefined, 270n, 270n, undefined],
  );
});

void test('lost changes: noticed when exactly as many others have replaced them', async (t) => {
  const database = new Database();
  const { lost, follow, poll } = openHub(t, database);
  follow();
  database.write(10);
  await poll();
  database.lose(1);
  database.write(1, 1);
  await poll(20);
  // The first poll has seen only the last change.
  assert.deepEqual(lost, [{ kept: 9n, last: 10n }]);
});

void test('lost changes: noticed by the next follower if there was none meanwhile', async (t) => {
  const database = new Database();
  const { lost, follow, poll, endPolls } = openHub(t, database);
  const unfollow = follow();
  await poll();
  database.write(8);
  await poll();
  unfollow();
  await endPolls();
  database.lose(4);
  database.write(9, 1);
  follow();
  await poll();
  assert.deepEqual(lost, [{ kept: 4n, last: 8n }]);
});

void test('lost changes: noticed without followers, by a watcher that does not read every change', async (t) => {
  const database = new Database();
  const { hub, lost, poll } = openHub(t, database);
  hub.watch((loss) => void lost.push(loss));
  database.write(5);
  await poll();
  database.write(5000);
  await poll();
  assert.ok(database.read < 500, `${database.read} were read`);
  database.lose(1000);
  database.write(2000, 1);
  await poll();
  // What it has seen are the last hundred changes of two polls.
  assert.deepEqual(lost, [{ kept: 5n, last: 5005n }]);
  database.write(1, 1);
  const changes = Promise.withResolvers<void>();
  hub.follow({ onChanges: () => changes.resolve(), onLost: () => {} });
  await changes.promise;
  assert.deepEqual(petsOf(await hub.read(6005n)), [7006n]);
});

void test('no change is lost: nothing is reported after many changes and polls', async (t) => {
  const database = new Database();
  const { hub, lost, follow, poll } = openHub(t, database);
  follow();
  await poll();
  for (let round = 0; round < 3; round++) {
    database.write(2100);
    await poll(25);
  }
  assert.deepEqual([lost, await hub.read(6300n)], [[], []]);
});
