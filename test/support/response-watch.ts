import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SeenResponse } from './response-check.ts';

/** Bytes of each body that are kept: of a list of a hundred thousand pets, only the beginning is checked. */
const KEPT_BYTES = 256 * 1024;

/** Reports each response under /v2 of the servers in this process, when it has ended. */
export function watchResponses(report: (response: SeenResponse) => void): void {
  subscribe('http.server.request.start', (message) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    if (request.url?.includes('/v2/') === true) watch(request, response, report);
  });
}

type Given = readonly unknown[];

function watch(
  { method = '', url: target = '' }: IncomingMessage,
  response: ServerResponse,
  report: (response: SeenResponse) => void,
): void {
  let headers: Readonly<Record<string, unknown>> = {};
  const chunks: Buffer[] = [];
  let kept = 0;
  let isCut = false;

  function keep([chunk, encoding]: Given): void {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return;
    if (kept >= KEPT_BYTES) {
      isCut = true;
      return;
    }
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, encodingOf(encoding)) : Buffer.from(chunk);
    chunks.push(bytes);
    kept += bytes.byteLength;
  }

  const writeHead = response.writeHead.bind(response) as (...given: Given) => ServerResponse;
  const write = response.write.bind(response) as (...given: Given) => boolean;
  const end = response.end.bind(response) as (...given: Given) => ServerResponse;
  response.writeHead = (...given: Given) => {
    const own = given.find((value) => typeof value === 'object' && value !== null) ?? {};
    headers = Object.fromEntries(Object.entries(own).map(([name, value]) => [name.toLowerCase(), value as unknown]));
    return writeHead(...given);
  };
  response.write = (...given: Given) => {
    keep(given);
    return write(...given);
  };
  response.end = (...given: Given) => {
    keep(given);
    return end(...given);
  };
  // The beginning of an interrupted response, such as any event stream, must be correct as well.
  response.once('close', () => {
    if (!response.headersSent) return;
    report({
      method,
      target,
      status: response.statusCode,
      headers: { ...response.getHeaders(), ...headers },
      body: method === 'HEAD' ? undefined : Buffer.concat(chunks).toString('utf8'),
      isCut: isCut || !response.writableFinished,
    });
  });
}

function encodingOf(given: unknown): BufferEncoding {
  return typeof given === 'string' ? (given as BufferEncoding) : 'utf8';
}
