import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { Failure } from '../../src/domain/failure.ts';
import { applyAll, findAll, putPet } from '../support/changes.ts';
import { startPgbouncer } from '../support/pgbouncer.ts';
import { startPostgres, type PostgresServer } from '../support/postgres-server.ts';
import { openPostgresStoresAt } from '../support/postgres-stores.ts';
import { openWay } from './way-to-database.ts';

/*
 * The server commits, and its answer is lost on the way: the client is told that it is not known, and nothing is done twice.
 */

const ROUNDS = 4;

/** A way on which, once it is armed, the answer to a commit does not come through any more. */
async function openLossyWay(t: TestContext, url: string): Promise<{ url: string; arm: () => void }> {
  let isArmed = false;
  const way = await openWay(t, url, (sent, passage) => {
    if (isArmed && sent.includes('commit\0')) {
      isArmed = false;
      passage.cutAtAnswer();
    }
    return sent;
  });
  return {
    url: way,
    arm: () => {
      isArmed = true;
    },
  };
}

async function loseAnswers(t: TestContext, server: PostgresServer, url: string, arm: () => void): Promise<void> {
  const stores = await openPostgresStoresAt(url);
  t.after(() => stores.close());
  const { pets } = stores;
  await applyAll(pets, [putPet({ name: 'Rex' })]);
  for (let round = 0; round < ROUNDS; round++) {
    arm();
    const [outcome] = await applyAll(pets, [putPet({ name: `lost ${round}` })]);
    assert.ok(outcome instanceof Failure && outcome.code === 'unavailable', 'it cannot be known');
    assert.match(outcome.message, /^The database did not confirm the change, but it may have been made\./);
  }
  const stored = await openPostgresStoresAt(server.url);
  const found = await findAll(
    stored.pets,
    Array.from({ length: 20 }, (_, index) => BigInt(index + 1)),
  );
  await stored.close();
  const names = found.flatMap((pet) => /lost \d/.exec(pet?.text ?? '') ?? []);
  assert.equal(new Set(names).size, names.length, `twice: ${names.join()}`);
  assert.ok(names.length > 0, 'none of the answers was one to a commit that was made');
}

void test('the answer to a commit that is lost on the way to the server', async (t) => {
  const server = await startPostgres(t);
  const { url, arm } = await openLossyWay(t, server.url);
  await loseAnswers(t, server, url, arm);
});

void test('the same behind pgbouncer, which says of the first statement without an answer that the server is gone', async (t) => {
  const server = await startPostgres(t);
  const { url, arm } = await openLossyWay(t, server.url);
  const bouncer = await startPgbouncer(t, { ...server, port: Number(new URL(url).port) });
  if ('missing' in bouncer) return t.skip(bouncer.missing);
  await loseAnswers(t, server, bouncer.url, arm);
});
