import { setTimeout as delay } from 'node:timers/promises';

/*
 * A file that leaves something open keeps its process from ending, and disturbs the files after it.
 */

/** The way to the runner and to the browser that all files share, and what Node opens for itself. */
const IGNORED = new Set([
  'PipeWrap',
  'TTYWrap',
  'FSReqCallback',
  'FSReqPromise',
  'FILEHANDLE',
  'CloseReq',
  'Immediate',
]);
const DEADLINE_MS = 30_000;
const POLL_MS = 20;

export type OpenHandles = ReadonlyMap<string, number>;

/** How many handles of each type keep this process from ending. */
export function countOpen(): OpenHandles {
  const counts = new Map<string, number>();
  for (const type of process.getActiveResourcesInfo())
    if (!IGNORED.has(type)) counts.set(type, (counts.get(type) ?? 0) + 1);
  return counts;
}

/** Waits until no more is open than before, but for some child processes. Returns what still is after 30 s. */
export async function untilClosed(before: OpenHandles, childProcesses: number): Promise<string | undefined> {
  const untilMs = performance.now() + DEADLINE_MS;
  for (;;) {
    const more = [...countOpen()]
      .map(([type, count]) => ({
        type,
        count: count - (before.get(type) ?? 0) - (type === 'ProcessWrap' ? childProcesses : 0),
      }))
      .filter(({ count }) => count > 0);
    if (more.length === 0) return undefined;
    if (performance.now() > untilMs) return more.map(({ type, count }) => `${count} ${type}`).join(', ');
    await delay(POLL_MS);
  }
}
