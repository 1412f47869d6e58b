/* Traces in the format of W3C Trace Context (https://www.w3.org/TR/trace-context-1/). */

export interface SpanIds {
  traceId: string;
  spanId: string;
}

/** A request that is being traced. */
export interface ActiveSpan {
  ids: SpanIds;
  /** The `traceparent` header for requests that belong to the span. */
  traceparent: string;
  /** @param status of the response; undefined if there was none */
  end(status: number | undefined): void;
}

export interface Tracing {
  /** @param route the template of the path, such as `/v2/pet/:petId` */
  startRequest(request: {
    method: string;
    route: string | undefined;
    operation: string;
    parent: TraceParent | undefined;
  }): ActiveSpan;
  /** A request to others begins a trace: the one that caused it has usually ended. @param name of the span */
  startSent(name: string): ActiveSpan;
  /** Sends pending spans. */
  stop(): Promise<void>;
}

export interface TraceParent extends SpanIds {
  isSampled: boolean;
}

const TRACEPARENT = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/** Reads a `traceparent` header; undefined if it is invalid. Later versions may have more fields (section 3.2.4). */
export function readTraceparent(header: string | readonly string[] | undefined): TraceParent | undefined {
  const [, version, traceId, spanId, flags, more] =
    (typeof header === 'string' ? TRACEPARENT.exec(header) : undefined) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  if (version === '00' && more !== undefined) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}
