import { ENDPOINTS, type OperationId } from './endpoints.ts';

/* Which operation a request is for, without the router. */

/** Matches the URLs of a path, with or without a slash at the end. */
export function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', String.raw`\.`).replaceAll(/\{\w+\}/g, '[^/]*')}/?$`);
}

// Sorted, so that a fixed segment comes before a parameter that also matches it.
const OPERATIONS = (Object.keys(ENDPOINTS) as OperationId[])
  .map((operation) => ({ operation, ...ENDPOINTS[operation] }))
  .toSorted((one, other) => (one.path < other.path ? -1 : 1))
  .map(({ operation, method, path }) => ({ operation, method, pattern: patternOf(path) }));

/** @param path without the query */
export function operationAt(method: string, path: string): OperationId | undefined {
  const read = method === 'HEAD' ? 'GET' : method;
  return OPERATIONS.find((each) => each.method === read && each.pattern.test(path))?.operation;
}
