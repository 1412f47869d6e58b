import { Failure } from '../../domain/failure.ts';
import type { OnMigration } from '../../storage/rows/migration-events.ts';
import { holdsCatalogue } from '../../storage/postgres/dump.ts';
import type { DatabaseAddress } from '../../storage/postgres/engine/connection-url.ts';
import { Connections } from '../../storage/postgres/engine/connections.ts';
import { describePending, migrate } from '../../storage/postgres/migrations/migrations.ts';
import { explainUnreachable } from './postgres-stores.ts';
import { refuseUnfinishedRestore } from '../../storage/postgres/engine/unfinished-restore.ts';

/* Loaded on demand, because loading the driver takes time. */

export function planOfPostgres(address: DatabaseAddress) {
  return withDatabase(address, async (connections) => ({
    ...(await describePending(connections.ask)),
    space: undefined,
  }));
}

export function migratePostgres(address: DatabaseAddress, onMigration: OnMigration): Promise<void> {
  return withDatabase(address, async (connections) => {
    await refuseUnfinishedRestore(connections);
    await migrate(connections, onMigration);
  });
}

async function withDatabase<T>(address: DatabaseAddress, work: (connections: Connections) => Promise<T>): Promise<T> {
  const connections = new Connections({ address, size: 2 });
  try {
    if (await holdsCatalogue(connections)) return await work(connections);
    throw new Failure('not-found', `No Menagerie data found in the database ${address.label}.`);
  } catch (error) {
    throw explainUnreachable(error, address);
  } finally {
    await connections.close();
  }
}
