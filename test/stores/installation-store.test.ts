import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { InstallationStore } from '../../src/domain/ports.ts';
import { openPostgresStoresAt } from '../support/postgres-stores.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';
import { openSqliteStores, openSqliteStoresInMemory } from '../support/sqlite-stores.ts';

const engines: Readonly<Record<string, () => Promise<{ installation: InstallationStore }>>> = {
  SQLite: () => openSqliteStores({ after }),
  'SQLite in memory': () => openSqliteStoresInMemory({ after }),
  async PostgreSQL() {
    const server = await sharedPostgres();
    const url = await server.createDatabase();
    const stores = await openPostgresStoresAt(url);
    after(async () => {
      await stores.close();
      await server.dropDatabase(url);
    });
    return stores;
  },
};

for (const [engine, open] of Object.entries(engines)) {
  void describe(`installation id on ${engine}`, () => {
    void it('is the same for concurrent claims, and stays', async () => {
      const { installation } = await open();
      assert.equal(await installation.find(), undefined);
      const ids = await Promise.all(Array.from({ length: 8 }, (_, index) => installation.claim(`id ${index}`)));
      assert.equal(new Set(ids).size, 1);
      assert.match(ids[0] ?? '', /^id \d$/);
      assert.equal(await installation.claim('another'), ids[0]);
      assert.equal(await installation.find(), ids[0]);
    });
  });
}
