import type { FastifyInstance } from 'fastify';
import { sendText } from '../pipeline/response.ts';

/** Returns the metrics of all processes of this node in the format that the Accept header asks for. */
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
