import { pathMatcher } from './path-pattern.ts';

/* The requests of a playground with their responses, as clients saw them. Secrets are masked. */

/** Per playground; the oldest are dropped. */
export const MAX_RECORDED_REQUESTS = 1000;

/** Bytes of a body that are recorded. */
export const MAX_RECORDED_BODY_BYTES = 16 * 1024;

/** Replaces a secret. */
export const MASKED = '[masked]';

export interface RecordedHeader {
  name: string;
  value: string;
}

export interface RecordedMessage {
  headers: readonly RecordedHeader[];
  /** Undefined if there is none, or if it is no text. */
  body: string | undefined;
  bodyBytes: number;
  /** Whether the body is only the beginning. */
  isTruncated: boolean;
}

export interface RecordedRequest {
  /** Increases with each request of the playground. */
  id: number;
  /** Undefined for a path without an operation. */
  operation: string | undefined;
  method: string;
  /** With the query, below the URL of the playground: `/v2/pet/1`. */
  path: string;
  httpVersion: string;
  startedAtMs: number;
  durationMs: number;
  request: RecordedMessage;
  /** Undefined if the connection ended before it. */
  response: RecordedResponse | undefined;
}

export interface RecordedResponse extends RecordedMessage {
  status: number;
  statusText: string;
  /** False if the connection ended within the body. */
  isComplete: boolean;
}

/** Undefined fields match every request. */
export interface RequestFilter {
  operation: string | undefined;
  method: string | undefined;
  /** A status, or the first digit of several: 4 for 400 to 499. */
  status: number | undefined;
  /** A path with or without the query, below `/v2`; `*` stands for the rest of a segment. */
  path: string | undefined;
  /** A text in the body of the request or of the response. */
  bodyText: string | undefined;
  /** Only requests with a higher ID. */
  afterId: number | undefined;
}

const FIRST_STATUS = 100;

/** Returns whether a request matches. */
export function requestMatcher(filter: RequestFilter): (request: RecordedRequest) => boolean {
  const { bodyText } = filter;
  const isPath = filter.path === undefined ? () => true : pathMatcher(filter.path);
  return ({ id, operation, method, path, request, response }) =>
    (filter.operation === undefined || operation === filter.operation) &&
    (filter.method === undefined || method === filter.method) &&
    (filter.afterId === undefined || id > filter.afterId) &&
    (filter.status === undefined || hasStatus(response?.status, filter.status)) &&
    isPath(path) &&
    (bodyText === undefined || [request, response].some((message) => message?.body?.includes(bodyText) === true));
}

function hasStatus(status: number | undefined, wanted: number): boolean {
  if (status === undefined || wanted >= FIRST_STATUS) return status === wanted;
  return Math.floor(status / FIRST_STATUS) === wanted;
}
