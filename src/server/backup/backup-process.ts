import type { FilesPlace, InstallationPlace } from '../configuration/places.ts';
import { explainFailure } from '../log/explain-failure.ts';
import { createBackup, type BackupReport } from './create-backup.ts';

/** What this process gets from the service. The addresses are secret, so they are not arguments. */
export interface BackupJob {
  from: InstallationPlace;
  to: FilesPlace;
  keep: number;
  recipients: readonly string[];
  name: string;
  isVerifying: boolean;
}

export type BackupEnd = { report: BackupReport } | { error: string };

process.once('message', (job: BackupJob) => void run(job));
// The service ended.
process.once('disconnect', () => process.exit(1));

async function run(job: BackupJob): Promise<void> {
  process.umask(0o077);
  const stop = new AbortController();
  process.once('SIGTERM', () => stop.abort());
  const watch = { signal: stop.signal, onProgress() {} };
  const end: BackupEnd = await createBackup({ ...job, watch }).then(
    (report) => ({ report }),
    (error: unknown) => ({ error: error instanceof Error ? explainFailure(error) : String(error) }),
  );
  process.send?.(end, () => process.exit(0));
}
