import { describeBackups } from '../backup/backup-status.ts';
import { openBackupFiles, probeBackupFiles } from '../backup/backup-files.ts';
import { explainFailure } from '../log/explain-failure.ts';
import { labelOfFiles } from '../configuration/places.ts';
import type { HealthCheck, HealthContext } from './check.ts';

const HOUR_MS = 3_600_000;

/** Backups are made every day: one was missed, and the next one had the time to finish. */
const MAX_AGE_MS = 48 * HOUR_MS;

export const backupCheck: HealthCheck<HealthContext> = {
  name: 'backups',
  async find({ places: { backup }, clock }) {
    if (backup === undefined) return [];
    try {
      await probeBackupFiles(backup.to);
    } catch (error) {
      return [{ problem: 'backup-unwritable', count: 1, subjects: [], detail: explainFailure(error) }];
    }
    const files = await openBackupFiles(backup.to, false);
    try {
      const backups = files === undefined ? [] : await describeBackups(files);
      const newest = backups.find(({ state }) => state === 'finished');
      if (newest === undefined)
        return [{ problem: 'backup-missing', count: 1, subjects: [], detail: labelOfFiles(backup.to) }];
      const ageMs = clock() - newest.startedAtMs;
      if (ageMs <= MAX_AGE_MS) return [];
      const detail = `${Math.floor(ageMs / HOUR_MS)} h`;
      return [{ problem: 'backup-old', count: 1, subjects: [newest.name], detail }];
    } finally {
      files?.close();
    }
  },
};
