import type { ChangeEvent } from './change-event.ts';
import type { ChangeFeed } from './ports.ts';

/** Changes that were in the database and are not any more. Others may have got their versions since. */
export interface LostChanges {
  /** The last version that is certainly kept. */
  kept: bigint;
  /** The last version that was seen of those that are lost. */
  last: bigint;
}

/** Identifies a change: another one with the same version differs in it. */
interface SeenChange {
  version: bigint;
  kind: ChangeEvent['kind'];
  id: bigint;
  atMs: number;
}

/** With more, the older half is forgotten. */
const MAX_SEEN = 4096;

/**
 * The last changes that were read. A server that lacks some of them may have become the primary, or the database was
 * restored to an earlier state.
 */
export class SeenChanges {
  readonly #feed: Pick<ChangeFeed, 'list'>;
  /** In the order of their versions. */
  #seen: SeenChange[] = [];

  constructor(feed: Pick<ChangeFeed, 'list'>) {
    this.#feed = feed;
  }

  /** 0 if none was seen. */
  get lastVersion(): bigint {
    return this.#seen.at(-1)?.version ?? 0n;
  }

  add(events: readonly ChangeEvent[]): void {
    for (const { version, atMs, ...event } of events)
      this.#seen.push({ version, atMs, kind: event.kind, id: event.kind === 'pet' ? event.petId : event.accountId });
    if (this.#seen.length > MAX_SEEN) this.#seen = this.#seen.slice(-MAX_SEEN / 2);
  }

  /** Whether the first of these, which were read from its version on, is the last seen change. */
  isContinuedBy(events: readonly ChangeEvent[]): boolean {
    const last = this.#seen.at(-1);
    return last === undefined || isSame(last, events[0]);
  }

  /** Whether the database has the last seen change. */
  async isLastKept(): Promise<boolean> {
    return this.isContinuedBy(await this.#readFrom(this.#seen.at(-1)));
  }

  /** Finds the lost changes, and forgets them. Called if the last seen change is not in the database. */
  async forgetLost(): Promise<LostChanges> {
    const last = this.lastVersion;
    // If a change is kept, those before it are as well.
    let [keptCount, lostFrom] = [0, this.#seen.length];
    while (keptCount < lostFrom) {
      const middle = (keptCount + lostFrom) >> 1;
      const change = this.#seen[middle];
      if (change !== undefined && isSame(change, (await this.#readFrom(change))[0])) keptCount = middle + 1;
      else lostFrom = middle;
    }
    const firstLost = this.#seen[keptCount]?.version ?? 1n;
    this.#seen.length = keptCount;
    return { kept: this.#seen.at(-1)?.version ?? firstLost - 1n, last };
  }

  async #readFrom(change: SeenChange | undefined): Promise<readonly ChangeEvent[]> {
    return change === undefined ? [] : this.#feed.list(change.version - 1n, 1);
  }
}

function isSame({ version, kind, id, atMs }: SeenChange, event: ChangeEvent | undefined): boolean {
  if (event?.version !== version || event.kind !== kind || event.atMs !== atMs) return false;
  return id === (event.kind === 'pet' ? event.petId : event.accountId);
}
