import { readFile } from 'node:fs/promises';
import { request, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createServer, type Plugin, type ViteDevServer } from 'vite';
import { EARLY_SCRIPT } from '../src/http/web/policy.ts';

/*
 * The web application as it is written, each change at once in the browser, in front of a service that runs: `npm start` in another terminal. What
 * keeps others out of a page (its policy) is the service's; here is none.
 */

const ROOT = join(import.meta.dirname, '..');
const SERVICE = process.argv[2] ?? 'http://127.0.0.1:8080';
const BOOTSTRAP = /<script type="application\/json" id="bootstrap">.*?<\/script>/s;

const server = await createServer({
  configFile: join(ROOT, 'vite.config.ts'),
  // Pages are ours to answer, with the status that they have at the service.
  appType: 'custom',
  plugins: [pagesOfService()],
  server: { host: '127.0.0.1', proxy: { '/v2': SERVICE, '/docs': SERVICE } },
});
await server.listen();
server.printUrls();

function pagesOfService(): Plugin {
  return {
    name: 'pages-of-the-service',
    configureServer: (vite) => () => {
      vite.middlewares.use((asked, answer) => {
        sendPage(vite, asked, answer).catch((error: unknown) => {
          answer
            .writeHead(502, { 'content-type': 'text/plain' })
            .end(`There is no service at ${SERVICE}: ${String(error)}`);
        });
      });
    },
  };
}

/** The page is Vite's; what it knows from the start is what the service says, to whoever asks. */
async function sendPage(vite: ViteDevServer, asked: IncomingMessage, answer: ServerResponse): Promise<void> {
  const url = (asked as { originalUrl?: string }).originalUrl ?? '/';
  const page = await askService(url, asked);
  const template = await readFile(join(ROOT, 'src/web/index.html'), 'utf8');
  const html = await vite.transformIndexHtml(url, template);
  const [bootstrap = ''] = BOOTSTRAP.exec(await text(page)) ?? [];
  answer.writeHead(page.statusCode ?? 500, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
  answer.end(
    html.replace('<!--head-->', () => `<script>${EARLY_SCRIPT}</script>`).replace('<!--bootstrap-->', () => bootstrap),
  );
}

/** By the name under which the browser knows this server: pictures have their addresses by it. */
function askService(path: string, { headers }: IncomingMessage): Promise<IncomingMessage> {
  const { host = '', cookie } = headers;
  const own = { host, accept: 'text/html', ...(cookie !== undefined && { cookie }) };
  return new Promise((resolve, reject) => {
    request(new URL(path, SERVICE), { headers: own }, resolve).on('error', reject).end();
  });
}
