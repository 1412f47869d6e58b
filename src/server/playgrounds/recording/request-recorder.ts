import { FEATURE_ROUTE_NAMES } from '../../../features/names.ts';
import { Failure } from '../../../domain/failure.ts';
import {
  requestMatcher,
  type RecordedRequest,
  type RequestFilter,
} from '../../../domain/playgrounds/recorded-request.ts';
import type { RawExchange } from '../../../http/pipeline/mount.ts';
import { capture } from './capture.ts';
import { RequestLog, type LogSpace } from './request-log.ts';
import { keptText, recordedIn } from './request-text.ts';

/** Per playground. A thousand small requests take about a tenth. */
const MAX_PACKED_BYTES = 1024 * 1024;
const MAX_TEXT_BYTES = 8 * 1024 * 1024;

/** Pages and their files are not recorded. */
const RECORDED_PATH = new RegExp(`^/(?:${['v2', ...FEATURE_ROUTE_NAMES].join('|')})(?:[/?]|$)`);

const OPERATIONS_PATH = '/v2';

/** The recorded requests of services, by their key. */
export class RequestRecorder {
  readonly #logs = new Map<string, RequestLog>();

  start(key: string, space?: LogSpace): void {
    this.#logs.set(key, new RequestLog({ packedBytes: MAX_PACKED_BYTES, textBytes: MAX_TEXT_BYTES, space }));
  }

  stop(key: string): void {
    this.#logs.delete(key);
  }

  record(key: string, exchange: RawExchange): void {
    const log = this.#logs.get(key);
    if (log === undefined || !RECORDED_PATH.test(exchange.request.url ?? '')) return;
    capture(exchange, (captured) => {
      // Of the messages of agents, only calls of tools: the others are about the protocol.
      if (captured.isToolCall || captured.path.startsWith(OPERATIONS_PATH)) log.add(keptText(log.nextId, captured));
    });
  }

  /** For a service that is idle. */
  sleep(key: string): void {
    this.#logs.get(key)?.sleep();
  }

  /** In batches, oldest first. @throws Failure `conflict` if the requests are not recorded */
  list(key: string, filter: RequestFilter): Iterable<readonly RecordedRequest[]> {
    const log = this.#require(key);
    return matchingIn(log, filter);
  }

  /** @throws Failure `conflict` if the requests are not recorded */
  clear(key: string): void {
    this.#require(key).clear();
  }

  #require(key: string): RequestLog {
    const log = this.#logs.get(key);
    if (log === undefined) throw new Failure('conflict', 'The requests of this playground are not recorded.');
    return log;
  }
}

function* matchingIn(log: RequestLog, filter: RequestFilter) {
  const matches = requestMatcher(filter);
  for (const lines of log.lines(filter.afterId)) yield lines.map(recordedIn).filter(matches);
}
