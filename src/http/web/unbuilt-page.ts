import type { FastifyReply } from 'fastify';
import { DOCS_PATH } from '../documents/docs-page.ts';

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Menagerie</title>
</head>
<body>
<h1>Menagerie</h1>
<p>The service runs, but its web application has not been built. In the folder of the service, run</p>
<pre>npm ci
npm run build:web</pre>
<p>and start it again. The interface is at <a href="/v2">/v2</a>, and described at <a href="${DOCS_PATH}">${DOCS_PATH}</a>.</p>
</body>
</html>
`;

/** What to do where the application has not been built. */
export function sendUnbuiltPage(reply: FastifyReply): FastifyReply {
  return reply.headers({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }).send(PAGE);
}
