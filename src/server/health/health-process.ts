import type { HealthProgress, HealthReport } from '../../domain/health/report.ts';
import type { StorePlaces } from '../configuration/config.ts';
import { explainFailure } from '../log/explain-failure.ts';
import { Doctor } from './doctor.ts';

/* The process of a check. Its database calls are synchronous, and would block the event loop of the service. */

export interface ToHealthProcess {
  places: StorePlaces;
  sendsMail: boolean;
}

export type FromHealthProcess = { progress: HealthProgress } | { report: HealthReport } | { error: string };

const PROGRESS_INTERVAL_MS = 200;

// The addresses are secret, so they are not arguments.
process.once('message', (message: ToHealthProcess) => void run(message));
// The service ended.
process.once('disconnect', () => process.exit(1));

async function run({ places, sendsMail }: ToHealthProcess): Promise<void> {
  process.umask(0o077);
  let sentMs = -Infinity;
  let check = '';
  const onProgress = (progress: HealthProgress) => {
    const nowMs = performance.now();
    if (progress.check === check && nowMs - sentMs < PROGRESS_INTERVAL_MS) return;
    [sentMs, check] = [nowMs, progress.check];
    process.send?.({ progress } satisfies FromHealthProcess);
  };
  const end: FromHealthProcess = await new Doctor(places, { isQuick: true, sendsMail, onProgress }).run().then(
    (report) => ({ report }),
    (error: unknown) => ({ error: explainFailure(error) }),
  );
  process.send?.(end, () => process.exit(0));
}
