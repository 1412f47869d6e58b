import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createOpenApi, type DocumentSettings } from '../../api/documents/openapi.ts';
import { createSwagger } from '../../api/documents/swagger.ts';
import { sendJson } from '../answer.ts';
import { isUnchanged } from '../pets/preconditions.ts';
import type { AddRoute } from '../routes.ts';

export interface DocumentRoutesNeeds {
  version: string;
  /** Where the client of a request reaches the service: the documents say it, so that what is generated from them works at once. */
  baseOf: (request: FastifyRequest) => string;
}

/** The same few origins are asked for again and again; beyond this many, they are not remembered. */
const MAX_REMEMBERED = 20;

/** What this interface is, as OpenAPI and as Swagger. */
export function addDocumentRoutes(add: AddRoute, { version, baseOf }: DocumentRoutesNeeds): void {
  const openApi = documentsBy((origin) => createOpenApi({ origin, version }));
  const swagger = documentsBy((origin) => createSwagger({ origin, version }));
  add('getOpenApiDocument', (request, reply) => sendDocument(request, reply, openApi(baseOf(request))));
  add('getSwaggerDocument', (request, reply) => sendDocument(request, reply, swagger(baseOf(request))));
}

interface WrittenDocument {
  text: string;
  entityTag: string;
}

/** Written once for each origin. */
function documentsBy(create: (origin: DocumentSettings['origin']) => object): (origin: string) => WrittenDocument {
  const remembered = new Map<string, WrittenDocument>();
  return (origin) => {
    const known = remembered.get(origin);
    if (known !== undefined) return known;
    const text = JSON.stringify(create(origin));
    const document = { text, entityTag: createHash('sha256').update(text).digest('base64url') };
    if (remembered.size < MAX_REMEMBERED) remembered.set(origin, document);
    return document;
  };
}

function sendDocument(request: FastifyRequest, reply: FastifyReply, { text, entityTag }: WrittenDocument) {
  // An If-None-Match that cannot be read is refused, and a refusal has no headers of the document.
  const unchanged = isUnchanged(request.headers, entityTag);
  reply.headers({ etag: `"${entityTag}"`, 'cache-control': 'no-cache' });
  return unchanged ? reply.code(304).send() : sendJson(reply, text);
}
