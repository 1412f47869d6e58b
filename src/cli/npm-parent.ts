import { readFileSync } from 'node:fs';

/*
 * `npm start` and `npx menagerie` run this process below npm, often with a shell between them. npm passes SIGTERM to its child only, and SIGHUP to nobody: the
 * shell ends, npm ends, and this process would go on without anyone who knows of it.
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
