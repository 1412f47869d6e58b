import { randomBytes } from 'node:crypto';
import type { ReadDatabaseServers } from '../../domain/health/database-servers.ts';
import { SqlIdempotencyStore, applyRequestChange } from '../rows/idempotency/idempotency-store.ts';
import { openStores, writesOfStores, type DatabaseStores } from '../rows/stores/stores.ts';
import { openInstallationStore } from '../rows/installation-store.ts';
import { claimWrites } from './engine/claimed-changes.ts';
import type { Connections } from './engine/connections.ts';
import { readPrimary, StandbyReads } from './engine/standby.ts';
import { statement } from './engine/statements.ts';
import { openReads, writeInSteps } from './engine/steps.ts';
import { inOrder } from './engine/transactions.ts';
import { Writer } from './engine/writer.ts';
import { PostgresIndexSource } from './pets/index-source.ts';
import { PostgresStatisticsStore } from './pets/pet-counts.ts';
import { PostgresPetStore } from './pets/pet-store.ts';
import { petWrites } from './pets/pet-writes.ts';
import { PostgresPhotoIndex, photoWrites } from './pets/photo-index.ts';

const WRITES = {
  ...writesOfStores(writeInSteps),
  pets: petWrites,
  photos: photoWrites,
  claims: claimWrites,
  requests: writeInSteps(applyRequestChange),
};

/** @param standbys for reads that do not need the latest state */
export function createPostgresStores(
  connections: Connections,
  standbys?: Connections,
  databaseServers: ReadDatabaseServers = connections.readServers,
): DatabaseStores {
  const { ask } = connections;
  const copies = standbys === undefined ? readPrimary(ask) : new StandbyReads(ask, standbys.ask);
  const writer = new Writer({ connections, writes: WRITES });
  const reads = openReads(ask);
  const deps = { ask, writer };
  return {
    ...openStores(
      () => reads,
      (name, change) => writer.apply(name, change),
    ),
    pets: new PostgresPetStore({ ...deps, copies }),
    photos: new PostgresPhotoIndex(deps),
    requests: new SqlIdempotencyStore({
      claim: (claim) => writer.apply('claims', claim),
      apply: (change) => writer.apply('requests', change),
    }),
    indexSource: new PostgresIndexSource(ask),
    statistics: new PostgresStatisticsStore(ask),
    installation: openInstallationStore(reads, (work) => work(reads)),
    iterations: (begin) => void setImmediate(begin),
    probeChange: () => probeChange(connections),
    activity: () => ({ writer: writer.activity(), pool: connections.activity() }),
    databaseServers,
    async close() {
      copies.close();
      await writer.close();
      await Promise.all([connections.close(), standbys?.close()]);
    },
  };
}

/** Random data, which cannot be compressed. A full disk often accepts small changes. */
const PROBE_BYTES = 128 * 1024;

const insertProbe = statement(
  `insert into idempotent_request (digest, fingerprint, claim, claimed_until_ms, expires_at_ms, answer) values ('probe', '', '', 0, 0, $1)`,
);
const deleteProbe = statement(`delete from idempotent_request where digest = 'probe'`);

/** Makes a change and undoes it in the same transaction. @throws Failure `unavailable` if other changes fail as well */
function probeChange(connections: Connections): Promise<void> {
  return inOrder(connections, async ({ ask, later }) => {
    later(ask(insertProbe, randomBytes(PROBE_BYTES).toString('base64')));
    later(ask(deleteProbe));
  });
}
