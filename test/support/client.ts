import assert from 'node:assert/strict';
import { request } from 'node:http';

/* A plain client over real sockets, and assertions that hold for every answer of the service. */

export interface CallOptions {
  headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent as form fields. */
  form?: Readonly<Record<string, string>>;
  /** Sent verbatim, without a Content-Type except the one in `headers`. */
  body?: Uint8Array<ArrayBuffer>;
}

export interface Answer {
  status: number;
  headers: Headers;
  bytes: Buffer;
  text: string;
}

export type Call = (method: string, path: string, options?: CallOptions) => Promise<Answer>;

/** No answer of the service takes this long, even on a busy machine. */
const PATIENCE_MS = 60_000;

/** Calls a path below a base such as `http://127.0.0.1:43210/v2`; absolute URLs are called unchanged. */
export function clientOf(base: string, patienceMs = PATIENCE_MS): Call {
  return async (method, path, { headers = {}, json, form, body } = {}) => {
    const response = await fetch(/^https?:/.test(path) ? path : `${base}/${path}`, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(patienceMs),
      headers: { ...(json !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body }),
      ...(json !== undefined && { body: JSON.stringify(json) }),
      ...(form !== undefined && { body: new URLSearchParams(form) }),
    });
    const bytes = await bytesOf(response);
    return { status: response.status, headers: response.headers, bytes, text: bytes.toString('utf8') };
  };
}

/** The whole body; of an event stream, which has no end, the first chunk. */
async function bytesOf(response: Response): Promise<Buffer> {
  if (response.headers.get('content-type') !== 'text/event-stream' || response.body === null)
    return Buffer.from(await response.arrayBuffer());
  for await (const first of response.body) return Buffer.from(first);
  return Buffer.alloc(0);
}

/** The same with headers that `fetch` forbids, such as Host. Connections are not reused. */
export async function callAs(
  base: string,
  method: string,
  path: string,
  { headers = {}, body }: { headers?: Readonly<Record<string, string>>; body?: string } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(`${base}/${path}`, { method, headers, agent: false, timeout: PATIENCE_MS }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const bytes = Buffer.concat(chunks);
        const received = new Headers();
        for (const [name, values = []] of Object.entries(response.headersDistinct))
          for (const value of values) received.append(name, value);
        resolve({ status: response.statusCode ?? 0, headers: received, bytes, text: bytes.toString('utf8') });
      });
    });
    sent.on('timeout', () => sent.destroy(new Error(`${method} ${path}: no answer`)));
    sent.on('error', reject);
    sent.end(body);
  });
}

/** The text of a success without a record. */
export function successText(message: string): string {
  return `{"code":200,"type":"unknown","message":${JSON.stringify(message)}}`;
}

/** The text of an error without a list of fields. */
export function errorText(message: string): string {
  return `{"code":1,"type":"error","message":${JSON.stringify(message)}}`;
}

/** An answer with exactly this text, as JSON. */
export function assertAnswer(answer: Answer, status: number, text: string): void {
  assert.equal(answer.text, text);
  assert.equal(answer.status, status);
  assert.equal(answer.headers.get('content-type'), 'application/json');
}

export interface Refusal {
  code: number;
  type: string;
  message: string;
  errors?: readonly { path: string; message: string }[];
}

/** Asserts a deliberate error: this status, the shape of every error, and no internals of the service. */
export function assertRefused(answer: Answer, status: number, context = ''): Refusal {
  assert.equal(answer.status, status, `${context} ${answer.text}`);
  assert.equal(answer.headers.get('content-type'), 'application/json', context);
  const refusal = JSON.parse(answer.text) as Refusal;
  const { errors, ...rest } = refusal;
  assert.deepEqual(Object.keys(rest), ['code', 'type', 'message'], context);
  assert.equal(rest.code, 1, context);
  assert.equal(rest.type, 'error', context);
  assert.match(rest.message, /\S/, context);
  for (const error of errors ?? []) {
    assert.match(error.path, /^(?:\/|$)/, context);
    assert.match(error.message, /\S/, context);
  }
  assertNothingLeaks(answer, context);
  return refusal;
}

/** Must not occur in any answer: stacks, modules, files, SQL, class names. */
export function assertNothingLeaks({ text, headers }: Answer, context = ''): void {
  const all = `${text}\n${[...headers].join('\n')}`;
  const leak =
    /node:|\.[jt]s\b|node_modules|sqlite|\b\w*Error:|\bat \w+.*:\d+|[/\\](?:src|tmp|var|home|usr)[/\\]|fastify|FST_|HPE_|TypeBox/i;
  assert.doesNotMatch(all, leak, context);
}
