import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ListenAddress } from '../configuration/setting-values.ts';
import type { Logger } from '../log/log.ts';
import { listenOn } from './listen-on.ts';

const { createServer } = process.getBuiltinModule('node:http');

/** The path of a challenge (RFC 8555, section 8.3). A token has the letters of base64url. */
const CHALLENGE = /^\/\.well-known\/acme-challenge\/([\w-]{16,128})$/;

const TIMEOUT_MS = 10_000;
const MAX_CONNECTIONS = 1000;

interface PlainListenerDeps {
  address: ListenAddress;
  findAnswer: (token: string) => Promise<string | undefined>;
  /** The URL of the service, to which requests are redirected. */
  publicUrl: string;
  /** Whether there is a certificate. Before that, a redirect would lead nowhere. */
  isReady: () => boolean;
  log: Logger;
}

export interface PlainListener {
  server: Server;
  port: number;
  close(): Promise<void>;
}

/**
 * Answers challenges of the certificate authority, and redirects all else to HTTPS.
 *
 * @throws Failure `unavailable` if the address cannot be used
 */
export async function listenForChallenges(deps: PlainListenerDeps): Promise<PlainListener> {
  const server = createServer(
    { headersTimeout: TIMEOUT_MS, requestTimeout: TIMEOUT_MS, keepAliveTimeout: 1, maxHeaderSize: 8192 },
    (request, response) => {
      const token = CHALLENGE.exec(request.url ?? '')?.[1];
      if (token === undefined) redirect(request, response, deps);
      else void answer(token, response, deps);
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  await listenOn(server, deps.address, 'http-listen');
  return {
    server,
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(token: string, response: ServerResponse, { findAnswer, log }: PlainListenerDeps): Promise<void> {
  try {
    const found = await findAnswer(token);
    send(response, found === undefined ? 404 : 200, found ?? 'No such challenge.\n');
  } catch (error) {
    log.warn({ err: error }, 'reading a challenge for the certificate failed');
    send(response, 503, 'The database is unavailable.\n');
  }
}

/**
 * Only what a browser opens is redirected: a program that sends a password or a key unencrypted should fail, so that
 * its URL is corrected.
 */
function redirect(
  { method, url = '/' }: IncomingMessage,
  response: ServerResponse,
  { publicUrl, isReady }: PlainListenerDeps,
): void {
  if (!isReady()) {
    response.setHeader('retry-after', '60');
    send(response, 503, 'This site does not have its certificate for HTTPS yet. Try again in a minute.\n');
  } else if (method === 'GET' || method === 'HEAD') {
    const { origin } = new URL(publicUrl);
    response.setHeader('location', URL.canParse(url, origin) && url.startsWith('/') ? `${origin}${url}` : publicUrl);
    send(response, 308, '');
  } else send(response, 403, `Send requests to ${publicUrl}.\n`);
}

function send(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain', connection: 'close', 'cache-control': 'no-store' });
  response.end(text);
}
