import type { PlainFailure } from '../../domain/failure.ts';
import type { MetricsText } from '../../http/service/service-routes.ts';
import type { WriteResponse, WriteJob } from '../../storage/sqlite/engine/writer.ts';
import type { LoggedError } from '../../domain/system.ts';
import type { Records } from '../system/process-records.ts';
import type { Config } from '../configuration/config.ts';
import type { Family } from '../metrics/families.ts';
import type { SearchCall, SearchResponse } from '../search/search-messages.ts';

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
  | { kind: 'stop'; drainMs: number }
  | { kind: 'responses'; responses: readonly WriteResponse[] }
  | { kind: 'found'; response: SearchResponse }
  /** Asks for the metrics of the worker. */
  | { kind: 'measure' }
  | { kind: 'metrics'; id: number; metrics: MetricsText }
  /** The response to `read-records`. */
  | { kind: 'records'; records: Records };

export type FromWorker =
  | { kind: 'listening'; origin: string }
  | { kind: 'failed'; failure: PlainFailure }
  /** Sent every `HEARTBEAT_MS` while the event loop of the worker is not blocked. */
  | { kind: 'heartbeat' }
  /** Jobs of the same transaction. */
  | { kind: 'write'; jobs: readonly WriteJob[] }
  | { kind: 'search'; call: SearchCall }
  | { kind: 'measured'; families: readonly Family[] }
  /** Asks for the metrics of the node. */
  | { kind: 'metrics'; id: number; accept: string | undefined }
  | { kind: 'read-records' }
  | { kind: 'error'; error: LoggedError };
