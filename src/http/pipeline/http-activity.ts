import type { IncomingMessage, ServerResponse } from 'node:http';
import { ENDPOINTS } from '../../api/endpoints.ts';
import { FEATURE_ROUTE_NAMES } from '../../features/names.ts';
import { Distribution } from '../../domain/activity.ts';

/** The operation of requests that are not in the endpoint table, such as pages, health probes and unknown paths. */
const OTHER = 'other';

const OPERATIONS = [OTHER, ...Object.keys(ENDPOINTS), ...FEATURE_ROUTE_NAMES];

const FIRST_STATUS = 100;
const STATUSES = 500;
const FIRST_ERROR = 500;

const STREAMS = OPERATIONS.indexOf('streamEvents');

interface OperationActivity {
  operation: string;
  statuses: readonly (readonly [status: number, count: number])[];
  /** From the end of the request headers to the end of the response, in seconds. */
  durations: Distribution;
}

interface ToolCalls {
  tool: string;
  outcome: string;
  count: number;
}

/**
 * The requests and event streams of this process. Each operation has its slot, so that counting a request allocates
 * nothing.
 */
export class HttpActivity {
  openStreams = 0;
  sentEvents = 0;
  /** The number of searches that wait for their turn. */
  waitingSearches = () => 0;
  readonly #toolCalls = new Map<string, ToolCalls>();
  readonly #counts = new Float64Array(OPERATIONS.length * STATUSES);
  readonly #durations = OPERATIONS.map(() => Distribution.ofDurations());

  count(slot: number, status: number, startMs: number): void {
    const index = slot * STATUSES + status - FIRST_STATUS;
    this.#counts[index] = (this.#counts[index] as number) + 1;
    this.#durations[slot]?.addSince(startMs);
  }

  /** @param outcome `ok`, the code of a failure, or `error` */
  countToolCall(tool: string, outcome: string): void {
    const key = `${tool} ${outcome}`;
    this.#toolCalls.set(key, { tool, outcome, count: (this.#toolCalls.get(key)?.count ?? 0) + 1 });
  }

  toolCalls(): readonly ToolCalls[] {
    return [...this.#toolCalls.values()];
  }

  totals(): RequestTotals {
    let [requests, errors] = [0, 0];
    for (const [index, count] of this.#counts.entries()) {
      requests += count;
      if ((index % STATUSES) + FIRST_STATUS >= FIRST_ERROR) errors += count;
    }
    const durations = new Float64Array(this.#durations[0]?.counts.length ?? 0);
    for (const [slot, { counts }] of this.#durations.entries())
      if (slot !== STREAMS)
        for (const [index, count] of counts.entries()) durations[index] = (durations[index] ?? 0) + count;
    return { requests, errors, durations };
  }

  /** The operations with at least one request. */
  requests(): readonly OperationActivity[] {
    return OPERATIONS.flatMap((operation, slot) => {
      const counts = [...this.#counts.subarray(slot * STATUSES, (slot + 1) * STATUSES)];
      const statuses = counts.flatMap((count, index) => (count > 0 ? [[index + FIRST_STATUS, count] as const] : []));
      return statuses.length === 0 ? [] : [{ operation, statuses, durations: this.#durations[slot] as Distribution }];
    });
  }
}

/** All requests of this process. */
export interface RequestTotals {
  requests: number;
  /** Those with a status from 500. */
  errors: number;
  /** The counts of all durations by bound, as in `Distribution`, without those of event streams, which last. */
  durations: Float64Array;
}

export function slotOf(operation: string): number {
  return OPERATIONS.indexOf(operation);
}

export function operationAt(slot = 0): string {
  return OPERATIONS[slot] ?? OTHER;
}

/** A response that is counted when it ends. */
export interface CountedResponse {
  /** The slot of the operation. */
  slot: number;
  /** The slot of the operation that a tool of agents runs. The request is counted as one of agents. */
  toolSlot?: number;
}

type Method = (...parameters: unknown[]) => unknown;

/**
 * Counts responses. This takes 2 % of the time of the smallest response, an `onResponse` hook of Fastify 7 %
 * (measured), and the hook does not run for streams whose client disconnects.
 */
export function countResponses(Base: typeof ServerResponse, activity: HttpActivity): typeof ServerResponse {
  const { end, write } = Base.prototype as unknown as { end: Method; write: Method };

  return class<Request extends IncomingMessage> extends Base<Request> implements CountedResponse {
    slot = 0;
    readonly #startMs = performance.now();
    #isStreaming = false;
    #isCounted = false;

    override write(...parameters: readonly unknown[]): boolean {
      if (!this.#isStreaming) {
        this.#isStreaming = true;
        // The client may disconnect before the end.
        this.once('close', () => this.#count());
      }
      return Reflect.apply(write, this, parameters) as boolean;
    }

    override end(...parameters: readonly unknown[]): this {
      this.#count();
      return Reflect.apply(end, this, parameters) as this;
    }

    #count(): void {
      if (this.#isCounted) return;
      this.#isCounted = true;
      activity.count(this.slot, this.statusCode, this.#startMs);
    }
  };
}
