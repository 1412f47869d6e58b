import type { OperationId } from '../../../../api/endpoints.ts';
import { operationAt } from '../../../../api/operation-paths.ts';
import type { RawExchange } from '../../../../http/pipeline/mount.ts';

/** A request for an operation of a playground. */
export interface Visit extends RawExchange {
  operation: OperationId;
  /** Without the query. */
  path: string;
  query: URLSearchParams;
}

/** @returns undefined if it is not for an operation, such as a page of the web application */
export function visitOf(exchange: RawExchange): Visit | undefined {
  const { method = '', url = '' } = exchange.request;
  const [path = '', query = ''] = url.split(/\?(.*)/s);
  const operation = operationAt(method, path);
  return operation && { ...exchange, operation, path, query: new URLSearchParams(query) };
}

/** The ID at the end of the path, as the request has it. */
export function lastSegment({ path }: Visit): string {
  const segment = path.split('/').findLast((each) => each !== '') ?? '';
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** The ID of the request, as in its response and in the log. */
export function requestIdOf({ request }: RawExchange): string {
  return (request as { menagerieId?: string }).menagerieId ?? '';
}
