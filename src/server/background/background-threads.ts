import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, setPriority } from 'node:os';

/** Thread name in libuv. */
const POOL_THREAD = 'libuv-worker';

const OWN_PROCESS = '0';

/** As for nice(1): a few hundredths of a busy core, or all of an idle one. */
const BACKGROUND_NICENESS = 19;

/** Threads that photos and hashes leave free for reading and writing files. */
const THREADS_FOR_FILES = 2;

/** Maximum number of photos that are processed concurrently, and of passwords: one per core, if the pool has enough threads. */
export function backgroundConcurrency(threadPoolSize: number): number {
  const most = Math.floor((threadPoolSize - THREADS_FOR_FILES) / 2);
  return Math.max(1, Math.min(availableParallelism(), most));
}

/**
 * Gives the threads that process photos and hashes a lower priority than the event loop and the writer. Only on Linux, where each thread has its own
 * priority. Call it after the first use of the pool, which creates the threads.
 */
export function lowerBackgroundPriority(): void {
  if (process.platform !== 'linux') return;
  lowerThreads((thread) => readFileSync(`/proc/self/task/${thread}/comm`, 'utf8').trim() === POOL_THREAD);
}

/** Gives a process that was just started a lower priority: its first thread, and those that this thread creates later. */
export function lowerChildPriority({ pid }: { pid?: number | undefined }): void {
  try {
    if (pid !== undefined) setPriority(pid, BACKGROUND_NICENESS);
  } catch {
    // As below, or it has ended.
  }
}

/** Gives all threads of this process a lower priority than the service: those that it had before its parent lowered it. */
export function lowerOwnPriority(): void {
  lowerThreads(() => true);
}

function lowerThreads(isBackground: (thread: string) => boolean): void {
  try {
    // On Linux, the priority of a process is that of its main thread only: not of garbage collection, compression and files.
    const threads = process.platform === 'linux' ? readdirSync('/proc/self/task') : [OWN_PROCESS];
    for (const thread of threads) if (isBackground(thread)) setPriority(Number(thread), BACKGROUND_NICENESS);
  } catch {
    // A sandbox may forbid it. All threads then have the same priority.
  }
}
