import type { FastifyInstance } from 'fastify';
import type { AccessMode } from '../../domain/access.ts';
import { ENDPOINTS } from '../../api/endpoints.ts';
import { sendUnbuiltPage } from '../web/unbuilt-page.ts';
import type { WebBuild } from '../web/web-build.ts';

/** The path of the interactive API documentation. */
export const DOCS_PATH = '/docs';

/** By the value of the query parameter `document`. */
const DOCUMENTS = {
  openapi: { path: ENDPOINTS.getOpenApiDocument.path, label: 'All operations (OpenAPI 3.1)' },
  swagger: { path: ENDPOINTS.getSwaggerDocument.path, label: 'Petstore operations (Swagger 2.0)' },
} as const;

type DocumentName = keyof typeof DOCUMENTS;

/** The page runs only scripts of this service, and connects only to it. */
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  // Icons in the style sheet, and photos in responses.
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': POLICY,
  'cache-control': 'no-cache',
};

interface DocsPageDeps {
  web: WebBuild | undefined;
  access: AccessMode;
  hasPlaygrounds: boolean;
}

/** Serves Swagger UI for the documents of this service, without external resources. */
export function addDocsPage(app: FastifyInstance, { web, access, hasPlaygrounds }: DocsPageDeps): void {
  // In sandbox access, the pets of the service belong to everyone.
  const playground = access === 'sandbox' ? 'default' : 'offered';
  app.get(DOCS_PATH, ({ url, query }, reply) => {
    // Relative to the page: behind a reverse proxy, the root of the service may be any path.
    const root = url.split('?', 1)[0]?.endsWith('/') === true ? '..' : '.';
    if (web === undefined) return sendUnbuiltPage(reply, root);
    const name = (query as { document?: unknown }).document === 'swagger' ? 'swagger' : 'openapi';
    // Swagger 2.0 has only one server.
    const attribute = hasPlaygrounds && name === 'openapi' ? ` data-playground="${playground}"` : '';
    return reply.headers(HEADERS).send(pageOf(web.docs, { root, shown: name, attribute, hasPlaygrounds }));
  });
}

interface ShownPage {
  root: string;
  shown: DocumentName;
  /** The attribute of the element that shows the document. */
  attribute: string;
  hasPlaygrounds: boolean;
}

function pageOf({ script, style }: WebBuild['docs'], { root, shown, attribute, hasPlaygrounds }: ShownPage): string {
  const names = Object.keys(DOCUMENTS) as DocumentName[];
  const links = names.map((name) => {
    const current = name === shown ? ' aria-current="page"' : '';
    return `<a href="${root}${DOCS_PATH}?document=${name}"${current}>${DOCUMENTS[name].label}</a>`;
  });
  const workflows = `<a href="${root}${ENDPOINTS.getArazzoDocument.path}">Workflows (Arazzo)</a>`;
  const others = hasPlaygrounds ? [workflows, `<a href="${root}/playground">Playgrounds</a>`] : [workflows];
  const sources = names.map((name) => `<a href="${root}${DOCUMENTS[name].path}">${DOCUMENTS[name].path}</a>`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>API documentation - Menagerie</title>
<link rel="stylesheet" href="${root}/${style}">
<link rel="icon" type="image/svg+xml" href="${root}/favicon.svg">
<script type="module" src="${root}/${script}"></script>
</head>
<body>
<header class="docs-header">
<a href="${root}/">Menagerie</a>
<nav aria-label="Documents">${[...links, ...others].join('\n')}</nav>
</header>
<noscript>This page requires JavaScript. The API is also described in ${sources.join(' and ')}.</noscript>
<p class="docs-target" role="status">Requests go to this service.</p>
<div data-document="${root}${DOCUMENTS[shown].path}" data-root="${root}"${attribute}></div>
</body>
</html>
`;
}
