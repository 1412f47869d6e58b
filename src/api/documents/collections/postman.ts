import type { DocumentSettings } from '../openapi.ts';
import { TITLE } from '../introduction.ts';
import { COLLECTION_TEXT, collectionRequests, collectionVariables, type CollectionRequest } from './requests.ts';

const FORMAT = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';

/** The examples as a collection of Postman (format 2.1). */
export function createPostmanCollection({ origin, version }: Pick<DocumentSettings, 'origin' | 'version'>) {
  return {
    info: { name: TITLE, description: COLLECTION_TEXT, version, schema: FORMAT },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}', type: 'string' }] },
    variable: Object.entries(collectionVariables(origin)).map(([key, value]) => ({ key, value, type: 'string' })),
    item: collectionRequests().map(([name, requests]) => ({ name, item: requests.map(itemOf) })),
  };
}

function itemOf(request: CollectionRequest) {
  const { name, operation, method, query, kept, isOfService } = request;
  const lines = [
    `pm.test('${operation}: 200', () => pm.response.to.have.status(200));`,
    ...kept.map(([variable, path]) => `pm.collectionVariables.set('${variable}', pm.response.json()${path});`),
  ];
  return {
    name,
    event: [{ listen: 'test', script: { type: 'text/javascript', exec: lines } }],
    request: {
      // The playground has its own credentials.
      ...(isOfService && { auth: { type: 'noauth' } }),
      method,
      header: headersOf(request),
      url: { raw: rawUrl(request), ...placesOf(request), query: query.map(([key, value]) => ({ key, value })) },
      ...bodyOf(request),
    },
  };
}

function headersOf({ content, operation }: CollectionRequest) {
  return [
    ...(operation === 'createPlayground' ? [{ key: 'api_key', value: '{{apiKey}}' }] : []),
    ...(content?.kind === 'text' ? [{ key: 'Content-Type', value: content.mediaType }] : []),
  ];
}

function rawUrl({ url, query }: CollectionRequest): string {
  const pairs = query.map(([name, value]) => `${name}=${value}`).join('&');
  return pairs === '' ? url : `${url}?${pairs}`;
}

function placesOf({ url }: CollectionRequest) {
  const [host, ...path] = url.split('/');
  return { host: [host], path };
}

function bodyOf({ content }: CollectionRequest) {
  if (content === undefined) return {};
  if (content.kind === 'text') return { body: { mode: 'raw', raw: content.text } };
  const fields = Object.entries(content.fields).map(([key, value]) => ({ key, value, type: 'text' }));
  if (content.kind === 'form') return { body: { mode: 'urlencoded', urlencoded: fields } };
  return { body: { mode: 'formdata', formdata: [...fields, { key: 'file', type: 'file', src: content.file }] } };
}
