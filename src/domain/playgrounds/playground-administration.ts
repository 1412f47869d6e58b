import type { Access, Actor } from '../access.ts';
import { done, stampOf, type AuditStore } from '../audit.ts';
import { Failure } from '../failure.ts';
import type { Clock } from '../ports.ts';
import type { BugId, BugState } from './bugs.ts';
import type { FaultRuleState, NewFaultRule } from './faults.ts';
import type { CreatedPlayground, NewPlayground, Playground, PlaygroundSnapshot } from './playground.ts';
import type { RecordedRequest, RequestFilter } from './recorded-request.ts';

/** The playgrounds of this process. Every method with a token throws Failure `not-found`. */
export interface PlaygroundHost {
  /**
   * @param address of the client, for limits; undefined for administrators
   * @throws Failure `invalid-input` for a seed; `too-many-requests`, `unavailable` beyond the limits
   */
  create(options: NewPlayground, address: string | undefined): Promise<CreatedPlayground>;
  list(): readonly Playground[];
  get(token: string): Playground;
  /** Ends its pending requests and event streams. */
  delete(token: string): Promise<void>;
  /** Waits for its pending requests, and ends its event streams. */
  reset(token: string): Promise<Playground>;
  /** @throws Failure `conflict` at the maximum number of snapshots */
  takeSnapshot(token: string): Promise<PlaygroundSnapshot>;
  /** Like a reset. @throws Failure `not-found` also for the snapshot */
  restore(token: string, snapshotId: string): Promise<Playground>;
  /** Its recorded requests in batches, oldest first. @throws Failure `conflict` if they are not recorded */
  listRequests(token: string, filter: RequestFilter): Iterable<readonly RecordedRequest[]>;
  deleteRequests(token: string): void;
  faults(token: string): readonly FaultRuleState[];
  /** Replaces all rules. */
  setFaults(token: string, rules: readonly NewFaultRule[]): readonly FaultRuleState[];
  bugs(token: string): readonly BugState[];
  /** Switches these bugs on, and all others off. */
  setBugs(token: string, ids: readonly BugId[]): readonly BugState[];
}

interface PlaygroundAdministrationDeps {
  access: Access;
  audit: Pick<AuditStore, 'apply'>;
  clock: Clock;
  /** A sentence that says why this service has no playgrounds, instead of its host. */
  playgroundHost: PlaygroundHost | string;
}

/** Creating a playground requires a permission, listing them that of an administrator, and everything else a token. */
export class PlaygroundAdministration {
  readonly #deps: PlaygroundAdministrationDeps;

  constructor(deps: PlaygroundAdministrationDeps) {
    this.#deps = deps;
  }

  /**
   * The audit log has it if a user creates one, without the token, which is a permission.
   * @throws Failure as `PlaygroundHost.create`, and `forbidden` if the service has no playgrounds
   */
  async create(actor: Actor, options: NewPlayground): Promise<CreatedPlayground> {
    const { access, audit, clock } = this.#deps;
    access(actor, 'create playgrounds');
    const isUser = 'role' in actor;
    const created = await this.host.create(options, 'address' in actor && !isUser ? actor.address : undefined);
    if (isUser) await audit.apply({ kind: 'note', entry: done(stampOf(actor, clock()), 'playground.created', null) });
    return created;
  }

  async list(actor: Actor): Promise<readonly Playground[]> {
    this.#deps.access(actor, 'administer');
    return this.host.list();
  }

  /** @throws Failure `forbidden` if the service has no playgrounds */
  get host(): PlaygroundHost {
    const { playgroundHost } = this.#deps;
    if (typeof playgroundHost === 'string') throw new Failure('forbidden', playgroundHost);
    return playgroundHost;
  }
}
