import { Failure, unusable, type PlainFailure } from '../../domain/failure.ts';
import { explainFailure } from '../log/explain-failure.ts';
import { checkForRestore, restoreStaged, type CheckEnd, type CheckJob, type RestoreJob } from './staged-restore.ts';

export type RestoreEnd = { report: CheckEnd | undefined } | { failure: PlainFailure };
export type RestoreMessage = RestoreEnd | { progress: { what: string; done: number; total: number } };

const PROGRESS_MS = 500;

process.once('message', (job: CheckJob | RestoreJob) => void run(job));
// The service ended.
process.once('disconnect', () => process.exit(1));

async function run(job: CheckJob | RestoreJob): Promise<void> {
  process.umask(0o077);
  const stop = new AbortController();
  process.once('SIGTERM', () => stop.abort());
  const end: RestoreEnd = await work(job, stop.signal).then(
    (report) => ({ report }),
    (error: unknown) => ({ failure: toFailure(error).toPlain() }),
  );
  process.send?.(end, () => process.exit(0));
}

async function work(job: CheckJob | RestoreJob, signal: AbortSignal): Promise<CheckEnd | undefined> {
  if (job.kind === 'check') return checkForRestore(job, signal);
  let reportedMs = -Infinity;
  await restoreStaged(job, {
    signal,
    onBegin() {},
    onProgress({ what, done, total }) {
      if (performance.now() - reportedMs < PROGRESS_MS) return;
      reportedMs = performance.now();
      process.send?.({ progress: { what, done, total } } satisfies RestoreMessage);
    },
  });
  return undefined;
}

/** Its message has no part of the identity. */
function toFailure(error: unknown): Failure {
  return error instanceof Failure ? error : unusable(error instanceof Error ? explainFailure(error) : String(error));
}
