import type { Outcome } from '../domain/failure.ts';
import type { Pets, PetStore, PhotoIndex, Photos } from '../domain/pets/ports.ts';
import type { Sessions, SessionStore, Users, UserStore } from '../domain/accounts/ports.ts';
import { gather } from './gather.ts';

/** The stores as the use cases see them: one call for one thing, gathered on the way. */
export interface GatheredStores {
  pets: Pets;
  users: Users;
  sessions: Sessions;
  photos: Photos;
}

export interface BatchedStores {
  petStore: PetStore;
  userStore: UserStore;
  sessionStore: SessionStore;
  photoIndex: PhotoIndex;
}

export function gatherStores({ petStore, userStore, sessionStore, photoIndex }: BatchedStores): GatheredStores {
  return {
    pets: {
      find: gather((ids) => petStore.findMany(ids)),
      apply: eachAlone(gather((changes) => petStore.applyAll(changes))),
      listByStatus: (statuses, part) => petStore.listByStatus(statuses, part),
      listByTags: (tagNames, part) => petStore.listByTags(tagNames, part),
      isUnused: () => petStore.isUnused(),
    },
    users: {
      find: gather((usernames) => userStore.findMany(usernames)),
      apply: eachAlone(gather((changes) => userStore.applyAll(changes))),
      isUnused: () => userStore.isUnused(),
    },
    sessions: {
      find: gather((digests) => sessionStore.findMany(digests)),
      apply: eachAlone(gather((changes) => sessionStore.applyAll(changes))),
    },
    photos: {
      find: gather((digests) => photoIndex.findMany(digests)),
      apply: eachAlone(gather((changes) => photoIndex.applyAll(changes))),
    },
  };
}

/** One bad member of a batch fails alone: its failure is thrown to its caller only. */
function eachAlone<C, V>(apply: (change: C) => Promise<Outcome<V>>): (change: C) => Promise<V> {
  return (change) =>
    apply(change).then((outcome) => {
      if (outcome instanceof Error) throw outcome;
      return outcome;
    });
}
