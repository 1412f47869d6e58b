import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { openInstallationStore as openOnPostgres } from '../../src/storage/postgres/service/installation-store.ts';
import { openInMemory } from '../../src/storage/sqlite/engine/database.ts';
import { migrate } from '../../src/storage/sqlite/migrations/migrations.ts';
import {
  openInstallationStore,
  openInstallationStoreInMemory,
} from '../../src/storage/sqlite/service/installation-store.ts';
import type { InstallationStore } from '../../src/domain/ports.ts';
import { openPostgresStoresAt } from '../support/postgres-stores.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';
import { openSqliteStores } from '../support/sqlite-stores.ts';

const engines: Readonly<Record<string, () => Promise<InstallationStore>>> = {
  async SQLite() {
    const { path, reader } = await openSqliteStores({ after });
    return openInstallationStore(reader, path);
  },
  async 'SQLite in memory'() {
    const db = openInMemory();
    migrate(db);
    return openInstallationStoreInMemory(db);
  },
  async PostgreSQL() {
    const server = await sharedPostgres();
    const url = await server.createDatabase();
    const stores = await openPostgresStoresAt(url);
    after(async () => {
      await stores.close();
      await server.dropDatabase(url);
    });
    return openOnPostgres(stores.connections.ask);
  },
};

for (const [engine, open] of Object.entries(engines)) {
  void describe(`installation id on ${engine}`, () => {
    void it('is the same for concurrent claims, and stays', async () => {
      const installation = await open();
      assert.equal(await installation.find(), undefined);
      const ids = await Promise.all(Array.from({ length: 8 }, (_, index) => installation.claim(`id ${index}`)));
      assert.equal(new Set(ids).size, 1);
      assert.match(ids[0] ?? '', /^id \d$/);
      assert.equal(await installation.claim('another'), ids[0]);
      assert.equal(await installation.find(), ids[0]);
    });
  });
}
