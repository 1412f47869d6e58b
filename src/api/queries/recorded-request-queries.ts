import { isPathPattern, PATH_PATTERN_RULE } from '../../domain/playgrounds/path-pattern.ts';
import type { RequestFilter } from '../../domain/playgrounds/recorded-request.ts';
import { Failure } from '../../domain/failure.ts';
import { ENDPOINTS } from '../endpoints.ts';
import { textOf, type Query } from './query-values.ts';

/* The filter of recorded requests, from a query of HTTP. */

/** @throws Failure `invalid-input` */
export function readRequestFilter(query: Query): RequestFilter {
  return {
    operation: operationIn(query),
    method: textOf(query, 'method')?.toUpperCase(),
    status: statusIn(query),
    path: pathIn(query),
    bodyText: textOf(query, 'bodyText'),
    afterId: afterIn(query),
  };
}

/** An unknown operation would match nothing, so a test that counts none would pass. */
function operationIn(query: Query): string | undefined {
  const operation = textOf(query, 'operation');
  if (operation === undefined || Object.hasOwn(ENDPOINTS, operation)) return operation;
  throw new Failure('invalid-input', 'operation must be the ID of an operation, such as addPet.');
}

function statusIn(query: Query): number | undefined {
  const status = textOf(query, 'status');
  if (status === undefined) return undefined;
  if (/^[1-5]xx$/i.test(status)) return Number(status[0]);
  if (/^[1-5]\d\d$/.test(status)) return Number(status);
  throw new Failure('invalid-input', 'status must be a status such as 404, or a class such as 4xx.');
}

function afterIn(query: Query): number | undefined {
  const after = textOf(query, 'after');
  if (after === undefined || /^\d{1,15}$/.test(after)) return after === undefined ? undefined : Number(after);
  throw new Failure('invalid-input', 'after must be the number of a recorded request.');
}

function pathIn(query: Query): string | undefined {
  const path = textOf(query, 'path');
  if (path === undefined || isPathPattern(path)) return path;
  throw new Failure('invalid-input', `path ${PATH_PATTERN_RULE}.`);
}
