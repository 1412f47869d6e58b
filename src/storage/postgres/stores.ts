import type { BatchedStores } from '../batching/gathered-stores.ts';
import { auditWrites, openAuditStore } from './audit-store.ts';
import { feedWrites, openChangeFeed } from './change-feed.ts';
import type { Connections } from './engine/connections.ts';
import { readPrimary, readStandbys } from './engine/standby.ts';
import { createWriter } from './engine/writer.ts';
import { claimWrites, openIdempotencyStore, requestWrites } from './idempotency-store.ts';
import { keyWrites, openKeyStore } from './accounts/key-store.ts';
import { limitWrites, openLimitStore } from './limit-store.ts';
import { openPetFindStore } from './pets/pet-index.ts';
import { openPetStore } from './pets/pet-store.ts';
import { petWrites } from './pets/pet-writes.ts';
import { openPhotoIndex, photoWrites } from './pets/photo-index.ts';
import { openSessionStore, sessionWrites } from './accounts/session-store.ts';
import { openUserStore } from './accounts/user-store.ts';
import { openWebhookStore, webhookWrites } from './webhook-store.ts';
import { userWrites } from './accounts/user-writes.ts';

/** All stores of one database. They read each by itself, and write together. */
export interface PostgresStores extends BatchedStores {
  /** Finishes what was asked for. */
  finish(): Promise<void>;
}

/** @param standbys where what need not be of this very moment may be read */
export function openPostgresStores(connections: Connections, standbys?: Connections): PostgresStores {
  const { ask } = connections;
  const copies = standbys === undefined ? readPrimary(ask) : readStandbys(ask, standbys);
  const writer = createWriter(connections, {
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
  });
  return {
    petStore: openPetStore(ask, writer, copies),
    userStore: openUserStore(ask, writer),
    sessionStore: openSessionStore(ask, writer),
    keyStore: openKeyStore(ask, writer),
    limitStore: openLimitStore(ask, writer),
    auditStore: openAuditStore(ask, writer),
    photoIndex: openPhotoIndex(ask, writer),
    changeFeed: openChangeFeed(ask, writer),
    idempotencyStore: openIdempotencyStore(writer),
    petFindStore: openPetFindStore(ask, copies),
    webhookStore: openWebhookStore(ask, writer),
    finish: () => {
      copies.close();
      return writer.close();
    },
  };
}
