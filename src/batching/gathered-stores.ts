import type { Audit, AuditStore, Limits, LimitStore } from '../domain/ports.ts';
import type { Outcome } from '../domain/failure.ts';
import type { StoredPet } from '../domain/pets/pet.ts';
import type { Pets, PetStore, PhotoIndex, Photos } from '../domain/pets/ports.ts';
import type { KeyStore, Keys, Sessions, SessionStore, Users, UserStore } from '../domain/accounts/ports.ts';
import { gather } from './gather.ts';

/** The stores as the use cases see them: one call for one thing, gathered on the way. */
export interface GatheredStores {
  pets: Pets;
  users: Users;
  sessions: Sessions;
  keys: Keys;
  limits: Limits;
  audit: Audit;
  photos: Photos;
}

export interface BatchedStores {
  petStore: PetStore;
  userStore: UserStore;
  sessionStore: SessionStore;
  keyStore: KeyStore;
  limitStore: LimitStore;
  auditStore: AuditStore;
  photoIndex: PhotoIndex;
}

/** @param findsAtOnce so many statements that find things of one kind may be under way at a time */
export function gatherStores(stores: BatchedStores, findsAtOnce = Infinity): GatheredStores {
  const { petStore, userStore, sessionStore, keyStore, limitStore, auditStore, photoIndex } = stores;
  return {
    pets: {
      peek: (id) => petStore.peek(id),
      find: gatherFinds(petStore, findsAtOnce),
      apply: eachAlone(gather((changes) => petStore.applyAll(changes))),
      listByStatus: (statuses, part) => petStore.listByStatus(statuses, part),
      listByTags: (tagNames, part) => petStore.listByTags(tagNames, part),
      isUnused: () => petStore.isUnused(),
    },
    users: {
      find: gather((usernames) => userStore.findMany(usernames), findsAtOnce),
      apply: eachAlone(gather((changes) => userStore.applyAll(changes))),
      search: (filter, part) => userStore.search(filter, part),
      isUnused: () => userStore.isUnused(),
      hasAdministrator: () => userStore.hasAdministrator(),
      findReset: (digest, nowMs) => userStore.findReset(digest, nowMs),
    },
    sessions: {
      peek: (digest) => sessionStore.peek(digest),
      find: gather((digests) => sessionStore.findMany(digests), findsAtOnce),
      apply: eachAlone(gather((changes) => sessionStore.applyAll(changes))),
      listOf: (userId) => sessionStore.listOf(userId),
    },
    keys: {
      find: gather((digests) => keyStore.findMany(digests), findsAtOnce),
      apply: eachAlone(gather((changes) => keyStore.applyAll(changes))),
      listOf: (userId) => keyStore.listOf(userId),
    },
    limits: {
      find: gather((keys) => limitStore.findMany(keys), findsAtOnce),
      apply: eachAlone(gather((changes) => limitStore.applyAll(changes))),
    },
    audit: {
      list: (filter, part) => auditStore.list(filter, part),
      apply: eachAlone(gather((changes) => auditStore.applyAll(changes))),
    },
    photos: {
      find: gather((digests) => photoIndex.findMany(digests), findsAtOnce),
      apply: eachAlone(gather((changes) => photoIndex.applyAll(changes))),
    },
  };
}

/** What is asked for together is read together, as new as the most demanding of them wants it. */
function gatherFinds(petStore: PetStore, findsAtOnce: number): Pets['find'] {
  // Most want no more than any copy has: they are not to wait for those who want the very last state.
  const findInCopy = gather<[id: bigint, noOlderThan: bigint], StoredPet | undefined>((asked) => {
    const ids = asked.map(([id]) => id);
    const noOlderThan = asked.reduce((most, [, wanted]) => (wanted > most ? wanted : most), 0n);
    return petStore.findMany(ids, noOlderThan);
  }, findsAtOnce);
  const findAsItIs = gather<bigint, StoredPet | undefined>((ids) => petStore.findMany(ids), findsAtOnce);
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
