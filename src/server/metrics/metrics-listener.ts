import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isLoopbackHost } from '../../http/pipeline/admission.ts';
import { METRICS_PATH, type ReadMetrics } from '../../http/service/service-routes.ts';
import { isLoopback } from '../configuration/config.ts';
import { explainListenError } from '../log/explain-failure.ts';
import type { Logger } from '../log/log.ts';
import type { ListenAddress } from '../configuration/setting-values.ts';

const { createServer } = process.getBuiltinModule('node:http');

export interface MetricsListener {
  origin: string;
  stop(): Promise<void>;
}

/** Serves nothing but the metrics, without credentials. @throws Failure `unavailable` if the address cannot be used */
export async function listenForMetrics(
  { host, port }: ListenAddress,
  readMetrics: ReadMetrics,
  log: Logger,
): Promise<MetricsListener> {
  const refuse = refusalOf(isLoopback(host));
  const server = createServer((request, response) => {
    const refused = refuse(request);
    if (refused !== undefined) response.writeHead(refused, refused === 405 ? { allow: 'GET, HEAD' } : {}).end();
    else void respond(request, response);
  });
  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const { mediaType, text } = await readMetrics(request.headers.accept);
      response.writeHead(200, { 'content-type': mediaType }).end(text);
    } catch (error) {
      log.error({ err: error }, 'reading metrics failed');
      response.writeHead(500).end();
    }
  }
  await listen(server, host, port);
  const { port: usedPort } = server.address() as AddressInfo;
  const origin = `http://${host.includes(':') ? `[${host}]` : host}:${usedPort}`;
  log.info({ url: `${origin}${METRICS_PATH}` }, 'metrics');
  return {
    origin,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/**
 * On the loopback address, other hosts are refused: a web page can make its own host name resolve to it (DNS
 * rebinding).
 */
function refusalOf(onlyLoopback: boolean): (request: IncomingMessage) => number | undefined {
  return ({ method = '', url = '', headers }) => {
    if (onlyLoopback && !isLoopbackHost({ headers })) return 403;
    if (url.split('?', 1)[0] !== METRICS_PATH) return 404;
    return method === 'GET' || method === 'HEAD' ? undefined : 405;
  };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(explainListenError(error, { host, port }, 'metrics-listen')));
    server.listen(port, host, resolve);
  });
}
