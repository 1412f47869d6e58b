import type { FastifyInstance, FastifyRequest } from 'fastify';
import { readTraceparent, type SpanIds, type Tracing } from '../../domain/tracing.ts';
import { operationAt } from './http-activity.ts';

/** Records a span for each request. Must be added before other hooks. */
export function traceRequests(app: FastifyInstance, tracing: Tracing): void {
  app.addHook('onRequest', (request, { raw }, done) => {
    const { method, headers, routeOptions } = request;
    // The application that it is passed to records it.
    if (routeOptions.config.passOn !== undefined) return done();
    const span = tracing.startRequest({
      method,
      route: routeOptions.url,
      operation: operationAt(routeOptions.config.slot),
      parent: readTraceparent(headers['traceparent']),
    });
    request.spanIds = span.ids;
    // Also emitted if the client disconnects.
    raw.once('close', () => span.end(raw.writableEnded ? raw.statusCode : undefined));
    done();
  });
}

/** The fields that identify a request in the log. The route is a template, because a URL may contain a password. */
export function logFieldsOf(request: FastifyRequest) {
  // Without a span of its own, the request belongs to that of its client.
  const { traceId, spanId } = request.spanIds ?? readTraceparent(request.headers['traceparent']) ?? {};
  return {
    requestId: request.id,
    method: request.method,
    route: request.routeOptions.url,
    ...(traceId !== undefined && { trace_id: traceId, span_id: spanId }),
  };
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null if requests are not traced. */
    spanIds: SpanIds | null;
  }
}
