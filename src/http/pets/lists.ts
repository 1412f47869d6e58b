import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { withPhotoOrigin, type StoredPet } from '../../domain/pets/pet.ts';
import { countFitting, createPortionSize, MAX_PAGE_CHARACTERS } from '../../domain/pets/pet-portions.ts';
import { MAX_CHARACTERS_READ } from '../../domain/portions.ts';
import { networkOf } from '../../domain/accounts/guessing.ts';
import type { ListPart } from '../../domain/ports.ts';
import { nothing, petListForm, sendChunks, sendJson, type PetListForm } from '../answer.ts';
import { addressOf } from '../client-address.ts';
import { linkNext, type Page } from '../paging.ts';
import type { ListTurns } from '../list-turns.ts';

/*
 * Lists of pets: complete ones flow out part by part, so that memory stays flat however long they are; paged ones on demand. Both by the length of the
 * pets as well as by their number.
 */

export type PetLister = (part: ListPart) => Promise<readonly StoredPet[]>;

/** Answers one page, and where the next one is. Where the pets are long, it ends before there are as many as asked for. */
export async function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  list: PetLister,
  { limit, lastId = 0n }: Page,
  origin: string,
) {
  const { pets, hasMore } = await readPage(list, limit, lastId);
  const last = pets.at(-1);
  if (hasMore && last !== undefined) linkNext(request, reply, { limit, lastId: last.id, origin });
  return sendJson(reply, `[${jsonOf(pets, origin)}]`);
}

/** Answers all pets there are. A pet that is there from the beginning to the end is in the list exactly once. */
export async function sendAll(
  request: FastifyRequest,
  reply: FastifyReply,
  list: PetLister,
  { origin, turns }: { origin: string; turns: ListTurns },
) {
  const read = prepareParts(list);
  const placeOf = () => networkOf(addressOf(request));
  const produce = (afterId: bigint) =>
    turns.produce(placeOf, async () => {
      // The client may be gone by now: then nothing is read for it.
      const { pets, isLast } = reply.raw.destroyed ? { pets: [], isLast: true } : await read(afterId);
      return { text: jsonOf(pets, origin), lastId: pets.at(-1)?.id, isLast };
    });
  const first = await produce(0n);
  if (first.isLast) return sendJson(reply, `[${first.text}]`);
  const form = petListForm(request);
  reply.header('content-type', form.mediaType);
  // Of a list that is streamed, nobody knows the length beforehand.
  return request.method === 'HEAD' ? reply.send(nothing()) : sendChunks(reply, textOfAll(first, produce, form));
}

interface Part {
  pets: readonly StoredPet[];
  isLast: boolean;
}

interface TextPart {
  text: string;
  lastId: bigint | undefined;
  isLast: boolean;
}

async function readPage(list: PetLister, limit: number, lastId: bigint) {
  const read = prepareParts(list);
  const pets: StoredPet[] = [];
  for (;;) {
    // One more than asked for tells whether there is a next page.
    const part = await read(pets.at(-1)?.id ?? lastId, limit + 1 - pets.length);
    pets.push(...part.pets);
    const count = Math.min(limit, countFitting(pets, MAX_PAGE_CHARACTERS));
    if (part.isLast || count < pets.length) return { pets: pets.slice(0, count), hasMore: count < pets.length };
    await nextTurn();
  }
}

async function* textOfAll(
  first: TextPart,
  produce: (afterId: bigint) => Promise<TextPart>,
  form: PetListForm,
): AsyncGenerator<string> {
  let part = first;
  for (let before = form.begin; part.lastId !== undefined; before = form.between) {
    yield before + form.part(part.text);
    if (part.isLast) break;
    // A client that reads as fast as this writes would otherwise have the event loop to itself: all others waited until the list was through, measured.
    await nextTurn();
    part = await produce(part.lastId);
  }
  yield form.end;
}

/** Reads a list part by part, so many pets at most. */
function prepareParts(list: PetLister): (afterId: bigint, most?: number) => Promise<Part> {
  const size = createPortionSize();
  return async (afterId, most = Infinity) => {
    const limit = Math.min(size.count(), most);
    const found = await list({ afterId, limit });
    size.learn(found);
    // What is more than expected is read again when its turn comes: whoever takes long to take this part is not to hold it meanwhile.
    const pets = found.slice(0, countFitting(found, MAX_CHARACTERS_READ));
    return { pets, isLast: found.length < limit && pets.length === found.length };
  };
}

/** With commas between them. */
function jsonOf(pets: readonly StoredPet[], origin: string): string {
  return withPhotoOrigin(pets.map(({ text }) => text).join(), origin);
}
