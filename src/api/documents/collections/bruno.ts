import type { DocumentSettings } from '../openapi.ts';
import { TITLE } from '../introduction.ts';
import { COLLECTION_TEXT, collectionRequests, collectionVariables, type CollectionRequest } from './requests.ts';

/** The examples as a collection of Bruno: the texts of its files, by path. */
export function createBrunoCollection({ origin }: Pick<DocumentSettings, 'origin'>): Readonly<Record<string, string>> {
  const folders = collectionRequests().map(([name, requests], index) => {
    const folder = `${index + 1} ${name}`;
    const files = requests.map((request, place) => [
      `${folder}/${request.operation}.bru`,
      requestFile(request, place + 1),
    ]);
    return [[`${folder}/folder.bru`, block('meta', [`name: ${name}`, `seq: ${index + 1}`])], ...files];
  });
  return {
    'bruno.json': `${JSON.stringify({ version: '1', name: TITLE, type: 'collection' }, null, 2)}\n`,
    'collection.bru': [
      block('auth', ['mode: bearer']),
      block('auth:bearer', ['token: {{token}}']),
      block('vars:pre-request', pairsOf(Object.entries(collectionVariables(origin)))),
      block('docs', [COLLECTION_TEXT]),
    ].join('\n'),
    ...(Object.fromEntries(folders.flat()) as Record<string, string>),
  };
}

function requestFile(request: CollectionRequest, place: number): string {
  const { name, operation, method, url, query, kept, isOfService, content } = request;
  const pairs = query.map(([key, value]) => `${key}=${value}`).join('&');
  const auth = isOfService ? 'none' : 'inherit';
  return [
    block('meta', [`name: ${name}`, 'type: http', `seq: ${place}`]),
    block(method.toLowerCase(), [
      `url: ${pairs === '' ? url : `${url}?${pairs}`}`,
      `body: ${modeOf(content)}`,
      `auth: ${auth}`,
    ]),
    ...(query.length > 0 ? [block('params:query', pairsOf(query))] : []),
    ...headersOf(operation, content),
    ...bodyOf(content),
    ...(kept.length > 0
      ? [block('vars:post-response', pairsOf(kept.map(([key, path]) => [key, `res.body${path}`])))]
      : []),
    block('assert', ['res.status: eq 200']),
  ].join('\n');
}

function headersOf(operation: string, content: CollectionRequest['content']): readonly string[] {
  const headers: (readonly [string, string])[] = [];
  if (operation === 'createPlayground') headers.push(['api_key', '{{apiKey}}']);
  if (content?.kind === 'text') headers.push(['Content-Type', content.mediaType]);
  return headers.length > 0 ? [block('headers', pairsOf(headers))] : [];
}

function modeOf(content: CollectionRequest['content']): string {
  if (content === undefined) return 'none';
  if (content.kind === 'form') return 'formUrlEncoded';
  if (content.kind === 'multipart') return 'multipartForm';
  return content.mediaType.endsWith('ndjson') ? 'text' : 'json';
}

function bodyOf(content: CollectionRequest['content']): readonly string[] {
  if (content === undefined) return [];
  if (content.kind === 'text') return [block(`body:${modeOf(content)}`, content.text.split('\n'))];
  const fields = pairsOf(Object.entries(content.fields));
  return content.kind === 'form'
    ? [block('body:form-urlencoded', fields)]
    : [block('body:multipart-form', [...fields, `file: @file(${content.file})`])];
}

const pairsOf = (pairs: readonly (readonly [name: string, value: string])[]) =>
  pairs.map(([name, value]) => `${name}: ${value}`);

/** A block ends with a brace at the beginning of a line, so its lines are indented. */
function block(name: string, lines: readonly string[]): string {
  return `${name} {\n${lines.map((line) => `  ${line}\n`).join('')}}\n`;
}
