import type { OperationId } from '../../endpoints.ts';
import { DESCRIPTIONS } from '../descriptions.ts';
import { EXAMPLE_FOLDERS, exampleRequest, type ExampleRequest } from '../examples.ts';
import type { Example } from '../examples/example.ts';

/* The requests of collections: the examples of all operations, which create a playground, work there, and delete it. */

export interface CollectionRequest extends ExampleRequest {
  operation: OperationId;
  /** The summary of the operation. */
  name: string;
  /** The URL without its query. `{{service}}` and `{{base}}` are variables of the collection. */
  url: string;
  /** Variables to set, and JavaScript expressions of their values, such as `.users[2].password` of the response. */
  kept: readonly (readonly [variable: string, expression: string])[];
}

/** By folder, in their order. */
export function collectionRequests(): readonly (readonly [folder: string, requests: readonly CollectionRequest[]])[] {
  return Object.entries(EXAMPLE_FOLDERS).map(([folder, examples]) => [
    folder,
    (Object.entries(examples) as [OperationId, Example][]).map(([id, example]) => requestOf(id, example)),
  ]);
}

function requestOf(operation: OperationId, example: Example): CollectionRequest {
  const request = exampleRequest(operation, example);
  const { summary } = DESCRIPTIONS[operation];
  const url = `${request.isOfService ? '{{service}}' : '{{base}}'}${request.path}`;
  const kept = Object.entries(example.keep ?? {}).map(([name, pointer]) => [name, expressionOf(pointer)] as const);
  return { ...request, operation, name: summary, url, kept };
}

function expressionOf(pointer: string): string {
  return pointer.replaceAll(/\/(\w+)/g, (_all, segment: string) =>
    /^\d/.test(segment) ? `[${segment}]` : `.${segment}`,
  );
}

/** The name and the description of a collection. */
export const COLLECTION_TEXT =
  'The examples of the API documents, as one session: the first folder creates a playground, a service of its own in ' +
  'memory with the sample pets, and logs in there as its administrator; all others work in it, and the last deletes ' +
  'it. Run the folders in their order. Where only administrators create playgrounds, set `apiKey` to an API key.';

/** Variables, and their first values. Those that requests keep are set by the collection itself. */
export function collectionVariables(origin: string): Readonly<Record<string, string>> {
  return { service: `${origin}/v2`, base: `${origin}/v2`, apiKey: '', token: '' };
}
