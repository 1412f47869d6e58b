import type { IncomingMessage } from 'node:http';
import type { OperationId } from '../../../../api/endpoints.ts';
import { readJson } from '../../../../client/int64-text.ts';
import type { BugId } from '../../../../domain/playgrounds/bugs.ts';
import type { Visit } from '../answers/visit.ts';
import { credentialsOf } from './credentials.ts';
import { isJson, Remembered, UNCHANGED, type Answer, type PlantedBug } from './planted-bug.ts';

/*
 * Bugs that change requests, so that the playground handles others than its clients have sent. They are met only if the
 * response differs from that to the original request.
 */

/** They take If-Match. */
export const CONDITIONAL = [
  'addPet',
  'updatePet',
  'updatePetWithForm',
  'patchPet',
  'deletePet',
  'uploadFile',
] as const satisfies readonly OperationId[];

const CREATING = ['addPet', 'createUser', 'uploadFile'] as const satisfies readonly OperationId[];

export const REQUEST_BUGS: Partial<Record<BugId, () => PlantedBug>> = {
  'bug-02': withoutCondition,
  'bug-04': withoutCategory,
  'bug-20': executedAgain,
  'bug-26': neverCached,
};

/** The values of requests that a bug has removed. */
type Removed<T> = WeakMap<IncomingMessage, T>;

function withoutHeader({ request }: Visit, name: 'if-match' | 'if-none-match' | 'idempotency-key'): string | undefined {
  const value = request.headers[name];
  delete request.headers[name];
  return value?.toString();
}

function withoutCondition(): PlantedBug {
  const conditions: Removed<string> = new WeakMap();
  const current = new Remembered<string>();
  return {
    operations: [...CONDITIONAL, 'getPetById'],
    before(visit) {
      if (visit.operation === 'getPetById' || visit.request.headers['if-match'] === '*') return;
      const condition = withoutHeader(visit, 'if-match');
      if (condition !== undefined) conditions.set(visit.request, condition);
    },
    after(visit, answer) {
      if (answer.status !== 200) return undefined;
      const id = idOfPet(visit, answer);
      const before = current.get(id);
      const tag = answer.headers['etag'];
      if (tag === undefined) current.delete(id);
      else current.set(id, versionOf(tag));
      const condition = conditions.get(visit.request);
      const isMet =
        condition !== undefined &&
        !condition
          .split(',')
          .map(versionOf)
          .includes(before ?? '');
      return isMet ? UNCHANGED : undefined;
    },
  };
}

/** `updatePet` has the ID of its pet in the body. */
function idOfPet(visit: Visit, { body }: Answer): string {
  const [id] = /\d+/.exec(visit.path.replace(/^\/v\d+/, '')) ?? /(?<="id":|<id>)\d+/.exec(body) ?? [];
  return id ?? '';
}

/** The version in an entity tag, whatever the format of the pet. */
function versionOf(tag: string): string {
  return /"(\d+)/.exec(tag)?.[1] ?? tag;
}

function isCategory(parameter: string): boolean {
  return /^category(?:\[|$)/.test(parameter);
}

function withoutCategory(): PlantedBug {
  const removed: Removed<readonly string[]> = new WeakMap();
  return {
    operations: ['findPets'],
    before({ request, path, query }) {
      const others = [...query].filter(([key]) => !isCategory(key));
      if (others.length === query.size) return;
      const wanted = [...query].flatMap(([key, value]) => (isCategory(key) ? value.toLowerCase().split(',') : []));
      removed.set(request, wanted);
      request.url = `${path}?${new URLSearchParams(others).toString()}`;
    },
    after({ request }, answer) {
      const wanted = removed.get(request);
      if (wanted === undefined || !isJson(answer)) return undefined;
      const { pets } = readJson(answer.body) as { pets: readonly { category?: { name?: string } }[] };
      return pets.every(({ category }) => wanted.includes(category?.name?.toLowerCase() ?? '')) ? undefined : UNCHANGED;
    },
  };
}

function keyOf({ operation, path, request: { headers } }: Visit): string {
  return JSON.stringify([operation, path, credentialsOf(headers), headers['idempotency-key']]);
}

/** The first request keeps its key, so that the second one would get the same response. */
function executedAgain(): PlantedBug {
  const used = new Remembered<true>();
  const repeated = new WeakSet<IncomingMessage>();
  return {
    operations: CREATING,
    before(visit) {
      if (used.get(keyOf(visit)) === undefined) return;
      withoutHeader(visit, 'idempotency-key');
      repeated.add(visit.request);
    },
    after(visit, { status }) {
      if (repeated.has(visit.request)) return UNCHANGED;
      if (status === 200 && visit.request.headers['idempotency-key'] !== undefined) used.set(keyOf(visit), true);
      return undefined;
    },
  };
}

function neverCached(): PlantedBug {
  const tags: Removed<string> = new WeakMap();
  return {
    operations: ['getPetById'],
    before(visit) {
      const tag = withoutHeader(visit, 'if-none-match');
      if (tag !== undefined) tags.set(visit.request, tag);
    },
    after(visit, { status, headers: { etag } }) {
      const known = tags.get(visit.request);
      return status === 200 && etag !== undefined && known?.includes(etag) === true ? UNCHANGED : undefined;
    },
  };
}
