import type { ChangeEvent } from './change-event.ts';
import type { ChangeFeed } from './ports.ts';

/** Changes that were read together. Whoever is at the same place gets the very same batch, so that what is made of it can be kept with it. */
export type ChangeBatch = readonly ChangeEvent[];

export interface ChangeHubNeeds {
  feed: ChangeFeed;
  pause: (ms: number) => Promise<void>;
  /** Hears of what goes wrong while it looks for changes; it goes on looking. */
  onTrouble: (error: unknown) => void;
}

/** How often it is asked whether there is something new, while anybody wants to know. */
const LOOK_EVERY_MS = 100;

const MAX_EVENTS = 100;
/** A batch of large pets has fewer of them: whoever reads slowly holds one batch. */
const MAX_CHARACTERS = 65_536;

/** So much of what came last is kept for those who are about to read it. */
const MAX_RECENT_BATCHES = 64;

const NOTHING: ChangeBatch = [];

export interface ChangeFollower {
  /** There may be something new. */
  onNews: () => void;
  /** The database was put back to an earlier state: where they stand, nothing is. */
  onPutBack: () => void;
}

export type ChangeHub = ReturnType<typeof createChangeHub>;

/**
 * Changes for many who follow them, each at its own pace. However many they are, the database is asked once whether there is something new, and once
 * for it; those who have fallen behind are read for one after the other.
 */
export function createChangeHub({ feed, pause, onTrouble }: ChangeHubNeeds) {
  const followers = new Set<ChangeFollower>();
  let recent: { after: bigint; last: bigint; events: ChangeBatch }[] = [];
  /** The last change that was seen; unknown while nobody follows. */
  let last: bigint | undefined;
  let isLooking = false;
  const reading = new Map<bigint, Promise<ChangeBatch>>();
  let lastRead: Promise<unknown> = Promise.resolve();

  function tellAll(): void {
    for (const { onNews } of followers) onNews();
  }

  async function look(): Promise<void> {
    const newest = await feed.lastVersion();
    if (last === undefined) {
      // Who began to follow a moment ago may have read before this.
      last = newest;
      tellAll();
    }
    if (newest < last) {
      last = newest;
      recent = [];
      for (const { onPutBack } of followers) onPutBack();
    }
    while (last < newest) {
      const events = upToMaxCharacters(await feed.list(last, MAX_EVENTS));
      const end: bigint = events.at(-1)?.version ?? newest;
      recent.push({ after: last, last: end, events });
      if (recent.length > MAX_RECENT_BATCHES) recent.shift();
      last = end;
      tellAll();
    }
  }

  async function keepLooking(): Promise<void> {
    isLooking = true;
    while (followers.size > 0) {
      await look().catch(onTrouble);
      await pause(LOOK_EVERY_MS);
    }
    isLooking = false;
    last = undefined;
    recent = [];
  }

  function findRecent(after: bigint): ChangeBatch | undefined {
    const batch = recent.find((candidate) => after >= candidate.after && after < candidate.last);
    return batch?.after === after ? batch.events : batch?.events.filter(({ version }) => version > after);
  }

  /** One after the other, so that those who come back all at once leave the database to others, too. */
  function readFarBack(after: bigint): Promise<ChangeBatch> {
    const underWay = reading.get(after);
    if (underWay !== undefined) return underWay;
    const read = lastRead.then(async () => upToMaxCharacters(await feed.list(after, MAX_EVENTS)));
    reading.set(after, read);
    lastRead = read.catch(() => {}).finally(() => reading.delete(after));
    return read;
  }

  return {
    /** The number of the last change there is at this moment. */
    lastVersion: () => feed.lastVersion(),

    /** Calls back until the function that this gives is called. */
    follow(follower: ChangeFollower): () => void {
      followers.add(follower);
      if (!isLooking) void keepLooking();
      return () => void followers.delete(follower);
    },

    /** The next changes after this one, for somebody who follows; none where there are none yet: then they are called back. */
    async read(after: bigint): Promise<ChangeBatch> {
      if (last !== undefined && after >= last) return NOTHING;
      return findRecent(after) ?? readFarBack(after);
    },
  };
}

/** The first of them, one at least. */
function upToMaxCharacters(events: ChangeBatch): ChangeBatch {
  let characters = 0;
  const end = events.findIndex((event) => (characters += lengthOf(event)) > MAX_CHARACTERS);
  return end === -1 ? events : events.slice(0, Math.max(1, end));
}

function lengthOf(event: ChangeEvent): number {
  return event.kind === 'pet' ? (event.text?.length ?? 0) : event.username.length;
}
