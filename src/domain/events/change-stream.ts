import type { Access, Actor } from '../access.ts';
import { Failure } from '../failure.ts';
import { EVENT_KINDS, type ChangeEvent, type EventKind } from './change-event.ts';
import type { ChangeBatch, ChangeFollower, ChangeHub } from './change-hub.ts';

export interface ChangeStreamNeeds {
  access: Access;
  /** The same, where nobody hears of refusals: to be shown less is none. */
  quietAccess: Access;
  hub: ChangeHub;
}

/** Which events; what is absent does not matter. */
export interface EventFilter {
  /** Left out: all that one may see. */
  kinds?: readonly EventKind[] | undefined;
  petId?: bigint | undefined;
}

/** What somebody follows, and what they are told of it. */
export interface Subscription {
  kinds: readonly EventKind[];
  petId: bigint | undefined;
  /** Who did it is told to those who could have done it. */
  tellsWho: boolean;
  /** The last change that they have been told of. */
  after: bigint;
}

export type ChangeStream = ReturnType<typeof createChangeStream>;

/** Following what changes, from any point of its history. */
export function createChangeStream({ access, quietAccess, hub }: ChangeStreamNeeds) {
  function may(actor: Actor, action: 'administer' | 'write pets'): boolean {
    try {
      quietAccess(actor, action);
      return true;
    } catch (error) {
      if (error instanceof Failure) return false;
      throw error;
    }
  }

  function kindsFor(actor: Actor, asked: readonly EventKind[] | undefined): readonly EventKind[] {
    if (asked === undefined) return may(actor, 'administer') ? EVENT_KINDS : ['pet'];
    if (asked.includes('account')) access(actor, 'administer');
    return asked;
  }

  return {
    /**
     * Begins after this change, or with what comes from now on.
     *
     * @throws Failure `invalid-input` for a number that no change has yet; `unauthenticated`, `forbidden` for accounts
     */
    async begin(actor: Actor, filter: EventFilter, after: bigint | undefined): Promise<Subscription> {
      const kinds = kindsFor(actor, filter.kinds);
      const lastVersion = await hub.lastVersion();
      if (after !== undefined && after > lastVersion) throw notThereYet();
      const tellsWho = may(actor, 'write pets');
      return { kinds, petId: filter.petId, tellsWho, after: after ?? lastVersion };
    },

    /** How far the changes have come, for who may change pets and so follows them from their page on; undefined for everybody else. */
    async positionFor(actor: Actor): Promise<bigint | undefined> {
      return may(actor, 'write pets') ? hub.lastVersion() : undefined;
    },

    follow: (follower: ChangeFollower) => hub.follow(follower),
    read: (after: bigint): Promise<ChangeBatch> => hub.read(after),
  };
}

/** Is somebody to be told of this change? */
export function isWanted(event: ChangeEvent, { kinds, petId }: Pick<Subscription, 'kinds' | 'petId'>): boolean {
  if (!kinds.includes(event.kind)) return false;
  return petId === undefined || (event.kind === 'pet' && event.petId === petId);
}

/** Where a database was put back to an earlier state, or fell over to a server that lacked something. */
function notThereYet(): Failure {
  return new Failure(
    'invalid-input',
    'There is no change with the number of Last-Event-ID. Begin without it, and read again what you know.',
  );
}
