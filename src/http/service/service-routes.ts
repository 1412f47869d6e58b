import type { FastifyInstance } from 'fastify';
import { jsonText } from '../../api/records/record-text.ts';
import { apiResponseText } from '../../api/records/response-texts.ts';
import { timeText } from '../../api/records/fields.ts';
import type { BackupHealth } from '../../domain/backups.ts';
import { Failure } from '../../domain/failure.ts';
import type { IndexState } from '../../domain/search/search-engine.ts';
import { DOCS_PATH } from '../documents/docs-page.ts';
import { sendApiResponse, sendJson, sendText } from '../pipeline/response.ts';

export interface ServiceState {
  version: string;
  /**
   * Resolves to false while the service should get no new requests, because it is stopping or its stores are
   * unavailable.
   */
  isReady: () => Promise<boolean>;
  /** Does not affect readiness: everything but search works without the index. */
  searchState: () => Promise<IndexState>;
  /** Undefined without a place for backups. Does not affect readiness either. */
  backupHealth: () => BackupHealth | undefined;
}

/** The health probes, and the greeting at the root of the API. */
export function addServiceRoutes(app: FastifyInstance, state: ServiceState): void {
  const { version, isReady, searchState, backupHealth } = state;
  app.get('/livez', (_request, reply) => sendApiResponse(reply.header('cache-control', 'no-store'), 'alive'));

  app.get('/readyz', async (_request, reply) => {
    reply.header('cache-control', 'no-store');
    if (!(await isReady())) throw new Failure('unavailable', 'Not ready.', { retryAfterSeconds: 1 });
    const [search, backup] = [await searchState(), readinessOf(backupHealth())];
    return sendJson(reply, jsonText({ code: 200, type: 'unknown', message: 'ready', search, backup }));
  });

  const greeting = greetingOf(version);
  app.get('/v2', (_request, reply) => sendJson(reply, greeting));
}

function readinessOf(health: BackupHealth | undefined) {
  if (health === undefined) return undefined;
  const { state, finishedAtMs } = health;
  return { state, ...(finishedAtMs !== undefined && { finishedAt: timeText(finishedAtMs) }) };
}

export function greetingOf(version: string): string {
  return apiResponseText(`Menagerie ${version}. Try /v2/pet/findByStatus?status=available, or read ${DOCS_PATH}`);
}

/** Returns the metrics of this node in the format that the Accept header asks for. */
export type ReadMetrics = (accept: string | undefined) => Promise<MetricsText>;

export interface MetricsText {
  mediaType: string;
  text: string;
}

export const METRICS_PATH = '/metrics';

/** Adds the page that Prometheus reads. */
export function addMetricsPage(app: FastifyInstance, readMetrics: ReadMetrics): void {
  const config = { identifiesActor: true, permission: 'read metrics', isPrivate: true } as const;
  app.get(METRICS_PATH, { config }, async (request, reply) => {
    const { mediaType, text } = await readMetrics(request.headers.accept);
    return sendText(reply, text, mediaType);
  });
}
