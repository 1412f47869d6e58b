import { readdirSync } from 'node:fs';
import { availableParallelism, setPriority } from 'node:os';

/** As for nice(1): about a tenth of a busy core, or all of an idle one. */
export const BACKGROUND_NICENESS = 10;

/** Threads that photos and hashes leave free for reading and writing files. */
const THREADS_FOR_FILES = 2;

/**
 * Maximum number of photos that are processed concurrently, and of passwords: one per core, if the pool has enough
 * threads.
 */
export function backgroundConcurrency(threadPoolSize: number): number {
  const most = Math.floor((threadPoolSize - THREADS_FOR_FILES) / 2);
  return Math.max(1, Math.min(availableParallelism(), most));
}

/**
 * Gives all threads of this process a lower priority than the service, and those that they create later. Does nothing
 * for 0.
 */
export function lowerOwnPriority(niceness: number): void {
  if (niceness === 0) return;
  try {
    // On Linux, the priority of a process is that of its main thread only: not of garbage collection, compression and
    // files.
    const threads = process.platform === 'linux' ? readdirSync('/proc/self/task') : ['0'];
    for (const thread of threads) setPriority(Number(thread), niceness);
  } catch {
    // A sandbox may forbid it. All threads then have the same priority.
  }
}
