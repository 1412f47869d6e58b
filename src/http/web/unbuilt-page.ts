import type { FastifyReply } from 'fastify';
import { ENDPOINTS } from '../../api/endpoints.ts';

/**
 * Sends a page that explains how to build the web application.
 *
 * @param root the root of the service, relative to the page
 */
export function sendUnbuiltPage(reply: FastifyReply, root = ''): FastifyReply {
  return reply.headers({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }).send(pageOf(root));
}

function pageOf(root: string): string {
  const { path } = ENDPOINTS.getOpenApiDocument;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Menagerie</title>
</head>
<body>
<h1>Menagerie</h1>
<p>The service is running, but its web application and its API page have not been built. In the folder of the service, run</p>
<pre>npm ci
npm run build:web</pre>
<p>and restart it. The API is at <a href="${root}/v2">/v2</a>, and described in <a href="${root}${path}">${path}</a>.</p>
</body>
</html>
`;
}
