import { randomBytes } from 'node:crypto';
import type { DatabaseStores } from '../../domain/stores/stores.ts';
import { PostgresKeyStore, keyWrites } from './accounts/key-store.ts';
import { PostgresSessionStore, sessionWrites } from './accounts/session-store.ts';
import { PostgresUserStore } from './accounts/user-store.ts';
import { userWrites } from './accounts/user-writes.ts';
import { PostgresAuditStore, auditWrites } from './service/audit-store.ts';
import { PostgresChangeFeed, feedWrites } from './service/change-feed.ts';
import type { Connections } from './engine/connections.ts';
import { readPrimary, StandbyReads } from './engine/standby.ts';
import { Writer } from './engine/writer.ts';
import { PostgresIdempotencyStore, claimWrites, requestWrites } from './service/idempotency-store.ts';
import { openInstallationStore } from './service/installation-store.ts';
import { PostgresLimitStore, limitWrites } from './service/limit-store.ts';
import { PostgresIndexSource } from './pets/index-source.ts';
import { PostgresStatisticsStore } from './pets/pet-counts.ts';
import { PostgresPetStore } from './pets/pet-store.ts';
import { petWrites } from './pets/pet-writes.ts';
import { PostgresPhotoIndex, photoWrites } from './pets/photo-index.ts';
import { PostgresWebhookStore, webhookWrites } from './service/webhook-store.ts';
import { statement } from './engine/statements.ts';
import { inOrder } from './engine/transactions.ts';

const WRITES = {
  pet: petWrites,
  user: userWrites,
  session: sessionWrites,
  photo: photoWrites,
  key: keyWrites,
  limit: limitWrites,
  audit: auditWrites,
  claim: claimWrites,
  request: requestWrites,
  webhook: webhookWrites,
  feed: feedWrites,
};

/** @param standbys for reads that do not need the latest state */
export function createPostgresStores(connections: Connections, standbys?: Connections): DatabaseStores {
  const { ask } = connections;
  const copies = standbys === undefined ? readPrimary(ask) : new StandbyReads(ask, standbys.ask);
  const writer = new Writer({ connections, writes: WRITES });
  const deps = { ask, writer };
  return {
    pets: new PostgresPetStore({ ...deps, copies }),
    users: new PostgresUserStore(deps),
    sessions: new PostgresSessionStore(deps),
    keys: new PostgresKeyStore(deps),
    limits: new PostgresLimitStore(deps),
    audit: new PostgresAuditStore(deps),
    photos: new PostgresPhotoIndex(deps),
    changeFeed: new PostgresChangeFeed(deps),
    requests: new PostgresIdempotencyStore({ writer }),
    indexSource: new PostgresIndexSource(ask),
    statistics: new PostgresStatisticsStore(ask),
    webhooks: new PostgresWebhookStore(deps),
    installation: openInstallationStore(ask),
    iterations: (begin) => void setImmediate(begin),
    probeChange: () => probeChange(connections),
    activity: () => ({ writer: writer.activity(), pool: connections.activity() }),
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
