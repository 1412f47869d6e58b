import { setTimeout as delay } from 'node:timers/promises';
import {
  DiagLogLevel,
  diag,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Span,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { ActiveSpan, TraceParent, Tracing } from '../../domain/tracing.ts';

export interface TracingSettings {
  /** Fraction of the traces that begin here. For others, the client decides. */
  ratio: number;
}

/** The exporter retries for longer. */
const MAX_STOP_MS = 2000;

const FIRST_SERVER_ERROR = 500;
const FIRST_ERROR = 400;

/**
 * Sends spans to an OpenTelemetry collector. Names and attributes follow the semantic conventions for HTTP
 * (https://opentelemetry.io/docs/specs/semconv/http/), but the URL is left out, because it may contain user names and
 * passwords. The exporter reads its endpoint, headers and timeout from the variables `OTEL_EXPORTER_OTLP_...`.
 */
export class OtlpTracing implements Tracing {
  readonly #provider: TracerProvider;
  readonly #tracer;
  readonly #onTrouble: (reason: string) => void;

  constructor({
    ratio,
    version,
    onTrouble,
  }: TracingSettings & { version: string; onTrouble: (reason: string) => void }) {
    this.#onTrouble = onTrouble;
    const report = (text: string) => onTrouble(messageIn(text));
    diag.setLogger(
      { error: report, warn: report, info: () => {}, debug: () => {}, verbose: () => {} },
      { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
    );
    const own = resourceFromAttributes({ 'service.name': 'menagerie', 'service.version': version });
    this.#provider = new TracerProvider({
      // The environment may set another name.
      resource: defaultResource()
        .merge(own)
        .merge(detectResources({ detectors: [envDetector] })),
      sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
      spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
    });
    this.#tracer = this.#provider.getTracer('menagerie', version);
  }

  startRequest({ method, route, operation, parent }: Parameters<Tracing['startRequest']>[0]): ActiveSpan {
    const span = this.#tracer.startSpan(
      route === undefined ? method : `${method} ${route}`,
      {
        kind: SpanKind.SERVER,
        attributes: {
          'http.request.method': method,
          ...(route !== undefined && { 'http.route': route }),
          'menagerie.operation': operation,
        },
      },
      parent === undefined ? ROOT_CONTEXT : contextOf(parent),
    );
    return activeSpan(span, FIRST_SERVER_ERROR);
  }

  startSent(name: string): ActiveSpan {
    const attributes = { 'http.request.method': 'POST' };
    return activeSpan(this.#tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, ROOT_CONTEXT), FIRST_ERROR);
  }

  async stop(): Promise<void> {
    const timeout = delay(MAX_STOP_MS, undefined, { ref: false }).then(() => {
      throw new Error('The collector did not respond.');
    });
    await Promise.race([this.#provider.shutdown(), timeout]).catch((error: unknown) => this.#onTrouble(String(error)));
  }
}

/** The SDK reports an error as JSON with its stack. */
function messageIn(text: string): string {
  return /"message":"((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ?? text;
}

function contextOf({ traceId, spanId, isSampled }: TraceParent) {
  const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

function activeSpan(span: Span, firstError: number): ActiveSpan {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return {
    ids: { traceId, spanId },
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
    end(status) {
      if (status !== undefined) span.setAttribute('http.response.status_code', status);
      if (status === undefined || status >= firstError) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}
