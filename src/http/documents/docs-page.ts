import { createHash } from 'node:crypto';
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { ENDPOINTS } from '../../api/endpoints.ts';
import { emptyBody } from '../answer.ts';

/** The path of the interactive API documentation. */
export const DOCS_PATH = '/docs';

/** The files of Swagger UI that are served. */
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

/** The path contains the version, so that its files never change, and never mix with those of another version. */
const ASSETS = `${DOCS_PATH}/${UI_VERSION}`;

/** @param root the root of the service, relative to the page: behind a reverse proxy, it may be any path */
const scriptOf = (root: string) => `
  window.addEventListener('load', () => {
    SwaggerUIBundle({
      urls: [
        { url: '${root}${ENDPOINTS.getOpenApiDocument.path}', name: 'OpenAPI 3.1: all operations' },
        { url: '${root}${ENDPOINTS.getSwaggerDocument.path}', name: 'Swagger 2.0: Petstore operations' },
      ],
      dom_id: '#swagger-ui',
      deepLinking: true,
      displayRequestDuration: true,
      tryItOutEnabled: true,
      // Do not send documents to an external validator.
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
<title>API documentation - Menagerie</title>
<link rel="stylesheet" href="${root}${ASSETS}/swagger-ui.css">
<link rel="icon" type="image/png" href="${root}${ASSETS}/favicon-32x32.png">
<style>${STYLE}</style>
</head>
<body>
<noscript>This page requires JavaScript. The API is also described in <a href="${root}${ENDPOINTS.getOpenApiDocument.path}">openapi.json</a> and <a href="${root}${ENDPOINTS.getSwaggerDocument.path}">swagger.json</a>.</noscript>
<div id="swagger-ui"></div>
<script src="${root}${ASSETS}/swagger-ui-bundle.js"></script>
<script src="${root}${ASSETS}/swagger-ui-standalone-preset.js"></script>
<script>${scriptOf(root)}</script>
</body>
</html>
`;

/** The hash of the style in the logo of Swagger UI. If a new version changes it, only the logo loses its colors. */
const LOGO_STYLE = 'sha256-RL3ie0nH+Lzz2YNqQN83mnU0J1ot4QL7b99vMdIX99w=';

/** The page runs only the installed scripts, and connects only to this service. */
const policyOf = (script: string) =>
  [
    "default-src 'none'",
    `style-src 'self' '${hashOf(STYLE)}' '${LOGO_STYLE}'`,
    `script-src 'self' '${hashOf(script)}'`,
    // Icons in the stylesheet, and photos in responses.
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

const FOREVER = 'public, max-age=31536000, immutable';

/** Serves Swagger UI for the documents of this service, without external resources. */
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
      return reply.send(request.method === 'HEAD' ? emptyBody() : createReadStream(path));
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
