import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { Failure } from '../../src/domain/failure.ts';
import { applyAll, findAll, putPet } from '../support/changes.ts';
import { startPgbouncer } from '../support/pgbouncer.ts';
import { startPostgres, type PostgresServer } from '../support/postgres-server.ts';
import { openPostgresStoresAt } from '../support/postgres-stores.ts';
import { openDatabaseProxy } from './way-to-database.ts';

/* The server commits, but its response is lost: the client gets an unknown outcome, and nothing is done twice. */

const ROUNDS = 4;

/** A proxy that drops the response to a commit once it is armed. */
async function openLossyWay(t: TestContext, url: string): Promise<{ url: string; arm: () => void }> {
  let isArmed = false;
  const proxyUrl = await openDatabaseProxy(t, url, (sent, passage) => {
    if (isArmed && sent.includes('commit\0')) {
      isArmed = false;
      passage.cutAtResponse();
    }
    return sent;
  });
  return {
    url: proxyUrl,
    arm: () => {
      isArmed = true;
    },
  };
}

async function loseResponses(t: TestContext, server: PostgresServer, url: string, arm: () => void): Promise<void> {
  const stores = await openPostgresStoresAt(url);
  t.after(() => stores.close());
  const { pets } = stores;
  await applyAll(pets, [putPet({ name: 'Rex' })]);
  for (let round = 0; round < ROUNDS; round++) {
    arm();
    const [outcome] = await applyAll(pets, [putPet({ name: `lost ${round}` })]);
    assert.ok(outcome instanceof Failure && outcome.code === 'unavailable', 'expected an unknown outcome');
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
  assert.ok(names.length > 0, 'no lost response belonged to a completed commit');
}

void test('lost response to a commit: unknown outcome, no retry', async (t) => {
  const server = await startPostgres(t);
  const { url, arm } = await openLossyWay(t, server.url);
  await loseResponses(t, server, url, arm);
});

void test('lost response to a commit behind PgBouncer, which reports the failure at the next statement: unknown outcome, no retry', async (t) => {
  const server = await startPostgres(t);
  const { url, arm } = await openLossyWay(t, server.url);
  const bouncer = await startPgbouncer(t, { ...server, port: Number(new URL(url).port) });
  if ('missing' in bouncer) return t.skip(bouncer.missing);
  await loseResponses(t, server, bouncer.url, arm);
});
