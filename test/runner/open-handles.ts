import { setTimeout as delay } from 'node:timers/promises';

/* A file that leaves handles open keeps its process alive, and disturbs the files after it. */

/** Connections to the runner and to the shared browser, and handles of Node itself. */
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

/** Counts the handles that keep this process alive, by type. */
export function countOpen(): OpenHandles {
  const counts = new Map<string, number>();
  for (const type of process.getActiveResourcesInfo())
    if (!IGNORED.has(type)) counts.set(type, (counts.get(type) ?? 0) + 1);
  return counts;
}

/**
 * Waits until no more handles are open than before, apart from some child processes. Returns the ones still open after
 * 30 s.
 */
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
