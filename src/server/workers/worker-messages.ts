import type { PlainFailure } from '../../domain/failure.ts';
import type { WriteAnswer, WriteJob } from '../../storage/sqlite/engine/writer.ts';
import type { Config } from '../config.ts';
import type { SearchCall, SearchReply } from '../search/search-messages.ts';

/*
 * Messages between the processes of one service, as structured clones.
 */

export const HEARTBEAT_MS = 5000;

export type ToWorker =
  | { kind: 'start'; config: Config }
  /** The samples were added: the worker is ready. */
  | { kind: 'filled' }
  /** Sent on every change; readiness depends on it. */
  | { kind: 'health'; isHealthy: boolean }
  | { kind: 'stop' }
  | { kind: 'answers'; answers: readonly WriteAnswer[] }
  | { kind: 'found'; reply: SearchReply };

export type FromWorker =
  | { kind: 'listening'; origin: string }
  | { kind: 'failed'; failure: PlainFailure }
  /** Sent every `HEARTBEAT_MS` while the event loop of the worker is not blocked. */
  | { kind: 'heartbeat' }
  /** Jobs of the same transaction. */
  | { kind: 'write'; jobs: readonly WriteJob[] }
  | { kind: 'search'; call: SearchCall };
