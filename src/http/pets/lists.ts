import { setImmediate as nextIteration } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { withPhotoOrigin, type StoredPet } from '../../domain/pets/pet.ts';
import { BatchSize, countWithin, MAX_CHARACTERS_READ, MAX_PAGE_CHARACTERS } from '../../domain/batches.ts';
import type { ListPage } from '../../domain/ports.ts';
import { PETS_IN_XML } from '../../api/xml/write-xml.ts';
import { sendJson, sendRecords } from '../pipeline/response.ts';
import { turnClientOf } from '../pipeline/network-turns.ts';
import { linkNext, type Page } from '../pipeline/paging.ts';

/*
 * Lists of pets. Complete lists are streamed in chunks, so that they need little memory; others are paged. Chunks and
 * pages are limited by the number of pets and by their length, and take turns.
 */

export type PetLister = (page: ListPage) => Promise<readonly StoredPet[]>;

/** Sends a page and a link to the next one. A page with long texts has fewer pets than requested. */
export async function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  list: PetLister,
  { limit, lastId = 0n }: Page,
  origin: string,
) {
  const { text, next } = await reply.server.recordTurns.take(
    turnClientOf(request, reply),
    async () => {
      const { pets, hasMore } = await readPage(list, limit, lastId);
      return { text: jsonOf(pets, origin), next: hasMore ? pets.at(-1) : undefined };
    },
    (page) => page.text.length,
  );
  if (next !== undefined) linkNext(request, reply, { limit, lastId: next.id, origin });
  return sendJson(reply, `[${text}]`);
}

/** Sends all pets. A pet that exists from the first chunk to the last is listed exactly once. */
export async function sendAll(request: FastifyRequest, reply: FastifyReply, list: PetLister, origin: string) {
  const produce = chunkProducer(list, (pets) => jsonOf(pets, origin));
  const first = await reply.server.recordTurns.take(
    turnClientOf(request, reply),
    () => produce(0n),
    ({ text }) => text.length,
  );
  if (first.isLast) return sendJson(reply, `[${first.text}]`);
  const { xml } = request;
  const form = xml === null ? PETS_IN_JSON : PETS_IN_XML;
  reply.header('content-type', xml?.mediaType ?? 'application/json');
  // The length of a streamed list is not known beforehand.
  return sendRecords(request, reply, textOfAll(first, produce, form));
}

interface PetListForm {
  begin: string;
  /** @param json some pets, with commas between them */
  chunk: (json: string) => string;
  between: string;
  end: string;
}

const PETS_IN_JSON: PetListForm = { begin: '[', chunk: (json) => json, between: ',', end: ']' };

/** The texts of all pets, in chunks. A pet that exists from the first chunk to the last occurs exactly once. */
export async function* streamedTexts(
  list: PetLister,
  textOf: (pets: readonly StoredPet[]) => string,
): AsyncGenerator<string> {
  const produce = chunkProducer(list, textOf);
  for (let afterId = 0n; ;) {
    const chunk = await produce(afterId);
    yield chunk.text;
    if (chunk.isLast || chunk.lastId === undefined) return;
    afterId = chunk.lastId;
  }
}

/** Returns a function that reads the chunk of a list after a pet. */
function chunkProducer(
  list: PetLister,
  textOf: (pets: readonly StoredPet[]) => string,
): (afterId: bigint) => Promise<TextChunk> {
  const read = prepareChunks(list);
  return async (afterId) => {
    const { pets, isLast } = await read(afterId);
    return { text: textOf(pets), lastId: pets.at(-1)?.id, isLast };
  };
}

interface Chunk {
  pets: readonly StoredPet[];
  isLast: boolean;
}

interface TextChunk {
  text: string;
  lastId: bigint | undefined;
  isLast: boolean;
}

async function readPage(list: PetLister, limit: number, lastId: bigint) {
  const read = prepareChunks(list);
  const pets: StoredPet[] = [];
  for (;;) {
    // One pet more than requested shows whether there is a next page.
    const chunk = await read(pets.at(-1)?.id ?? lastId, limit + 1 - pets.length);
    pets.push(...chunk.pets);
    const count = Math.min(limit, countWithin(pets, MAX_PAGE_CHARACTERS));
    if (chunk.isLast || count < pets.length) return { pets: pets.slice(0, count), hasMore: count < pets.length };
    await nextIteration();
  }
}

async function* textOfAll(
  first: TextChunk,
  produce: (afterId: bigint) => Promise<TextChunk>,
  form: PetListForm,
): AsyncGenerator<string> {
  let chunk = first;
  for (let before = form.begin; chunk.lastId !== undefined; before = form.between) {
    yield before + form.chunk(chunk.text);
    if (chunk.isLast) break;
    chunk = await produce(chunk.lastId);
  }
  yield form.end;
}

/** Returns a function that reads one chunk of at most `max` pets. */
function prepareChunks(list: PetLister): (afterId: bigint, max?: number) => Promise<Chunk> {
  const size = new BatchSize();
  return async (afterId, max = Infinity) => {
    const limit = Math.min(size.count, max);
    const found = await list({ afterId, limit });
    size.learn(found);
    // The rest is read again for the next chunk, so that a slow client does not hold it in memory.
    const pets = found.slice(0, countWithin(found, MAX_CHARACTERS_READ));
    return { pets, isLast: found.length < limit && pets.length === found.length };
  };
}

/** The pets as JSON, separated by commas. */
function jsonOf(pets: readonly StoredPet[], origin: string): string {
  return pets.map(({ text }) => withPhotoOrigin(text, origin)).join();
}
