import type { PlainFailure } from '../../domain/failure.ts';
import type { WriteAnswer, WriteJob } from '../../storage/sqlite/engine/writer.ts';
import type { Config } from '../config.ts';

/*
 * What the processes of one service tell each other, as structured clones.
 */

export const HEARTBEAT_MS = 5000;

export type ToWorker =
  | { kind: 'start'; config: Config }
  /** The samples are there: say that you are ready. */
  | { kind: 'filled' }
  /** Sent when it changes: readiness depends on it. */
  | { kind: 'health'; isHealthy: boolean }
  | { kind: 'stop' }
  | { kind: 'answers'; answers: readonly WriteAnswer[] };

export type FromWorker =
  | { kind: 'listening'; origin: string }
  | { kind: 'failed'; failure: PlainFailure }
  /** Sent every `HEARTBEAT_MS`, as long as the event loop of the worker runs. */
  | { kind: 'heartbeat' }
  /** The jobs of one transaction, or of a part of one. */
  | { kind: 'write'; jobs: readonly WriteJob[] };
