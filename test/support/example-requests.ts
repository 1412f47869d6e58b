import assert from 'node:assert/strict';
import { EXAMPLES, exampleRequest, valueAt } from '../../src/api/documents/examples.ts';
import type { JsonValue } from '../../src/api/documents/examples/example.ts';
import type { OperationId } from '../../src/api/endpoints.ts';
import { multipart } from './multipart.ts';
import { clientOf, type CallOptions, type HttpResponse } from './client.ts';

export interface ExampleResult {
  operation: OperationId;
  response: HttpResponse;
  /** The parameters of the request, with the values of earlier responses. */
  parameters: Readonly<Record<string, string>>;
}

/** Sends all examples in their order, the first to a service in sandbox access. */
export async function runExamples(base: string, file: Uint8Array): Promise<readonly ExampleResult[]> {
  const kept = new Map([['base', base]]);
  const filled = (text: string) =>
    text.replaceAll(/\{\{(\w+)\}\}/g, (_all, name: string) => kept.get(name) ?? assert.fail(`nothing keeps ${name}`));
  const results: ExampleResult[] = [];
  for (const [operation, example] of EXAMPLES) {
    const { method, path, query, isOfService, content } = exampleRequest(operation, example);
    const at = isOfService ? base : filled('{{base}}');
    const search = new URLSearchParams(query.map(([name, value]) => [name, filled(value)])).toString();
    const token = kept.get('token');
    const headers = token === undefined || isOfService ? {} : { authorization: `Bearer ${token}` };
    const body = bodyOf(content, filled, file);
    const target = `${at}${filled(path)}${search === '' ? '' : `?${search}`}`;
    const response = await clientOf(base)(method, target, { ...body, headers: { ...headers, ...body.headers } });
    const given = Object.entries(example.parameters ?? {}).map(([name, value]) => [name, filled(String(value))]);
    results.push({ operation, response, parameters: Object.fromEntries(given) as Record<string, string> });
    for (const [name, pointer] of Object.entries(example.keep ?? {}))
      kept.set(name, textAt(JSON.parse(response.text) as JsonValue, pointer));
  }
  return results;
}

function textAt(body: JsonValue, pointer: string): string {
  const value = valueAt(body, pointer);
  return typeof value === 'string' ? value : JSON.stringify(value ?? assert.fail(`nothing at ${pointer}`));
}

function bodyOf(
  content: ReturnType<typeof exampleRequest>['content'],
  filled: (text: string) => string,
  file: Uint8Array,
): CallOptions {
  if (content === undefined) return {};
  if (content.kind === 'text')
    return { headers: { 'content-type': content.mediaType }, body: Buffer.from(filled(content.text)) };
  const fields = Object.entries(content.fields).map(([name, value]) => ({ name, content: filled(value) }));
  return content.kind === 'form'
    ? { form: Object.fromEntries(fields.map(({ name, content: value }) => [name, value])) }
    : multipart([...fields, { name: 'file', fileName: content.file, content: file }]);
}
