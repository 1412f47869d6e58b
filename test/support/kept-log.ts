import { setTimeout as delay } from 'node:timers/promises';
import { pino, type Logger } from 'pino';

const DEADLINE_MS = 30_000;

export interface LogLine {
  level: number;
  msg: string;
  err?: { message: string };
}

export interface KeptLog {
  log: Logger;
  lines: LogLine[];
  /** Waits for a line, and returns all that match. */
  find: (pattern: RegExp) => Promise<readonly LogLine[]>;
}

/** A log that keeps its lines. */
export function keepLog(): KeptLog {
  const lines: LogLine[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as LogLine) });
  return {
    log,
    lines,
    async find(pattern) {
      const found = () => lines.filter(({ msg }) => pattern.test(msg));
      await until(`a line of the log with ${pattern.source}`, () => found().length > 0);
      return found();
    },
  };
}

/** Polls for a condition that has no event. */
export async function until(condition: string, holds: () => Promise<boolean> | boolean): Promise<void> {
  const endMs = Date.now() + DEADLINE_MS;
  while (!(await holds())) {
    if (Date.now() > endMs) throw new Error(`${condition}: not in ${DEADLINE_MS} ms`);
    await delay(20);
  }
}
