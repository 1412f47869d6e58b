import { jsonText } from '../../../../api/records/record-text.ts';
import { readJson } from '../../../../client/int64-text.ts';
import type { BugId } from '../../../../domain/playgrounds/bugs.ts';
import { lastSegment } from '../answers/visit.ts';
import { isJson, MAX_REMEMBERED_LENGTH, Remembered, type Answer, type PlantedBug } from './planted-bug.ts';

/* Bugs of the responses about one pet or user. */

type Fields = Readonly<Record<string, unknown>>;

const MAX_NAME_LENGTH = 64;

export const PET_BUGS: Partial<Record<BugId, () => PlantedBug>> = {
  'bug-03': () => ofPet(roundId),
  'bug-05': () => staleOnce('getPetById'),
  'bug-11': stillReturned,
  'bug-12': sameTag,
  'bug-14': () => ({
    operations: ['getPetById'],
    after: (_visit, { headers }) =>
      headers['content-type'] === 'application/xml' ? { headers: { 'content-type': 'application/json' } } : undefined,
  }),
  'bug-15': () =>
    ofPet(({ photoUrls, ...pet }) =>
      Array.isArray(photoUrls) && photoUrls.length > 1 ? { ...pet, photoUrls: photoUrls.slice(0, -1) } : undefined,
    ),
  'bug-17': () => ofPet(cutName),
  'bug-19': () => ofPet(({ tags, ...pet }) => (Array.isArray(tags) && tags.length === 0 ? pet : undefined)),
  'bug-22': () => staleOnce('getUserByName'),
};

/** A bug in the JSON of `getPetById`. @param change returns undefined for a pet without the bug */
function ofPet(change: (pet: Fields) => Fields | undefined): PlantedBug {
  return {
    operations: ['getPetById'],
    after(_visit, answer) {
      if (!isJson(answer)) return undefined;
      const pet = readJson(answer.body) as Fields;
      const changed = change(pet);
      return changed && { body: jsonText(inOrder(changed, pet)) };
    },
  };
}

/** With the fields in the order of the original, which is part of the contract. */
function inOrder(changed: Fields, original: Fields): Fields {
  return Object.fromEntries(Object.keys(original).flatMap((name) => (name in changed ? [[name, changed[name]]] : [])));
}

/** As a client with doubles would write it. */
function roundId({ id, ...pet }: Fields): Fields | undefined {
  const rounded = BigInt(Number(id));
  return rounded === id ? undefined : { ...pet, id: rounded };
}

/** Like a column of a database that is too short. */
function cutName({ name, ...pet }: Fields): Fields | undefined {
  const text = String(name);
  return text.length <= MAX_NAME_LENGTH ? undefined : { ...pet, name: text.slice(0, MAX_NAME_LENGTH).toWellFormed() };
}

/** Like a cache that is cleared too late. */
function staleOnce(operation: 'getPetById' | 'getUserByName'): PlantedBug {
  const known = new Remembered<Answer>();
  return {
    operations: [operation],
    after(visit, answer) {
      if (!isJson(answer) || answer.body.length > MAX_REMEMBERED_LENGTH) return undefined;
      const id = lastSegment(visit);
      const earlier = known.get(id);
      known.set(id, answer);
      return earlier === undefined || earlier.body === answer.body ? undefined : pick(earlier);
    },
  };
}

/** Like a cache that a deletion does not clear. */
function stillReturned(): PlantedBug {
  const known = new Remembered<Answer>();
  return {
    operations: ['getPetById'],
    after(visit, answer) {
      const id = lastSegment(visit);
      if (isJson(answer) && answer.body.length <= MAX_REMEMBERED_LENGTH) known.set(id, answer);
      const earlier = known.get(id);
      if (answer.status !== 404 || visit.request.method === 'HEAD' || earlier === undefined) return undefined;
      return { status: 200, ...pick(earlier) };
    },
  };
}

function pick({ body, headers: { etag } }: Answer): Partial<Answer> {
  return { body, headers: { etag, 'content-type': 'application/json' } };
}

/** Like a tag of the ID instead of the version. */
function sameTag(): PlantedBug {
  const first = new Remembered<string>();
  return {
    operations: ['getPetById'],
    after(visit, { status, headers: { etag } }) {
      if (status !== 200 || etag === undefined) return undefined;
      const id = `${lastSegment(visit)} ${etag.endsWith('-xml"')}`;
      const known = first.get(id);
      if (known === undefined) first.set(id, etag);
      return known === undefined || known === etag ? undefined : { headers: { etag: known } };
    },
  };
}
