import { Agent, request } from 'node:http';
import type { HttpResponse } from './client.ts';

/* Connections of one client; `fetch` would share them among all. */

export interface ConnectionOptions {
  /** Number of connections; further requests wait. */
  connections?: number;
  /** Local address. On Linux, all of 127.0.0.0/8 is this machine. */
  localAddress?: string;
  /** Longer than for a single request, because hundreds may wait in line. */
  patienceMs?: number;
}

export interface SentRequest {
  headers?: Readonly<Record<string, string>>;
  json?: unknown;
}

export interface Connection {
  call: (method: string, path: string, sent?: SentRequest) => Promise<HttpResponse>;
  close: () => void;
}

/** Reuses its connections. */
export function openConnection(base: string, options: ConnectionOptions = {}): Connection {
  const { connections = 1, localAddress, patienceMs = 60_000 } = options;
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  return {
    close: () => agent.destroy(),
    call: (method, path, { headers = {}, json } = {}) =>
      new Promise((resolve, reject) => {
        const sent = request(
          `${base}/${path}`,
          {
            method,
            agent,
            timeout: patienceMs,
            headers: { ...(json !== undefined && { 'content-type': 'application/json' }), ...headers },
            ...(localAddress !== undefined && { localAddress }),
          },
          (response) => {
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
          },
        );
        sent.on('timeout', () => sent.destroy(new Error(`${method} ${path}: no response`)));
        sent.on('error', reject);
        sent.end(json === undefined ? undefined : JSON.stringify(json));
      }),
  };
}
