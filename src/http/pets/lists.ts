import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { withPhotoOrigin, type StoredPet } from '../../domain/pets/pet.ts';
import type { ListPart } from '../../domain/ports.ts';
import { nothing, petListForm, sendJson, type PetListForm } from '../answer.ts';
import { takePage, type Page } from '../paging.ts';

/*
 * Lists of pets: complete ones flow out part by part, so that memory stays flat however long they are; paged ones on demand.
 */

export type PetLister = (part: ListPart) => Promise<readonly StoredPet[]>;

/** Small enough that other requests hardly wait while a part is read, large enough that its fixed cost does not count. */
const STREAMED_PART = 100;

/** Answers one page, and where the next one is. */
export async function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  list: PetLister,
  { limit, lastId = 0n }: Page,
  origin: string,
) {
  const pets = await takePage<StoredPet>(request, reply, {
    limit,
    idOf: ({ id }) => id,
    list: (most) => list({ afterId: lastId, limit: most }),
    origin,
  });
  return sendJson(reply, `[${jsonOf(pets, origin)}]`);
}

/** Answers all pets there are. A pet that is there from the beginning to the end is in the list exactly once. */
export async function sendAll(request: FastifyRequest, reply: FastifyReply, list: PetLister, origin: string) {
  const first = await list({ afterId: 0n, limit: STREAMED_PART });
  if (first.length < STREAMED_PART) return sendJson(reply, `[${jsonOf(first, origin)}]`);
  const form = petListForm(request);
  reply.header('content-type', form.mediaType);
  // Of a list that is streamed, nobody knows the length beforehand.
  return reply.send(request.method === 'HEAD' ? nothing() : Readable.from(textOfAll(first, list, { origin, form })));
}

async function* textOfAll(
  first: readonly StoredPet[],
  list: PetLister,
  { origin, form }: { origin: string; form: PetListForm },
): AsyncGenerator<string> {
  let part = first;
  for (let before = form.begin; ; before = form.between) {
    const last = part.at(-1);
    if (last === undefined) break;
    yield before + form.part(jsonOf(part, origin));
    if (part.length < STREAMED_PART) break;
    // A client that reads as fast as this writes would otherwise have the event loop to itself: all others waited until the list was through, measured.
    await nextTurn();
    part = await list({ afterId: last.id, limit: STREAMED_PART });
  }
  yield form.end;
}

/** With commas between them. */
function jsonOf(pets: readonly StoredPet[], origin: string): string {
  return withPhotoOrigin(pets.map(({ text }) => text).join(), origin);
}
