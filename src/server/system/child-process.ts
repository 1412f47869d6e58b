import { fork, type ChildProcess } from 'node:child_process';
import { getSystemErrorMessage } from 'node:util';

/** Starts a process of the service, and sends it its job. One that cannot be started emits `error`, then `close`. */
export function startProcess(entry: string, niceness: number, job: object): ChildProcess {
  const child = fork(entry, [String(niceness)], {
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    execArgv: [],
  });
  // Without processes or file descriptors left, it has no channel.
  if (child.pid !== undefined) child.send(job);
  return child;
}

/** The error of the system has the path of the program. */
export function explainNotStarted({ errno, message }: NodeJS.ErrnoException): string {
  return `A process could not be started: ${errno === undefined ? message : getSystemErrorMessage(errno)}.`;
}
