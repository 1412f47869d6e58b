import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '../../domain/failure.ts';
import { MAX_INT64, parseInt64 } from '../../domain/int64.ts';
import { withPhotoOrigin, type StoredPet } from '../../domain/pets/pet.ts';
import type { ListPart } from '../../domain/pets/ports.ts';
import { nothing, sendJson } from '../answer.ts';

/*
 * Lists of pets: complete ones flow out part by part, so that memory stays flat however long they are; paged ones on demand.
 */

export type PetLister = (part: ListPart) => Promise<readonly StoredPet[]>;

export interface Page {
  limit: number;
  afterId: bigint;
}

/** Small enough that other requests hardly wait while a part is read, large enough that its fixed cost does not count. */
const STREAMED_PART = 100;

const MAX_LIMIT = 1000;
const DEFAULT_LIMIT = 100;

/** Every value of a query parameter that is an array: `a=1&a=2`, `a=1,2` and `a[]=1`, mixed as well. Undefined where there is none. */
export function readListParameter(query: unknown, name: string): readonly string[] | undefined {
  const parameters = query as Record<string, string | string[] | undefined>;
  const values = [parameters[name], parameters[`${name}[]`]].flat().filter((value) => value !== undefined);
  return values.length === 0 ? undefined : values.flatMap((value) => value.split(','));
}

/** Reads `limit` and `cursor`; undefined where neither is given, and the complete list is wanted. @throws Failure `invalid-input` */
export function readPage(query: unknown): Page | undefined {
  const { limit, cursor } = query as Record<string, unknown>;
  if (limit === undefined && cursor === undefined) return undefined;
  return {
    limit: limit === undefined ? DEFAULT_LIMIT : readLimit(limit),
    afterId: cursor === undefined ? 0n : readCursor(cursor),
  };
}

/** Answers one page, and where the next one is (RFC 8288). */
export async function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  list: PetLister,
  page: Page,
  origin: string,
) {
  const { limit, afterId } = page;
  // One more than asked for tells whether there is a next page.
  const found = await list({ afterId, limit: limit + 1 });
  const pets = found.slice(0, limit);
  const last = pets.at(-1);
  if (found.length > limit && last !== undefined)
    reply.header('link', `<${nextUrl(request, last.id, limit, origin)}>; rel="next"`);
  return sendJson(reply, withPhotoOrigin(`[${pets.map(({ text }) => text).join()}]`, origin));
}

/** Answers all pets there are. A pet that is there from the beginning to the end is in the list exactly once. */
export async function sendAll(request: FastifyRequest, reply: FastifyReply, list: PetLister, origin: string) {
  const first = await list({ afterId: 0n, limit: STREAMED_PART });
  if (first.length < STREAMED_PART)
    return sendJson(reply, withPhotoOrigin(`[${first.map(({ text }) => text).join()}]`, origin));
  reply.header('content-type', 'application/json');
  // Of a list that is streamed, nobody knows the length beforehand.
  return reply.send(request.method === 'HEAD' ? nothing() : Readable.from(textOfAll(first, list, origin)));
}

async function* textOfAll(first: readonly StoredPet[], list: PetLister, origin: string): AsyncGenerator<string> {
  let part = first;
  for (let before = '['; ; before = ',') {
    const last = part.at(-1);
    if (last === undefined) break;
    yield before + withPhotoOrigin(part.map(({ text }) => text).join(), origin);
    if (part.length < STREAMED_PART) break;
    part = await list({ afterId: last.id, limit: STREAMED_PART });
  }
  yield ']';
}

function readLimit(limit: unknown): number {
  const value = typeof limit === 'string' && /^\d{1,4}$/.test(limit) ? Number(limit) : 0;
  if (value < 1 || value > MAX_LIMIT)
    throw new Failure('invalid-input', `limit must be a whole number from 1 to ${MAX_LIMIT}.`);
  return value;
}

/** A cursor is opaque for clients; for us it is the last id that they have. */
function readCursor(cursor: unknown): bigint {
  const text = typeof cursor === 'string' ? Buffer.from(cursor, 'base64url').toString('latin1') : '';
  const afterId = text.startsWith('id:') ? parseInt64(text.slice(3)) : undefined;
  if (afterId === undefined || afterId < 0n || afterId > MAX_INT64) {
    throw new Failure('invalid-input', 'The cursor is not one that this service gave. Begin again without a cursor.');
  }
  return afterId;
}

function nextUrl(request: FastifyRequest, lastId: bigint, limit: number, origin: string): string {
  const url = new URL(request.url, 'http://localhost');
  url.searchParams.set('limit', String(limit));
  url.searchParams.set('cursor', Buffer.from(`id:${lastId}`).toString('base64url'));
  return `${origin}${url.pathname}${url.search}`;
}
