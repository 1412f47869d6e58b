import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createArazzo } from '../../api/documents/arazzo.ts';
import { createOpenApi, type DocumentSettings } from '../../api/documents/openapi.ts';
import { createSwagger } from '../../api/documents/swagger.ts';
import type { OperationId } from '../../api/endpoints.ts';
import { sendJson } from '../pipeline/response.ts';
import { isUnchanged } from '../pets/pet-resource.ts';
import type { AddRoute } from '../pipeline/routes.ts';

interface DocumentRoutesDeps {
  version: string;
  /**
   * The URL at which the client of a request reaches the service. The documents contain it, so that generated clients
   * work without configuration.
   */
  baseOf: (request: FastifyRequest) => string;
}

/** Maximum number of origins with cached documents. Most requests use one of a few. */
const MAX_CACHED = 20;

/** Serves the documents that describe the API to programs. */
export function addDocumentRoutes(add: AddRoute, { version, baseOf }: DocumentRoutesDeps): void {
  const addJson = (id: OperationId, create: (settings: DocumentSettings) => object) => {
    const documentOf = documentsBy((origin) => JSON.stringify(create({ origin, version })));
    add(id, async (request, reply) =>
      sendDocument(request, reply, await documentOf(baseOf(request)), (text) => sendJson(reply, text)),
    );
  };
  addJson('getOpenApiDocument', createOpenApi);
  addJson('getSwaggerDocument', createSwagger);
  addJson('getArazzoDocument', createArazzo);
}

interface SerializedDocument<Content> {
  content: Content;
  entityTag: string;
}

/** Creates each document once per origin. */
function documentsBy<Content extends string | Uint8Array>(
  create: (origin: DocumentSettings['origin']) => Content | Promise<Content>,
): (origin: string) => Promise<SerializedDocument<Content>> {
  const cache = new Map<string, SerializedDocument<Content>>();
  return async (origin) => {
    const cached = cache.get(origin);
    if (cached !== undefined) return cached;
    const content = await create(origin);
    const document = { content, entityTag: createHash('sha256').update(content).digest('base64url') };
    if (cache.size < MAX_CACHED) cache.set(origin, document);
    return document;
  };
}

function sendDocument<Content>(
  request: FastifyRequest,
  reply: FastifyReply,
  { content, entityTag }: SerializedDocument<Content>,
  send: (content: Content) => FastifyReply,
): FastifyReply {
  // Before the headers are set, because an invalid If-None-Match is refused without the headers of the document.
  const unchanged = isUnchanged(request.headers, entityTag);
  reply.headers({ etag: `"${entityTag}"`, 'cache-control': 'no-cache' });
  return unchanged ? reply.code(304).send() : send(content);
}
