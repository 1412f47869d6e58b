import { createHash } from 'node:crypto';
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { ENDPOINTS } from '../../api/endpoints.ts';
import { nothing } from '../answer.ts';

/** Where people read the documents and try the interface. */
export const DOCS_PATH = '/docs';

/** Of Swagger UI, only these are served. */
const FILES = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui-standalone-preset.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
} as const;

type FileName = keyof typeof FILES;

const UI_FOLDER = new URL('.', import.meta.resolve('swagger-ui-dist/package.json'));

const { version: UI_VERSION } = JSON.parse(readFileSync(new URL('package.json', UI_FOLDER), 'utf8')) as {
  version: string;
};

/** The version is in the address: what is there never changes, and nothing of another version is mixed with it. */
const ASSETS = `${DOCS_PATH}/${UI_VERSION}`;

/** @param root from where the page is to where the service begins: behind another server, that may be anywhere below its root */
const scriptOf = (root: string) => `
  window.addEventListener('load', () => {
    SwaggerUIBundle({
      urls: [
        { url: '${root}${ENDPOINTS.getOpenApiDocument.path}', name: 'OpenAPI 3.1: everything' },
        { url: '${root}${ENDPOINTS.getSwaggerDocument.path}', name: 'Swagger 2.0: the operations of Petstore' },
      ],
      dom_id: '#swagger-ui',
      deepLinking: true,
      displayRequestDuration: true,
      tryItOutEnabled: true,
      // Others would be told what is tried here.
      validatorUrl: null,
      presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
      layout: 'StandaloneLayout',
    });
  });
`;

const STYLE = `
  body { margin: 0; }
  noscript { display: block; max-width: 40rem; margin: 4rem auto; font: 1.05rem/1.5 system-ui, sans-serif; }
`;

const pageOf = (root: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>The interface - Menagerie</title>
<link rel="stylesheet" href="${root}${ASSETS}/swagger-ui.css">
<link rel="icon" type="image/png" href="${root}${ASSETS}/favicon-32x32.png">
<style>${STYLE}</style>
</head>
<body>
<noscript>This page needs JavaScript. What it shows is described in <a href="${root}${ENDPOINTS.getOpenApiDocument.path}">openapi.json</a> and <a href="${root}${ENDPOINTS.getSwaggerDocument.path}">swagger.json</a>.</noscript>
<div id="swagger-ui"></div>
<script src="${root}${ASSETS}/swagger-ui-bundle.js"></script>
<script src="${root}${ASSETS}/swagger-ui-standalone-preset.js"></script>
<script>${scriptOf(root)}</script>
</body>
</html>
`;

/** The stylesheet in the logo of Swagger UI. If another version has another, the logo is dark on dark, and nothing else is wrong. */
const LOGO_STYLE = 'sha256-RL3ie0nH+Lzz2YNqQN83mnU0J1ot4QL7b99vMdIX99w=';

/** Nothing runs on this page but what is installed here, and it speaks to nobody but this service. */
const policyOf = (script: string) =>
  [
    "default-src 'none'",
    `style-src 'self' '${hashOf(STYLE)}' '${LOGO_STYLE}'`,
    `script-src 'self' '${hashOf(script)}'`,
    // Icons of the stylesheet, and pictures that were answered.
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

const FOREVER = 'public, max-age=31536000, immutable';

/** Swagger UI over the documents of this service. It needs nothing from elsewhere. */
export function addDocsPage(app: FastifyInstance): void {
  const at = preparePage('.');
  const below = preparePage('..');
  app.get(DOCS_PATH, ({ url }, reply) => {
    const { headers, page } = url.split('?', 1)[0]?.endsWith('/') === true ? below : at;
    return reply.headers(headers).send(page);
  });
  for (const name of Object.keys(FILES) as FileName[]) {
    const path = fileURLToPath(new URL(name, UI_FOLDER));
    const { size } = statSync(path);
    app.get(`${ASSETS}/${name}`, (request, reply) => {
      reply.headers({ 'content-type': FILES[name], 'cache-control': FOREVER, 'content-length': size });
      return reply.send(request.method === 'HEAD' ? nothing() : createReadStream(path));
    });
  }
}

/** @param root the root of the service, relative to the address of the page */
function preparePage(root: string) {
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policyOf(scriptOf(root)),
    'cache-control': 'no-cache',
  };
  return { headers, page: pageOf(root) };
}

function hashOf(source: string): string {
  return `sha256-${createHash('sha256').update(source).digest('base64')}`;
}
