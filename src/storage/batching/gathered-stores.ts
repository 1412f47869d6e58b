import type {
  BatchedChangeFeed,
  ChangeFeedStore,
  WebhookStore,
  BatchedWebhookStore,
} from '../../domain/events/ports.ts';
import type { BatchedIdempotencyStore, IdempotencyStore } from '../../domain/idempotency/request-claim.ts';
import type { AuditStore, BatchedAuditStore } from '../../domain/audit.ts';
import type { LimitStore, BatchedLimitStore } from '../../domain/accounts/throttle.ts';
import type { Outcome } from '../../domain/failure.ts';
import type { StoredPet } from '../../domain/pets/pet.ts';
import type { PetFindStore } from '../../domain/search/ports.ts';
import type { PetStore, BatchedPetStore, BatchedPhotoIndex, PhotoIndex } from '../../domain/pets/ports.ts';
import type {
  BatchedKeyStore,
  KeyStore,
  SessionStore,
  BatchedSessionStore,
  UserStore,
  BatchedUserStore,
} from '../../domain/accounts/ports.ts';
import { gather } from './gather.ts';

/** The stores as the use cases see them: one call for one thing, gathered on the way. */
export interface GatheredStores {
  pets: PetStore;
  users: UserStore;
  sessions: SessionStore;
  keys: KeyStore;
  limits: LimitStore;
  audit: AuditStore;
  photos: PhotoIndex;
  changeFeed: ChangeFeedStore;
  requests: IdempotencyStore;
  petFindStore: PetFindStore;
  webhooks: WebhookStore;
}

export interface BatchedStores {
  petStore: BatchedPetStore;
  userStore: BatchedUserStore;
  sessionStore: BatchedSessionStore;
  keyStore: BatchedKeyStore;
  limitStore: BatchedLimitStore;
  auditStore: BatchedAuditStore;
  photoIndex: BatchedPhotoIndex;
  changeFeed: BatchedChangeFeed;
  idempotencyStore: BatchedIdempotencyStore;
  petFindStore: PetFindStore;
  webhookStore: BatchedWebhookStore;
}

/** @param atOnce so many batches of finds, and so many of changes, may be under way at a time, of each kind */
export function gatherStores(stores: BatchedStores, atOnce = Infinity): GatheredStores {
  const { petStore, userStore, sessionStore, keyStore, limitStore, auditStore, photoIndex } = stores;
  const { changeFeed, webhookStore, idempotencyStore, petFindStore } = stores;
  return {
    pets: {
      peek: (id) => petStore.peek(id),
      find: gatherFinds(petStore, atOnce),
      apply: eachAlone(gather((changes) => petStore.applyAll(changes), atOnce)),
      listByStatus: (statuses, part) => petStore.listByStatus(statuses, part),
      listByTags: (tagNames, part) => petStore.listByTags(tagNames, part),
      listVersions: (id, fromVersion, limit) => petStore.listVersions(id, fromVersion, limit),
      listRemoved: (beforeVersion, limit) => petStore.listRemoved(beforeVersion, limit),
      isUnused: () => petStore.isUnused(),
    },
    users: {
      find: gather((usernames) => userStore.findMany(usernames), atOnce),
      apply: eachAlone(gather((changes) => userStore.applyAll(changes), atOnce)),
      search: (filter, part) => userStore.search(filter, part),
      isUnused: () => userStore.isUnused(),
      hasAdministrator: () => userStore.hasAdministrator(),
      staffNames: () => userStore.staffNames(),
      findReset: (digest, nowMs) => userStore.findReset(digest, nowMs),
    },
    sessions: {
      peek: (digest) => sessionStore.peek(digest),
      find: gather((digests) => sessionStore.findMany(digests), atOnce),
      apply: eachAlone(gather((changes) => sessionStore.applyAll(changes), atOnce)),
      listOf: (userId) => sessionStore.listOf(userId),
    },
    keys: {
      find: gather((digests) => keyStore.findMany(digests), atOnce),
      apply: eachAlone(gather((changes) => keyStore.applyAll(changes), atOnce)),
      listOf: (userId) => keyStore.listOf(userId),
    },
    limits: {
      find: gather((keys) => limitStore.findMany(keys), atOnce),
      apply: eachAlone(gather((changes) => limitStore.applyAll(changes), atOnce)),
    },
    audit: {
      list: (filter, part) => auditStore.list(filter, part),
      apply: eachAlone(gather((changes) => auditStore.applyAll(changes), atOnce)),
    },
    photos: {
      find: gather((digests) => photoIndex.findMany(digests), atOnce),
      findAlt: gather((asked) => photoIndex.findAlts(asked), atOnce),
      listSome: (limit) => photoIndex.listSome(limit),
      apply: eachAlone(gather((changes) => photoIndex.applyAll(changes), atOnce)),
    },
    changeFeed: {
      lastVersion: () => changeFeed.lastVersion(),
      list: (afterVersion, limit) => changeFeed.list(afterVersion, limit),
      apply: eachAlone(gather((changes) => changeFeed.applyAll(changes), atOnce)),
    },
    requests: {
      claim: eachAlone(gather((claims) => idempotencyStore.claimAll(claims), atOnce)),
      apply: eachAlone(gather((changes) => idempotencyStore.applyAll(changes), atOnce)),
    },
    // Steps of which each is a question of its own.
    petFindStore,
    webhooks: {
      list: () => webhookStore.list(),
      listDue: (id, nowMs, limit) => webhookStore.listDue(id, nowMs, limit),
      listDeadLetters: (id, afterVersion, limit) => webhookStore.listDeadLetters(id, afterVersion, limit),
      apply: eachAlone(gather((changes) => webhookStore.applyAll(changes), atOnce)),
    },
  };
}

/** What is asked for together is read together, as new as the most demanding of them wants it. */
function gatherFinds(petStore: BatchedPetStore, atOnce: number): PetStore['find'] {
  // Most want no more than any copy has: they are not to wait for those who want the very last state.
  const findInCopy = gather<[id: bigint, noOlderThan: bigint], StoredPet | undefined>((asked) => {
    const ids = asked.map(([id]) => id);
    const noOlderThan = asked.reduce((most, [, wanted]) => (wanted > most ? wanted : most), 0n);
    return petStore.findMany(ids, noOlderThan);
  }, atOnce);
  const findAsItIs = gather<bigint, StoredPet | undefined>((ids) => petStore.findMany(ids), atOnce);
  return (id, noOlderThan) => (noOlderThan === undefined ? findAsItIs(id) : findInCopy([id, noOlderThan]));
}

/** One bad member of a batch fails alone: its failure is thrown to its caller only. */
function eachAlone<C, V>(apply: (change: C) => Promise<Outcome<V>>): (change: C) => Promise<V> {
  return (change) =>
    apply(change).then((outcome) => {
      if (outcome instanceof Error) throw outcome;
      return outcome;
    });
}
