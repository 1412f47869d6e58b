import type { preHandlerHookHandler } from 'fastify';
import { closestMatch } from 'leven';
import { DESCRIPTIONS } from '../../api/documents/descriptions.ts';
import type { OperationDescription } from '../../api/documents/parts/format.ts';
import { PETSTORE_OPERATIONS } from '../../api/documents/petstore.ts';
import type { OperationId } from '../../api/endpoints.ts';
import { isListName, shownName } from '../../api/queries/query-values.ts';
import { Failure } from '../../domain/failure.ts';

/**
 * Refuses parameters that the description of the operation does not have: a misspelled filter would otherwise match
 * everything.
 *
 * @returns undefined if any are accepted: without described parameters, and from clients of Petstore
 */
export function refuseUnknownParameters(operation: OperationId): preHandlerHookHandler | undefined {
  const { query }: OperationDescription = DESCRIPTIONS[operation];
  if (query === undefined || PETSTORE_OPERATIONS.some((id) => id === operation)) return undefined;
  const names = Object.keys(query);
  const lists = names.filter((name) => (query[name] as { type?: string }).type === 'array');
  const isAccepted = (name: string) => names.includes(name) || lists.some((list) => isListName(name, list));
  return (request, _reply, done) => {
    const unknown = Object.keys(request.query as object).find((name) => !isAccepted(name));
    done(unknown === undefined ? undefined : explain(shownName(unknown), names));
  };
}

function explain(unknown: string, names: readonly string[]): Failure {
  const message = `Unknown query parameter: ${unknown}. Did you mean ${closestMatch(unknown, names)}?`;
  return new Failure('invalid-input', message);
}
