import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createOpenApi, type DocumentSettings } from '../../api/documents/openapi.ts';
import { createSwagger } from '../../api/documents/swagger.ts';
import { sendJson } from '../answer.ts';
import { isUnchanged } from '../pets/pet-resource.ts';
import type { AddRoute } from '../routes.ts';

export interface DocumentRoutesDeps {
  version: string;
  /** The URL at which the client of a request reaches the service: the documents contain it, so that generated clients work without configuration. */
  baseOf: (request: FastifyRequest) => string;
}

/** Most requests use one of a few origins; beyond this many, documents are not cached. */
const MAX_CACHED = 20;

/** The API as OpenAPI and as Swagger documents. */
export function addDocumentRoutes(add: AddRoute, { version, baseOf }: DocumentRoutesDeps): void {
  const openApi = documentsBy((origin) => createOpenApi({ origin, version }));
  const swagger = documentsBy((origin) => createSwagger({ origin, version }));
  add('getOpenApiDocument', (request, reply) => sendDocument(request, reply, openApi(baseOf(request))));
  add('getSwaggerDocument', (request, reply) => sendDocument(request, reply, swagger(baseOf(request))));
}

interface WrittenDocument {
  text: string;
  entityTag: string;
}

/** Creates each document once per origin. */
function documentsBy(create: (origin: DocumentSettings['origin']) => object): (origin: string) => WrittenDocument {
  const cached = new Map<string, WrittenDocument>();
  return (origin) => {
    const known = cached.get(origin);
    if (known !== undefined) return known;
    const text = JSON.stringify(create(origin));
    const document = { text, entityTag: createHash('sha256').update(text).digest('base64url') };
    if (cached.size < MAX_CACHED) cached.set(origin, document);
    return document;
  };
}

function sendDocument(request: FastifyRequest, reply: FastifyReply, { text, entityTag }: WrittenDocument) {
  // Before the headers are set: an invalid If-None-Match is refused, without headers of the document.
  const unchanged = isUnchanged(request.headers, entityTag);
  reply.headers({ etag: `"${entityTag}"`, 'cache-control': 'no-cache' });
  return unchanged ? reply.code(304).send() : sendJson(reply, text);
}
