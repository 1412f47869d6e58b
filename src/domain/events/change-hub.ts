import type { ChangeEvent } from './change-event.ts';
import type { ChangeFeed } from './ports.ts';

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

const MAX_EVENTS = 100;
/** Limits the memory of slow readers, each of which holds one batch. */
const MAX_CHARACTERS = 65_536;

/** Number of recent batches that are cached for followers about to read them. */
const MAX_RECENT_BATCHES = 64;

const NO_CHANGES: ChangeBatch = [];

interface ChangeFollower {
  /** Called when there may be new changes. */
  onChanges: () => void;
  /** Called when the database was restored to an earlier state, so that positions of followers may be invalid. */
  onRollback: () => void;
}

/**
 * Distributes changes to any number of followers, each at its own pace. New changes are polled, and read once for all
 * followers. Batches for followers that have fallen behind are read sequentially.
 */
export class ChangeHub {
  readonly #deps: ChangeHubDeps;
  readonly #followers = new Set<ChangeFollower>();
  #recent: { after: bigint; last: bigint; events: ChangeBatch }[] = [];
  /** The version of the last polled change; undefined while there are no followers. */
  #last: bigint | undefined;
  #isPolling = false;
  readonly #pendingReads = new Map<bigint, Promise<ChangeBatch>>();
  #lastRead: Promise<unknown> = Promise.resolve();

  constructor(deps: ChangeHubDeps) {
    this.#deps = deps;
  }

  /** The version of the last change in the database. */
  lastVersion(): Promise<bigint> {
    return this.#deps.feed.lastVersion();
  }

  /** @returns a function that ends the subscription */
  follow(follower: ChangeFollower): () => void {
    this.#followers.add(follower);
    if (!this.#isPolling) void this.#keepPolling();
    return () => void this.#followers.delete(follower);
  }

  /**
   * The next changes after this version. Empty if there are none yet; then `onChanges` is called later.
   * @throws Failure `unavailable`
   */
  async read(after: bigint): Promise<ChangeBatch> {
    if (this.#last !== undefined && after >= this.#last) return NO_CHANGES;
    return this.#findRecent(after) ?? this.#readFarBack(after);
  }

  async #keepPolling(): Promise<void> {
    const { pause, onTrouble } = this.#deps;
    this.#isPolling = true;
    while (this.#followers.size > 0) {
      await this.#poll().catch(onTrouble);
      await pause(POLL_INTERVAL_MS);
    }
    this.#isPolling = false;
    this.#last = undefined;
    this.#recent = [];
  }

  async #poll(): Promise<void> {
    const { feed } = this.#deps;
    const newest = await feed.lastVersion();
    if (this.#last === undefined) {
      // A new follower may have read before this.
      this.#last = newest;
      this.#notify();
    }
    if (newest < this.#last) {
      this.#last = newest;
      this.#recent = [];
      for (const { onRollback } of this.#followers) onRollback();
    }
    while (this.#last < newest) {
      const events = upToMaxCharacters(await feed.list(this.#last, MAX_EVENTS));
      const end: bigint = events.at(-1)?.version ?? newest;
      this.#recent.push({ after: this.#last, last: end, events });
      if (this.#recent.length > MAX_RECENT_BATCHES) this.#recent.shift();
      this.#last = end;
      this.#notify();
    }
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
