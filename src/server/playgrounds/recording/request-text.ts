import {
  MAX_RECORDED_BODY_BYTES,
  type RecordedHeader,
  type RecordedMessage,
  type RecordedRequest,
  type RecordedResponse,
} from '../../../domain/playgrounds/recorded-request.ts';
import { ENDPOINTS, type OperationId } from '../../../api/endpoints.ts';
import { operationAt } from '../../../http/pipeline/http-activity.ts';
import type { CapturedBody, CapturedRequest } from './capture.ts';
import { maskedBody, maskedHeader, maskedTarget } from './masking.ts';

/* The text of a captured request, with masked secrets. It is an array, which takes a third of the time. */

type Body = readonly [text: string | null, bytes: number];

type Kept = readonly [
  id: number,
  slot: number,
  method: string,
  path: string,
  httpVersion: string,
  startedAtMs: number,
  durationMs: number,
  rawHeaders: readonly string[],
  requestBody: Body | 0,
  status: number,
  head: string | 0,
  responseBody: Body,
  isComplete: 0 | 1,
];

const CONTENT_TYPE = '\r\nContent-Type: ';

const NO_BODY: Body = [null, 0];

/** Media types whose bodies are kept. */
const TEXT_TYPE = /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml|x-ndjson|x-www-form-urlencoded|problem))/i;

export function keptText(id: number, captured: CapturedRequest): string {
  const { slot, method, path, httpVersion, startedAtMs, rawHeaders, requestBody, status, head, isComplete } = captured;
  const kept: Kept = [
    id,
    slot,
    method,
    isPersonal(captured) ? withoutQuery(path) : maskedTarget(path),
    httpVersion,
    startedAtMs,
    Math.round(captured.durationMs * 1000) / 1000,
    rawHeaders.map((value, index) => (index % 2 === 0 ? value : maskedHeader(rawHeaders[index - 1] ?? '', value))),
    requestBody === undefined ? 0 : keptRequestBody(captured, requestBody),
    status,
    head === undefined ? 0 : maskedHead(captured, head),
    head === undefined ? NO_BODY : keptResponseBody(captured, head),
    isComplete ? 1 : 0,
  ];
  return JSON.stringify(kept);
}

export function recordedIn(text: string): RecordedRequest {
  const kept = JSON.parse(text) as Kept;
  const [id, slot, method, path, httpVersion, startedAtMs, durationMs, rawHeaders, requestBody] = kept;
  const operation = operationAt(slot);
  return {
    id,
    operation: operation in ENDPOINTS ? operation : undefined,
    method,
    path,
    httpVersion,
    startedAtMs,
    durationMs,
    request: messageOf(headersOf(rawHeaders), requestBody === 0 ? NO_BODY : requestBody),
    response: responseIn(kept),
  };
}

function responseIn([, , , , , , , , , status, head, body, isComplete]: Kept): RecordedResponse | undefined {
  if (head === 0) return undefined;
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = lines.flatMap((line) => {
    const at = line.indexOf(': ');
    return at === -1 ? [] : [{ name: line.slice(0, at), value: line.slice(at + 2) }];
  });
  const statusText = statusLine.split(' ').slice(2).join(' ');
  return { ...messageOf(headers, body), status, statusText, isComplete: isComplete === 1 };
}

function messageOf(headers: readonly RecordedHeader[], [text, bodyBytes]: Body): RecordedMessage {
  const isTruncated = text !== null && bodyBytes > MAX_RECORDED_BODY_BYTES;
  return { headers, body: text ?? undefined, bodyBytes, isTruncated };
}

function headersOf(raw: readonly string[]): RecordedHeader[] {
  return raw.flatMap((name, index) => (index % 2 === 0 ? [{ name, value: raw[index + 1] ?? '' }] : []));
}

function keptRequestBody(captured: CapturedRequest, body: CapturedBody): Body {
  const { rawHeaders } = captured;
  if (isPersonal(captured)) return [null, body.bytes];
  const at = rawHeaders.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'content-type');
  const type = at === -1 ? '' : (rawHeaders[at + 1] ?? '');
  // Without a type, it may be a form.
  if (type !== '' && !TEXT_TYPE.test(type)) return [null, body.bytes];
  return [maskedBody(body.text(), 'request'), body.bytes];
}

function keptResponseBody(captured: CapturedRequest, head: string): Body {
  const { slot, method, status, responseBody } = captured;
  // The application may write a body that is not sent (RFC 9110, section 6.4.1).
  if (method === 'HEAD' || status === 204 || status === 304 || responseBody.bytes === 0) return NO_BODY;
  if (isPersonal(captured) || !TEXT_TYPE.test(contentTypeIn(head))) return [null, responseBody.bytes];
  const text = responseBody.text();
  return [isPublicRead(slot) ? text : maskedBody(text, 'response'), responseBody.bytes];
}

/** A request with another method, or one that ends before it is handled, is no operation. */
const PERSONAL_PATHS = Object.values(ENDPOINTS).flatMap(({ isPersonal, path }) =>
  isPersonal ? [new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/?]*')}`)] : [],
);

/** Whether the request or its response has texts of visitors. */
function isPersonal({ path }: CapturedRequest): boolean {
  return PERSONAL_PATHS.some((personal) => personal.test(path));
}

function withoutQuery(path: string): string {
  return path.split('?', 1)[0] ?? '';
}

/** Anyone may read it: it cannot have secrets of a user. */
function isPublicRead(slot: number): boolean {
  const { method, isPrivate, changes } = ENDPOINTS[operationAt(slot) as OperationId] ?? {};
  return method === 'GET' && !isPrivate && !changes;
}

/** The names are in canonical case. */
const MASKED_HEADERS = /\r\n(Set-Cookie|Location|Link): ([^\r]*)/g;

function maskedHead(captured: CapturedRequest, head: string): string {
  if (!head.includes('\r\nSet-Cookie') && !head.includes('\r\nL')) return head;
  return head.replaceAll(MASKED_HEADERS, (_line, name: string, value: string) => {
    // The link to the next page repeats the query of the request.
    const masked = name === 'Link' && isPersonal(captured) ? value.replace(/\?[^>]*/, '') : maskedHeader(name, value);
    return `\r\n${name}: ${masked}`;
  });
}

function contentTypeIn(head: string): string {
  const at = head.indexOf(CONTENT_TYPE);
  return at === -1 ? '' : head.slice(at + CONTENT_TYPE.length, head.indexOf('\r', at + 2));
}
