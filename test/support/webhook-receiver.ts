import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Lifetime } from './lifetime.ts';

/* A receiver of webhooks. */

export interface ReceivedCall {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface Receiver {
  origin: string;
  calls: ReceivedCall[];
  /** The status of its responses, or a function that responds. */
  respond: (response: number | ((call: ReceivedCall, response: ServerResponse) => void)) => void;
}

export async function startReceiver(t: Lifetime): Promise<Receiver> {
  const calls: ReceivedCall[] = [];
  let responding: number | ((call: ReceivedCall, response: ServerResponse) => void) = 200;
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      const call = { path: request.url ?? '', headers: request.headers, body };
      calls.push(call);
      if (typeof responding === 'number') response.writeHead(responding).end();
      else responding(call, response);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(async () => {
    server.closeAllConnections();
    server.close();
  });
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    respond: (response) => {
      responding = response;
    },
  };
}
