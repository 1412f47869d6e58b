import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Lifetime } from '../support/lifetime.ts';

export interface S3Proxy {
  endpoint: string;
  connections: () => number;
  /** Drops everything from the server silently. */
  stall: () => void;
  /** Closes all connections. */
  disconnect: () => void;
  mend: () => void;
}

/** A proxy to the server that a test controls. */
export async function openProxy(t: Lifetime, endpoint: string): Promise<S3Proxy> {
  const open = new Set<Socket>();
  let isSilent = false;
  const { port, hostname } = new URL(endpoint);
  const listener = createServer((near) => {
    const far = connect(Number(port), hostname);
    open.add(near);
    near.pipe(far);
    far.on('data', (chunk: Buffer) => {
      if (isSilent || near.destroyed) return;
      if (!near.write(chunk)) far.pause();
    });
    near.on('drain', () => far.resume());
    far.on('end', () => near.end());
    near
      .on('error', () => {})
      .on('close', () => {
        open.delete(near);
        far.destroy();
      });
    far.on('error', () => near.destroy());
  });
  const ownPort = await listenAnywhere(listener);
  t.after(async () => {
    for (const socket of open) socket.destroy();
    listener.close();
  });
  return {
    endpoint: `http://127.0.0.1:${ownPort}`,
    connections: () => open.size,
    stall: () => (isSilent = true),
    disconnect: () => {
      for (const socket of open) socket.destroy();
    },
    mend: () => (isSilent = false),
  };
}

export interface FakeServer {
  endpoint: string;
  /** The response to every request; at first, an existing and empty bucket. */
  response: string;
  /** The responses to the next requests, before that one. */
  first: string[];
}

export async function respondInstead(t: Lifetime, bucket: string): Promise<FakeServer> {
  const listener = createServer((socket) => {
    socket.on('error', () => {}).once('data', () => socket.end(fake.first.shift() ?? fake.response));
  });
  t.after(async () => {
    listener.close();
  });
  const fake: FakeServer = {
    first: [],
    endpoint: `http://127.0.0.1:${await listenAnywhere(listener)}`,
    response: httpResponse('200 OK', `<ListBucketResult><Name>${bucket}</Name></ListBucketResult>`),
  };
  return fake;
}

export function httpResponse(status: string, body: string): string {
  return `HTTP/1.1 ${status}\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`;
}

async function listenAnywhere(listener: Server): Promise<number> {
  await once(listener.listen(0, '127.0.0.1'), 'listening');
  return (listener.address() as AddressInfo).port;
}
