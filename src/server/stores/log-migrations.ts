import type { MigrationEvent, OnMigration } from '../../storage/rows/migration-events.ts';
import type { Logger } from '../log/log.ts';

const PROGRESS_MS = 5000;

export function logMigrations(log: Logger): OnMigration {
  return sparingly((event) => {
    const { kind, ...details } = event;
    const fields =
      event.kind === 'progress' ? { ...details, done: String(event.done), total: String(event.total) } : details;
    log.info(fields, MESSAGES[kind]);
  }, PROGRESS_MS);
}

const MESSAGES: Readonly<Record<MigrationEvent['kind'], string>> = {
  copied: 'copied the database before its migration',
  'backed up': 'backed up the database before its migration',
  started: 'migrating the database',
  waiting: 'the migration waits for a long read of another program, such as a backup',
  progress: 'migration in progress',
  finished: 'migration finished',
};

/** Drops reports of progress that follow another report sooner than this. */
export function sparingly(take: OnMigration, everyMs: number): OnMigration {
  let lastMs = -Infinity;
  return (event) => {
    const nowMs = performance.now();
    if ((event.kind === 'progress' || event.kind === 'waiting') && nowMs - lastMs < everyMs) return;
    lastMs = nowMs;
    take(event);
  };
}
