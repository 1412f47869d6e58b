import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { pino } from 'pino';
import { compose } from '../../src/server/process/composition.ts';
import { openStoresInMemory } from '../../src/server/stores/memory-stores.ts';
import { NO_SYNONYMS } from '../../src/domain/search/synonyms.ts';
import { LocalSearch } from '../../src/server/search/local-search.ts';
import { startServer } from '../../src/server/process/server.ts';
import { startService, type Service } from '../../src/server/service.ts';
import { applyAll, putPet } from '../support/changes.ts';
import { assertRefused, clientOf, type Call } from '../support/client.ts';
import { keepLog, until } from '../support/kept-log.ts';
import { dropDatabaseOf, newDatabase, runOn } from '../support/nodes.ts';
import { overriding } from '../support/overriding.ts';
import { startTestService, temporaryFolder, testConfig, testConfigOn } from '../support/service.ts';
import { openTables } from '../support/stored.ts';

/* While the search index of a service is loaded or built, `/readyz` reports it, and everything but search works. */

const PETS = 60;

async function stateOf({ origin }: Pick<Service, 'origin'>): Promise<Record<string, unknown>> {
  const { status, text } = await clientOf(origin)('GET', 'readyz');
  assert.equal(status, 200, text);
  const { search, ...rest } = JSON.parse(text) as { search: Record<string, unknown> };
  assert.deepEqual(rest, { code: 200, type: 'unknown', message: 'ready' });
  return search;
}

async function untilReady(service: Pick<Service, 'origin'>, from: string): Promise<void> {
  let found: Record<string, unknown> = {};
  await until('search is ready', async () => {
    found = await stateOf(service);
    return found['state'] === 'ready';
  });
  const { ms, ...rest } = found;
  assert.deepEqual(rest, { state: 'ready', from });
  assert.ok(Number.isInteger(ms), `${String(ms)} ms`);
}

async function addPets(call: Call): Promise<void> {
  for (let number = 1; number <= PETS; number++) {
    const { status, text } = await call('POST', 'pet', { json: { name: `Rex ${number}`, status: 'sold' } });
    assert.equal(status, 200, text);
  }
}

async function totalOf(call: Call, path: string): Promise<unknown> {
  const { status, text } = await call('GET', path);
  assert.equal(status, 200, text);
  return (JSON.parse(text) as { total: number }).total;
}

/** Starts services one after the other on one folder and its PostgreSQL database. */
async function openPlace(t: TestContext) {
  const dataDir = await temporaryFolder(t);
  await newDatabase(dataDir);
  const started: Service[] = [];
  t.after(async () => {
    await Promise.all(started.map((service) => service.stop()));
    await dropDatabaseOf(dataDir);
  });
  return {
    dataDir,
    start: async (log = pino({ level: 'silent' })): Promise<Service> => {
      const service = await startService(await testConfigOn(dataDir, ['--empty']), log);
      started.push(service);
      return service;
    },
    stop: async (): Promise<void> => {
      await started.pop()?.stop();
    },
  };
}

void describe('search index at the start', () => {
  void it('while it is built: reads by id work, searches get 503; afterwards, searches find everything', async (t) => {
    const { dataDir, start, stop } = await openPlace(t);
    await addPets(clientOf(`${(await start()).origin}/v2`));
    await stop();
    await rm(join(dataDir, 'search-index'), { force: true });
    const { query } = await openTables(t, dataDir);
    // The index reads this table as well, reads by id do not.
    await query('begin');
    await query('lock table pet_version in access exclusive mode');
    const service = await start();
    const call = clientOf(`${service.origin}/v2`);
    const searches = ['pet?text=rex', 'pet', 'facets', 'tags', 'categories', 'statistics'];
    const refusals = await Promise.all(searches.map((path) => call('GET', path)));
    for (const [index, response] of refusals.entries()) {
      const { message } = assertRefused(response, 503, searches[index]);
      assert.equal(message, 'The search index is being built (0 %). Try again in a few seconds.');
      assert.equal(response.headers.get('retry-after'), '2');
    }
    assert.equal((await call('GET', 'pet/7')).status, 200);
    assert.equal((JSON.parse((await call('GET', 'pet/findByStatus?status=sold')).text) as unknown[]).length, PETS);
    await query('commit');
    await until('searches succeed', async () => (await call('GET', 'pet?text=rex')).status === 200);
    assert.equal(await totalOf(call, 'pet?text=rex'), PETS);
    assert.equal(await totalOf(call, 'statistics'), PETS);
    await untilReady(service, 'pets');
  });

  void it('/readyz: reports the progress of a build, and succeeds meanwhile', async (t) => {
    const stores = openStoresInMemory();
    await applyAll(
      stores.pets,
      Array.from({ length: PETS }, () => putPet({ name: 'Rex' })),
    );
    const config = testConfig('', ['--ephemeral']);
    const log = pino({ level: 'silent' });
    const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const source = overriding(stores.indexSource, {
      listPets: async (fromId, limit) => {
        // The second batch.
        if (fromId > 0n) {
          reached.resolve();
          await released.promise;
        }
        return stores.indexSource.listPets(fromId, limit);
      },
    });
    const slow = { ...stores, search: new LocalSearch({ source, synonyms: NO_SYNONYMS }) };
    const server = await startServer({ stores: slow, composition: compose(slow, config, log, Date.now), config, log });
    server.markFilled();
    t.after(async () => {
      released.resolve();
      await server.stop();
      await stores.close();
    });
    assert.deepEqual(await stateOf(server), { state: 'loading' });
    await reached.promise;
    const { done, ...rest } = await stateOf(server);
    assert.deepEqual(rest, { state: 'building', of: PETS });
    assert.ok(typeof done === 'number' && done > 0 && done < PETS, `${String(done)} pets`);
    released.resolve();
    await untilReady(server, 'pets');
  });

  void it('saved by the last service: is loaded, without being built', async (t) => {
    const { start, stop } = await openPlace(t);
    const first = await start();
    await addPets(clientOf(`${first.origin}/v2`));
    await untilReady(first, 'pets');
    await stop();
    const { log, lines } = keepLog();
    const second = await start(log);
    await untilReady(second, 'file');
    assert.equal(await totalOf(clientOf(`${second.origin}/v2`), 'pet?text=rex'), PETS);
    assert.deepEqual(
      lines.filter(({ msg }) => msg.includes('building')),
      [],
    );
  });

  for (const setup of ['memory', undefined] as const)
    void it(`stores ${setup === undefined ? 'in a database' : 'in memory'}: /readyz reports that it is ready, also without a search`, async (t) => {
      if (setup !== undefined) runOn(t, setup);
      await untilReady(await startTestService(t), 'pets');
    });
});
