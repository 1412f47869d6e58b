import * as Type from '../../records/type.ts';
import { json, KEPT_NOT_MODIFIED, type OperationDescription } from '../parts/format.ts';
import { IF_NONE_MATCH } from '../parts/parameters.ts';

const OpenApiDocument = Type.Object({
  openapi: Type.Literal('3.1.0'),
  info: Type.Object({ title: Type.String(), version: Type.String() }),
  paths: Type.Object({}),
});

const SwaggerDocument = Type.Object({
  swagger: Type.Literal('2.0'),
  info: Type.Object({ title: Type.String(), version: Type.String() }),
  paths: Type.Object({}),
});

const ArazzoDocument = Type.Object({ arazzo: Type.Literal('1.1.0'), workflows: Type.Array(Type.Object({})) });

/** The documents that describe the API. */
export const DOCUMENT_OPERATIONS = {
  getOpenApiDocument: {
    group: 'documents',
    summary: 'Get the OpenAPI 3.1 document',
    description: 'Returns the description of the whole API.',
    headers: IF_NONE_MATCH,
    responses: { 200: json(OpenApiDocument, 'The document.', 'ETag', 'Cache-Control'), 304: KEPT_NOT_MODIFIED },
  },
  getSwaggerDocument: {
    group: 'documents',
    summary: 'Get the Swagger 2.0 document',
    description: 'Returns the sixteen operations of Petstore, for tools that do not support OpenAPI 3.1.',
    headers: IF_NONE_MATCH,
    responses: { 200: json(SwaggerDocument, 'The document.', 'ETag', 'Cache-Control'), 304: KEPT_NOT_MODIFIED },
  },
  getArazzoDocument: {
    group: 'documents',
    summary: 'Get the workflows',
    description:
      'Returns steps across several operations (Arazzo 1.1.0): adopt a pet, upload a photo, undo a deletion.',
    headers: IF_NONE_MATCH,
    responses: { 200: json(ArazzoDocument, 'The document.', 'ETag', 'Cache-Control'), 304: KEPT_NOT_MODIFIED },
  },
} as const satisfies Record<string, OperationDescription>;
