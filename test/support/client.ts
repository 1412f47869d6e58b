import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request, type IncomingMessage, type RequestOptions } from 'node:http';
import { assertLimited } from './rate-limit-fields.ts';

/* A plain client over real sockets, and assertions that hold for every response of the service. */

export interface CallOptions {
  headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent as form fields. */
  form?: Readonly<Record<string, string>>;
  /** Sent verbatim, without a Content-Type except the one in `headers`. */
  body?: Uint8Array<ArrayBuffer>;
}

export interface HttpResponse {
  status: number;
  headers: Headers;
  bytes: Buffer;
  text: string;
}

export type Call = (method: string, path: string, options?: CallOptions) => Promise<HttpResponse>;

/** No response of the service takes this long, even on a busy machine. */
const PATIENCE_MS = 60_000;

/** Faster than `fetch`, which took a tenth of the CPU time of the HTTP tests. */
const connections = new Agent({ keepAlive: true });

/** Calls a path below a base such as `http://127.0.0.1:43210/v2`; absolute URLs are called unchanged. */
export function clientOf(base: string, patienceMs = PATIENCE_MS): Call {
  return (method, path, { headers = {}, json, form, body } = {}) => {
    const url = /^https?:/.test(path) ? path : `${base}/${path}`;
    const given = { ...typeOf(json, form), ...headers };
    const text = json === undefined ? form && new URLSearchParams(form).toString() : JSON.stringify(json);
    return exchange(url, { method, headers: given, agent: connections, timeout: patienceMs }, text ?? body);
  };
}

/** The same with a Host header or without reused connections. */
export function callAs(
  base: string,
  method: string,
  path: string,
  { headers = {}, body }: { headers?: Readonly<Record<string, string>>; body?: string } = {},
): Promise<HttpResponse> {
  return exchange(`${base}/${path}`, { method, headers, agent: false, timeout: PATIENCE_MS }, body);
}

function typeOf(json: unknown, form: CallOptions['form']): Record<string, string> {
  if (json !== undefined) return { 'content-type': 'application/json' };
  return form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' };
}

type Sent = Required<Pick<RequestOptions, 'method' | 'agent' | 'timeout'>> & Required<Pick<CallOptions, 'headers'>>;

/** Sends a request, and reads the whole body; of an event stream, which has no end, the first chunk. */
async function exchange(url: string, options: Sent, body: string | Uint8Array | undefined): Promise<HttpResponse> {
  const headers = { 'user-agent': 'menagerie-tests', ...options.headers };
  const sent = request(url, { ...options, headers });
  sent.on('timeout', () => sent.destroy(new Error(`${options.method} ${url}: no response`)));
  // A connection that is reset after the headers fails both the request and the response.
  sent.on('error', () => {});
  // Node sends a body of DELETE without its length.
  if (body !== undefined && !sent.hasHeader('transfer-encoding'))
    sent.setHeader('content-length', Buffer.byteLength(body));
  sent.end(body);
  let response: IncomingMessage;
  try {
    [response] = (await once(sent, 'response')) as [IncomingMessage];
  } catch (error) {
    // The server closed the idle connection at the same moment.
    if (sent.reusedSocket && (error as NodeJS.ErrnoException).code === 'ECONNRESET')
      return exchange(url, options, body);
    throw error;
  }
  const chunks: Buffer[] = [];
  for await (const chunk of response) {
    chunks.push(chunk as Buffer);
    if (response.headers['content-type'] === 'text/event-stream') break;
  }
  const bytes = Buffer.concat(chunks);
  const received = new Headers();
  for (const [name, values = []] of Object.entries(response.headersDistinct))
    for (const value of values) received.append(name, value);
  return { status: response.statusCode ?? 0, headers: received, bytes, text: bytes.toString('utf8') };
}

/** The text of a success without a record. */
export function successText(message: string): string {
  return `{"code":200,"type":"unknown","message":${JSON.stringify(message)}}`;
}

/** The text of an error without a list of fields. */
export function errorText(message: string): string {
  return `{"code":1,"type":"error","message":${JSON.stringify(message)}}`;
}

/** A response with exactly this text, as JSON. */
export function assertResponse(response: HttpResponse, status: number, text: string): void {
  assert.equal(response.text, text);
  assert.equal(response.status, status);
  assert.equal(response.headers.get('content-type'), 'application/json');
  if (status === 429 && !isQueueFull(text)) assertLimited(response.headers);
}

export interface Refusal {
  code: number;
  type: string;
  message: string;
  errors?: readonly { path: string; message: string }[];
}

/** Asserts a deliberate error: this status, the shape of every error, and no internals of the service. */
export function assertRefused(response: HttpResponse, status: number, context = ''): Refusal {
  assert.equal(response.status, status, `${context} ${response.text}`);
  assert.equal(response.headers.get('content-type'), 'application/json', context);
  const refusal = JSON.parse(response.text) as Refusal;
  const { errors, ...rest } = refusal;
  assert.deepEqual(Object.keys(rest), ['code', 'type', 'message'], context);
  assert.equal(rest.code, 1, context);
  assert.equal(rest.type, 'error', context);
  assert.match(rest.message, /\S/, context);
  for (const error of errors ?? []) {
    assert.match(error.path, /^(?:\/|$)/, context);
    assert.match(error.message, /\S/, context);
  }
  if (status === 429 && !isQueueFull(rest.message)) assertLimited(response.headers);
  assertNothingLeaks(response, context);
  return refusal;
}

/** The queue of password hashes is shared by all clients, so its length is not shown. */
function isQueueFull(text: string): boolean {
  return text.includes('Too many logins at the moment.');
}

/** Must not occur in any response: stacks, modules, files, SQL, class names. */
export function assertNothingLeaks({ text, headers }: HttpResponse, context = ''): void {
  const all = `${text}\n${[...headers].join('\n')}`;
  const leak =
    /node:|\.[jt]s\b|node_modules|sqlite|\b\w*Error:|\bat \w+.*:\d+|[/\\](?:src|tmp|var|home|usr)[/\\]|fastify|FST_|HPE_|TypeBox/i;
  assert.doesNotMatch(all, leak, context);
}
