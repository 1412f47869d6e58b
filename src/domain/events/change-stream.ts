import type { Access, Actor, Permission } from '../access.ts';
import { Failure } from '../failure.ts';
import { EVENT_KINDS, type ChangeEvent, type EventKind } from './change-event.ts';
import type { ChangeHub } from './change-hub.ts';
import type { LostChanges } from './seen-changes.ts';

interface ChangeStreamDeps {
  access: Access;
  may: Permission;
  hub: Pick<ChangeHub, 'lastVersion' | 'findLost'>;
}

/** A filter of events. Absent fields do not filter. */
export interface EventFilter {
  /** By default, all that the actor may read. */
  kinds?: readonly EventKind[] | undefined;
  petId?: bigint | undefined;
}

/** The events that a client follows, and what it may read of them. */
export interface Subscription {
  kinds: readonly EventKind[];
  petId: bigint | undefined;
  /** Whether the actor may change pets: then events name their authors, and include drafts and private fields. */
  isStaff: boolean;
  /** The version of the last change before the first event. */
  after: bigint;
  /** Set if the client may have received changes that are lost. */
  lost?: LostChanges | undefined;
}

/**
 * Creates subscriptions to changes, from any version of the history. The changes themselves are read from the
 * `ChangeHub`.
 */
export class ChangeStream {
  readonly #deps: ChangeStreamDeps;

  constructor(deps: ChangeStreamDeps) {
    this.#deps = deps;
  }

  /**
   * Subscribes to the changes after this version; by default, to future changes.
   *
   * @throws Failure `invalid-input` for a version in the future; `unauthenticated`, `forbidden` for accounts
   */
  async subscribe(actor: Actor, filter: EventFilter, after: bigint | undefined): Promise<Subscription> {
    const kinds = this.#kindsFor(actor, filter.kinds);
    const lastVersion = await this.#deps.hub.lastVersion();
    const lost = after === undefined ? undefined : this.#deps.hub.findLost(after);
    if (after !== undefined && after > lastVersion && lost === undefined) throw versionInFuture();
    const isStaff = this.#deps.may(actor, 'write pets');
    return { kinds, petId: filter.petId, isStaff, after: after ?? lastVersion, lost };
  }

  /** The version from which a page follows changes; undefined for actors who may not change pets. */
  async positionFor(actor: Actor): Promise<bigint | undefined> {
    return this.#deps.may(actor, 'write pets') ? this.#deps.hub.lastVersion() : undefined;
  }

  #kindsFor(actor: Actor, requested: readonly EventKind[] | undefined): readonly EventKind[] {
    if (requested === undefined) return this.#deps.may(actor, 'administer') ? EVENT_KINDS : ['pet'];
    if (requested.includes('account')) this.#deps.access(actor, 'administer');
    return requested;
  }
}

export function isSubscribed(event: ChangeEvent, { kinds, petId }: Pick<Subscription, 'kinds' | 'petId'>): boolean {
  if (!kinds.includes(event.kind)) return false;
  return petId === undefined || (event.kind === 'pet' && event.petId === petId);
}

/** Clients may have such a version if the database lost changes and this process has not seen them. */
function versionInFuture(): Failure {
  return new Failure(
    'invalid-input',
    'Last-Event-ID is later than the last change. Reconnect without it, and read your data again.',
  );
}
