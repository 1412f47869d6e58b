import { readFileSync } from 'node:fs';

/*
 * `npm start` and `npx menagerie` run this process as a child of npm, or of a shell that npm has started. npm passes
 * SIGTERM to its child only, and does not pass on SIGHUP. Without this check, npm and the shell would end, and this
 * process would continue.
 */

const CHECK_MS = 250;

const SHELLS = new Set(['sh', 'dash', 'ash', 'bash']);

/** Sends this process SIGTERM when the npm that runs it has ended. */
export function endWithNpm(): void {
  const parent = process.ppid;
  const grandparent = parentOfShell(parent);
  const timer = setInterval(() => {
    if (process.ppid === parent && parentOfShell(parent) === grandparent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, CHECK_MS);
  timer.unref();
}

/** On Linux, the parent of a shell. Elsewhere, the usual shells leave no process between npm and this one. */
function parentOfShell(pid: number): number | undefined {
  try {
    const [, name = '', parent] = /^\d+ \((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'latin1')) ?? [];
    return SHELLS.has(name) ? Number(parent) : undefined;
  } catch {
    return undefined;
  }
}
