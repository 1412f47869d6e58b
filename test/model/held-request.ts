import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Answer } from './model.ts';

interface Begun {
  method: string;
  headers: Readonly<Record<string, string>>;
  /** JSON. */
  body: string;
}

/**
 * Sends the headers of a request, and waits until the service expects the body, or has refused it.
 *
 * @returns a function that sends the body, and returns the response
 */
export async function beginRequest(url: string, { method, headers, body }: Begun): Promise<() => Promise<Answer>> {
  const length = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const sent = request(url, { method, agent: false, headers: { ...headers, ...length, expect: '100-continue' } });
  // A refused request is closed before its body is read.
  sent.on('error', () => {});
  const responded = once(sent, 'response') as Promise<[IncomingMessage]>;
  sent.flushHeaders();
  await Promise.race([once(sent, 'continue'), responded]);
  return async () => {
    sent.end(body);
    const [response] = await responded;
    const etag = response.headers.etag ?? null;
    return { status: response.statusCode ?? 0, text: await text(response), etag };
  };
}
