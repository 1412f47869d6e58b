import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { encodingOf } from '../pipeline/negotiation.ts';
import { isUnchanged } from '../pets/pet-resource.ts';
import { refuseUnknownPath } from '../pipeline/failure-responses.ts';
import type { WebBuild, WebFile } from './web-build.ts';

const FOREVER = 'public, max-age=31536000, immutable';

/** For files without a digest in their name: a day, so that new icons appear soon. Revalidation is cheap. */
const FOR_A_DAY = 'public, max-age=86400';

/** Serves the files of the web application. They are looked up in a map, so no file path is derived from a request. */
export function addAssetRoutes(app: FastifyInstance, { assets, rootFiles }: WebBuild): void {
  app.get('/assets/:name', (request, reply) => {
    const file = assets.get((request.params as { name: string }).name) ?? refuseUnknownPath();
    return sendFile(request, reply.header('cache-control', FOREVER), file);
  });
  for (const [path, file] of rootFiles) {
    const entityTag = createHash('sha256').update(file.bytes).digest('base64url');
    app.get(path, (request, reply) => {
      const unchanged = isUnchanged(request.headers, entityTag);
      // A weak tag, because compressed and uncompressed bytes differ (RFC 9110, section 8.8.1).
      reply.headers({ etag: `W/"${entityTag}"`, 'cache-control': FOR_A_DAY });
      return unchanged ? varyByEncoding(reply).code(304).send() : sendFile(request, reply, file);
    });
  }
}

function sendFile({ headers }: FastifyRequest, reply: FastifyReply, file: WebFile): FastifyReply {
  const encoding = encodingOf(headers, [...file.compressed.keys()]);
  if (encoding !== undefined) reply.header('content-encoding', encoding);
  const bytes = encoding === undefined ? file.bytes : file.compressed.get(encoding);
  return varyByEncoding(reply).header('content-type', file.mediaType).send(bytes);
}

/** Overrides the common Vary header, because files do not depend on Accept. */
function varyByEncoding(reply: FastifyReply): FastifyReply {
  return reply.header('vary', 'Accept-Encoding');
}
