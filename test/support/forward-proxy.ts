import { once } from 'node:events';
import { createServer, request as requestHttp, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Lifetime } from './lifetime.ts';

export interface ForwardProxy {
  url: string;
  /** The environment of a process that uses it. */
  environment: Readonly<Record<string, string>>;
  /** The hosts with ports to which it was asked to connect. */
  hosts: string[];
}

/** A proxy on loopback for http requests and tunnels. For tunnels, every host is this machine. */
export async function startForwardProxy(t: Lifetime): Promise<ForwardProxy> {
  const hosts: string[] = [];
  const server = createServer((incoming, response) => {
    const { host, hostname, port, pathname, search } = new URL(incoming.url ?? '');
    hosts.push(host);
    const { method, headers } = incoming;
    const forwarded = requestHttp({ hostname, port, path: pathname + search, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    forwarded.once('error', () => response.writeHead(502).end());
    incoming.pipe(forwarded);
  });
  server.on('connect', (incoming: IncomingMessage, socket: Duplex) => {
    hosts.push(incoming.url ?? '');
    const port = Number(incoming.url?.split(':').at(-1));
    const target = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(target).pipe(socket);
    });
    target.once('error', () => socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'));
    socket.once('error', () => target.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, environment: { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: url, HTTPS_PROXY: url }, hosts };
}
