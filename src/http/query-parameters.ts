import type { preHandlerHookHandler } from 'fastify';
import { closestMatch } from 'leven';
import { DESCRIPTIONS } from '../api/documents/descriptions.ts';
import type { OperationDescription } from '../api/documents/format.ts';
import { PETSTORE_OPERATIONS } from '../api/documents/petstore.ts';
import type { OperationId } from '../api/endpoints.ts';
import { Failure } from '../domain/failure.ts';

/** A longer name is truncated in the message. */
const MAX_SHOWN = 50;

/**
 * Refuses parameters that the description of the operation does not have: a misspelled filter would otherwise match everything.
 *
 * @returns undefined if any are accepted: without described parameters, and from clients of Petstore
 */
export function refuseUnknownParameters(operation: OperationId): preHandlerHookHandler | undefined {
  const { query }: OperationDescription = DESCRIPTIONS[operation];
  if (query === undefined || PETSTORE_OPERATIONS.some((id) => id === operation)) return undefined;
  const names = Object.keys(query);
  const lists = Object.entries(query).filter(([, schema]) => 'type' in schema && schema.type === 'array');
  const accepted = new Set([...names, ...lists.map(([name]) => `${name}[]`)]);
  return (request, _reply, done) => {
    const unknown = Object.keys(request.query as object).find((name) => !accepted.has(name));
    done(unknown === undefined ? undefined : explain(unknown.slice(0, MAX_SHOWN), names));
  };
}

function explain(unknown: string, names: readonly string[]): Failure {
  const message = `Unknown query parameter: ${unknown.toWellFormed()}. Did you mean ${closestMatch(unknown, names)}?`;
  return new Failure('invalid-input', message);
}
