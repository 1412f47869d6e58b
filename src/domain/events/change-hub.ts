import type { ChangeEvent } from './change-event.ts';
import type { ChangeFeed } from './ports.ts';
import { SeenChanges, type LostChanges } from './seen-changes.ts';

/**
 * Changes that were read together. Followers at the same position get the same object, so that derived data can be
 * cached by its identity.
 */
export type ChangeBatch = readonly ChangeEvent[];

interface ChangeHubDeps {
  feed: ChangeFeed;
  pause: (ms: number) => Promise<void>;
  /** Called with an error of a poll. Polling continues. */
  onTrouble: (error: unknown) => void;
}

/** Polling interval while there are followers. */
const POLL_INTERVAL_MS = 100;
/** Polling interval while there is only someone who watches for lost changes. */
const WATCH_INTERVAL_MS = 5000;

/** As many polls without a new change are followed by a check of whether the last one still exists. */
const POLLS_UNTIL_CHECK = 20;

/** The last losses are remembered for clients that reconnect. */
const MAX_LOSSES = 10;

const MAX_EVENTS = 100;
/** Limits the memory of slow readers, each of which holds one batch. */
const MAX_CHARACTERS = 65_536;

/** Number of recent batches that are cached for followers about to read them. */
const MAX_RECENT_BATCHES = 64;

const NO_CHANGES: ChangeBatch = [];

interface ChangeFollower {
  /** Called when there may be new changes. */
  onChanges: () => void;
  /** Called when the database has lost changes, which the follower may have read. */
  onLost: (lost: LostChanges) => void;
}

/**
 * Distributes changes to any number of followers, each at its own pace. New changes are polled, and read once for all
 * followers. Batches for followers that have fallen behind are read sequentially.
 */
export class ChangeHub {
  readonly #deps: ChangeHubDeps;
  readonly #followers = new Set<ChangeFollower>();
  #watcher: ChangeFollower['onLost'] | undefined;
  /** Ends the pause before the next poll. */
  #wake: () => void = () => {};
  #recent: { after: bigint; last: bigint; events: ChangeBatch }[] = [];
  /** The version of the last polled change; undefined while there are no followers. */
  #last: bigint | undefined;
  #isPolling = false;
  #pollsSinceCheck = 0;
  readonly #seen: SeenChanges;
  #losses: LostChanges[] = [];
  readonly #pendingReads = new Map<bigint, Promise<ChangeBatch>>();
  #lastRead: Promise<unknown> = Promise.resolve();

  constructor(deps: ChangeHubDeps) {
    this.#deps = deps;
    this.#seen = new SeenChanges(deps.feed);
  }

  lastVersion(): Promise<bigint> {
    return this.#deps.feed.lastVersion();
  }

  /** @returns a function that ends the subscription */
  follow(follower: ChangeFollower): () => void {
    this.#followers.add(follower);
    if (!this.#isPolling) void this.#keepPolling();
    else if (this.#followers.size === 1) this.#wake();
    return () => void this.#followers.delete(follower);
  }

  /**
   * Looks for lost changes every few seconds, also while there are no followers.
   *
   * @returns a function that ends it
   */
  watch(onLost: (lost: LostChanges) => void): () => void {
    this.#watcher = onLost;
    if (!this.#isPolling) void this.#keepPolling();
    return () => {
      this.#watcher = undefined;
      this.#wake();
    };
  }

  /**
   * The next changes after this version. Empty if there are none yet; then `onChanges` is called later.
   * @throws Failure `unavailable`
   */
  async read(after: bigint): Promise<ChangeBatch> {
    if (this.#last !== undefined && after >= this.#last) return NO_CHANGES;
    return this.#findRecent(after) ?? this.#readFarBack(after);
  }

  /** The loss that includes the change at this position, if this process has noticed one. */
  findLost(position: bigint): LostChanges | undefined {
    return this.#losses.find(({ kept, last }) => position > kept && position <= last);
  }

  async #keepPolling(): Promise<void> {
    this.#isPolling = true;
    while (this.#followers.size > 0 || this.#watcher !== undefined) {
      if (this.#followers.size === 0) this.#rest();
      await this.#poll().catch(this.#deps.onTrouble);
      await this.#pause();
    }
    this.#isPolling = false;
    this.#rest();
  }

  async #pause(): Promise<void> {
    const { pause } = this.#deps;
    if (this.#followers.size > 0) return pause(POLL_INTERVAL_MS);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    await Promise.race([pause(WATCH_INTERVAL_MS), promise]);
  }

  /** The next poll skips the changes until then, which have no follower. */
  #rest(): void {
    this.#last = undefined;
    this.#recent = [];
  }

  async #poll(): Promise<void> {
    const newest = await this.#deps.feed.lastVersion();
    if (this.#last === undefined) {
      await this.#checkSeen();
      await this.#skipTo(newest);
      // A new follower may have read before this.
      this.#notify();
    }
    const last = () => this.#last ?? newest;
    const isCheckDue = newest === last() && ++this.#pollsSinceCheck >= POLLS_UNTIL_CHECK;
    if (newest < last() || isCheckDue) await this.#checkSeen();
    if (newest < last()) await this.#skipTo(newest);
    while (last() < newest) await this.#readNext(last(), newest);
  }

  /** Continues at this version or later without sending the changes before it, and remembers the last of them. */
  async #skipTo(newest: bigint): Promise<void> {
    const { feed } = this.#deps;
    const from = newest - BigInt(MAX_EVENTS);
    const seen = () => this.#seen.lastVersion;
    if (newest > seen()) this.#seen.add(await feed.list(from > seen() ? from : seen(), MAX_EVENTS));
    // Long changes are not read together.
    if (newest > seen()) this.#seen.add(await feed.list(newest - 1n, 1));
    this.#last = newest > seen() ? newest : seen();
  }

  async #readNext(after: bigint, newest: bigint): Promise<void> {
    const events = await this.#listContinued(after);
    if (events === undefined) return this.#lose();
    const end = events.at(-1)?.version ?? newest;
    this.#seen.add(events);
    this.#recent.push({ after, last: end, events });
    if (this.#recent.length > MAX_RECENT_BATCHES) this.#recent.shift();
    this.#last = end;
    this.#pollsSinceCheck = 0;
    this.#notify();
  }

  /** The next changes, read together with the one before them; undefined if that is lost. */
  async #listContinued(after: bigint): Promise<ChangeBatch | undefined> {
    const { feed } = this.#deps;
    const seen = this.#seen.lastVersion;
    const read = await feed.list(seen === 0n ? after : seen - 1n, MAX_EVENTS + 1);
    if (!this.#seen.isContinuedBy(read)) return undefined;
    const events = read.filter(({ version }) => version > after);
    // A long change may be read alone.
    return upToMaxCharacters(events.length > 0 ? events : await feed.list(after, MAX_EVENTS));
  }

  async #checkSeen(): Promise<void> {
    this.#pollsSinceCheck = 0;
    if (!(await this.#seen.isLastKept())) await this.#lose();
  }

  /** Continues after the last change that is kept. */
  async #lose(): Promise<void> {
    const lost = await this.#seen.forgetLost();
    this.#losses = [...this.#losses, lost].slice(-MAX_LOSSES);
    this.#recent = [];
    this.#pendingReads.clear();
    if (this.#last !== undefined) this.#last = lost.kept;
    this.#watcher?.(lost);
    for (const { onLost } of this.#followers) onLost(lost);
  }

  #notify(): void {
    for (const { onChanges } of this.#followers) onChanges();
  }

  #findRecent(after: bigint): ChangeBatch | undefined {
    const batch = this.#recent.find((candidate) => after >= candidate.after && after < candidate.last);
    return batch?.after === after ? batch.events : batch?.events.filter(({ version }) => version > after);
  }

  /** Sequential, so that many followers that reconnect together do not overload the database. */
  #readFarBack(after: bigint): Promise<ChangeBatch> {
    const pending = this.#pendingReads.get(after);
    if (pending !== undefined) return pending;
    const read = this.#lastRead.then(async () => upToMaxCharacters(await this.#deps.feed.list(after, MAX_EVENTS)));
    this.#pendingReads.set(after, read);
    this.#lastRead = read.catch(() => {}).finally(() => this.#pendingReads.delete(after));
    return read;
  }
}

/** The leading events within the maximum length, at least one. */
function upToMaxCharacters(events: ChangeBatch): ChangeBatch {
  let characters = 0;
  const end = events.findIndex((event) => (characters += lengthOf(event)) > MAX_CHARACTERS);
  return end === -1 ? events : events.slice(0, Math.max(1, end));
}

function lengthOf(event: ChangeEvent): number {
  if (event.kind === 'account') return event.username.length;
  return (event.text?.length ?? 0) + (event.profile?.length ?? 0);
}
