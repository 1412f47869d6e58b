import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, setPriority } from 'node:os';

/** As libuv names the threads of its pool. */
const POOL_THREAD = 'libuv-worker';

/** In the terms of nice(1): some hundredths of a core that what has 0 wants as well, and all of one that nothing else wants. */
const BACKGROUND_NICENESS = 19;

/** Threads of the pool that neither pictures nor hashes may take, so that files are still read and written. */
const THREADS_FOR_FILES = 2;

/** How many pictures may be worked on at once, and how many passwords: as many as there are cores, if the pool has the threads. */
export function backgroundConcurrency(threadPoolSize: number): number {
  const most = Math.floor((threadPoolSize - THREADS_FOR_FILES) / 2);
  return Math.max(1, Math.min(availableParallelism(), most));
}

/**
 * Lets requests go first: pictures and hashes, which take all that they can get, run in threads with a lower priority than the event loop and the
 * writer. On Linux, where a thread has a priority of its own; elsewhere nothing is done. To be called when the pool has done something: only then
 * are there any threads.
 */
export function lowerBackgroundPriority(): void {
  if (process.platform !== 'linux') return;
  try {
    for (const thread of readdirSync('/proc/self/task'))
      if (readFileSync(`/proc/self/task/${thread}/comm`, 'utf8').trim() === POOL_THREAD)
        setPriority(Number(thread), BACKGROUND_NICENESS);
  } catch {
    // A sandbox may forbid it. Then all go at the same speed.
  }
}
