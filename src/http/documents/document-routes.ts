import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createOpenApi, type DocumentSettings } from '../../api/documents/openapi.ts';
import { createSwagger } from '../../api/documents/swagger.ts';
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

/** Serves the OpenAPI and Swagger documents of the API. */
export function addDocumentRoutes(add: AddRoute, { version, baseOf }: DocumentRoutesDeps): void {
  const openApi = documentsBy((origin) => createOpenApi({ origin, version }));
  const swagger = documentsBy((origin) => createSwagger({ origin, version }));
  add('getOpenApiDocument', (request, reply) => sendDocument(request, reply, openApi(baseOf(request))));
  add('getSwaggerDocument', (request, reply) => sendDocument(request, reply, swagger(baseOf(request))));
}

interface SerializedDocument {
  text: string;
  entityTag: string;
}

/** Creates each document once per origin. */
function documentsBy(create: (origin: DocumentSettings['origin']) => object): (origin: string) => SerializedDocument {
  const cache = new Map<string, SerializedDocument>();
  return (origin) => {
    const cached = cache.get(origin);
    if (cached !== undefined) return cached;
    const text = JSON.stringify(create(origin));
    const document = { text, entityTag: createHash('sha256').update(text).digest('base64url') };
    if (cache.size < MAX_CACHED) cache.set(origin, document);
    return document;
  };
}

function sendDocument(request: FastifyRequest, reply: FastifyReply, { text, entityTag }: SerializedDocument) {
  // Before the headers are set, because an invalid If-None-Match is refused without the headers of the document.
  const unchanged = isUnchanged(request.headers, entityTag);
  reply.headers({ etag: `"${entityTag}"`, 'cache-control': 'no-cache' });
  return unchanged ? reply.code(304).send() : sendJson(reply, text);
}
