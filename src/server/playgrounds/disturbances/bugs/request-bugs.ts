import type { IncomingHttpHeaders } from 'node:http';
import type { OperationId } from '../../../../api/endpoints.ts';
import type { BugId } from '../../../../domain/playgrounds/bugs.ts';
import type { Visit } from '../answers/visit.ts';
import type { PlantedBug } from './planted-bug.ts';

/* Bugs that change requests, so that the playground handles others than its clients have sent. */

const CONDITIONAL = [
  'addPet',
  'updatePet',
  'updatePetWithForm',
  'patchPet',
  'deletePet',
  'uploadFile',
] as const satisfies readonly OperationId[];

const CREATING = ['addPet', 'createUser', 'uploadFile'] as const satisfies readonly OperationId[];

const CREDENTIALS = ['authorization', 'api_key', 'cookie'] as const;

export const REQUEST_BUGS: Partial<Record<BugId, () => PlantedBug>> = {
  'bug-02': () => ({ operations: CONDITIONAL, before: (visit) => withoutHeader(visit, 'if-match') }),
  'bug-04': () => ({ operations: ['findPets'], before: (visit) => withoutParameter(visit, 'category') }),
  'bug-06': withoutPermission,
  'bug-20': () => ({ operations: CREATING, before: (visit) => withoutHeader(visit, 'idempotency-key') }),
};

function withoutHeader({ request }: Visit, name: string): boolean {
  if (request.headers[name] === undefined) return false;
  delete request.headers[name];
  return true;
}

function withoutParameter({ request, path, query }: Visit, name: string): boolean {
  const isOfName = (key: string) => key === name || key.startsWith(`${name}[`);
  const others = [...query].filter(([key]) => !isOfName(key));
  if (others.length === query.size) return false;
  request.url = `${path}?${new URLSearchParams(others).toString()}`;
  return true;
}

/** Deletes with the credentials of the last successful change of a pet if the client has none. */
function withoutPermission(): PlantedBug {
  let known: Readonly<Record<string, string>> = {};
  return {
    operations: CONDITIONAL,
    before({ operation, request: { headers } }) {
      if (operation !== 'deletePet' || hasAny(credentialsIn(headers)) || !hasAny(known)) return false;
      Object.assign(headers, known);
      return true;
    },
    after({ request: { headers } }, { status }) {
      const used = credentialsIn(headers);
      if (status === 200 && hasAny(used)) known = used;
      return undefined;
    },
  };
}

function credentialsIn(headers: IncomingHttpHeaders): Record<string, string> {
  const all = CREDENTIALS.map((name) => [name, headers[name]] as const);
  return Object.fromEntries(
    all.filter((pair): pair is readonly [(typeof pair)[0], string] => typeof pair[1] === 'string'),
  );
}

function hasAny(record: object): boolean {
  return Object.keys(record).length > 0;
}
