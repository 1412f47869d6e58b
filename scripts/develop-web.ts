import { readFile } from 'node:fs/promises';
import { request, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createServer, type Plugin, type ViteDevServer } from 'vite';
import { HAS_PLAIN_PATH, LINK_OPTIONS, runThroughLink } from './plain-path.ts';
import { EARLY_SCRIPT } from '../src/http/web/policy.ts';

/*
 * Development server of the web application, with hot reload. It needs a running service: `npm start` in another
 * terminal. Its pages have no Content Security Policy.
 */

const ROOT = join(import.meta.dirname, '..');
const SERVICE = process.argv[2] ?? 'http://127.0.0.1:8080';
const BOOTSTRAP = /<script type="application\/json" id="bootstrap">.*?<\/script>/s;

if (!HAS_PLAIN_PATH) await runThroughLink(import.meta.filename);
// The process through the link ends with the first one.
process.on('disconnect', () => process.exit(1));

const server = await createServer({
  ...LINK_OPTIONS,
  configFile: join(ROOT, 'vite.config.ts'),
  // Pages are served below, with the status of the service.
  appType: 'custom',
  plugins: [pagesOfService()],
  server: { host: '127.0.0.1', proxy: { '/v2': SERVICE, '/docs': SERVICE, '/assets': SERVICE } },
});
await server.listen();
server.printUrls();

function pagesOfService(): Plugin {
  return {
    name: 'pages-of-the-service',
    configureServer: (vite) => () => {
      vite.middlewares.use((request, response) => {
        sendPage(vite, request, response).catch((error: unknown) => {
          response
            .writeHead(502, { 'content-type': 'text/plain' })
            .end(`The service at ${SERVICE} is unreachable: ${String(error)}`);
        });
      });
    },
  };
}

/** Sends the page of Vite with the bootstrap data of the service. */
async function sendPage(vite: ViteDevServer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = (request as { originalUrl?: string }).originalUrl ?? '/';
  const page = await getFromService(url, request);
  const template = await readFile(join(ROOT, 'src/web/index.html'), 'utf8');
  const html = await vite.transformIndexHtml(url, template);
  const [bootstrap = ''] = BOOTSTRAP.exec(await text(page)) ?? [];
  response.writeHead(page.statusCode ?? 500, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
  });
  response.end(
    html.replace('<!--head-->', () => `<script>${EARLY_SCRIPT}</script>`).replace('<!--bootstrap-->', () => bootstrap),
  );
}

/** Sends the Host of this server, from which the service makes the URLs of photos. */
function getFromService(path: string, { headers }: IncomingMessage): Promise<IncomingMessage> {
  const { host = '', cookie } = headers;
  const own = { host, accept: 'text/html', ...(cookie !== undefined && { cookie }) };
  return new Promise((resolve, reject) => {
    request(new URL(path, SERVICE), { headers: own }, resolve).on('error', reject).end();
  });
}
