import type { FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '../../domain/failure.ts';
import { MAX_INT64, parseInt64 } from '../../domain/int64.ts';
import { turnClientOf } from './network-turns.ts';
import { pathIn, searchParamsIn } from './base-path.ts';

/* Pagination: the query parameters `limit` and `cursor`, and a Link header to the next page (RFC 8288). */

export interface Page {
  limit: number;
  /** The last id of the previous page; undefined on the first page. */
  lastId: bigint | undefined;
}

const MAX_LIMIT = 1000;
const DEFAULT_LIMIT = 100;

/** Reads `limit` and `cursor`; undefined if neither is given. @throws Failure `invalid-input` */
export function readPage(query: unknown): Page | undefined {
  const { limit, cursor } = query as Record<string, unknown>;
  if (limit === undefined && cursor === undefined) return undefined;
  return {
    limit: readLimit(limit, DEFAULT_LIMIT),
    lastId: cursor === undefined ? undefined : readCursor(cursor),
  };
}

/** Like `readPage`, for lists that are always paged. */
export function readPageOrFirst(query: unknown): Page {
  return readPage(query) ?? { limit: DEFAULT_LIMIT, lastId: undefined };
}

/**
 * Reads one page when it is the turn of the client, and sets the link to the next one.
 *
 * @param list returns at most `limit` records
 */
export async function takePage<T>(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    limit,
    idOf,
    list,
    origin,
  }: { limit: number; idOf: (record: T) => bigint; list: (limit: number) => Promise<readonly T[]>; origin: string },
): Promise<readonly T[]> {
  // One record more than requested shows whether there is a next page.
  const found = await reply.server.recordTurns.take(turnClientOf(request, reply), () => list(limit + 1));
  const records = found.slice(0, limit);
  const last = records.at(-1);
  if (found.length > limit && last !== undefined) linkNext(request, reply, { limit, lastId: idOf(last), origin });
  return records;
}

/** Sets the link to the next page. `lastId` is the last id of this page. */
export function linkNext(
  request: FastifyRequest,
  reply: FastifyReply,
  { limit, lastId, origin }: { limit: number; lastId: bigint; origin: string },
): void {
  linkCursor(request, reply, { limit, cursor: Buffer.from(`id:${lastId}`).toString('base64url'), origin });
}

/** Sets the link to the page that begins at the cursor. */
export function linkCursor(
  request: FastifyRequest,
  reply: FastifyReply,
  { limit, cursor, origin }: { limit: number; cursor: string; origin: string },
): void {
  const query = searchParamsIn(request.url);
  query.set('limit', String(limit));
  query.set('cursor', cursor);
  reply.header('link', `<${origin}${pathIn(request.url)}?${query.toString()}>; rel="next"`);
}

/** @throws Failure `invalid-input` */
export function readLimit(limit: unknown, defaultLimit: number, maxLimit = MAX_LIMIT): number {
  if (limit === undefined) return defaultLimit;
  const value = typeof limit === 'string' && /^\d{1,4}$/.test(limit) ? Number(limit) : 0;
  if (value < 1 || value > maxLimit)
    throw new Failure('invalid-input', `limit must be an integer from 1 to ${maxLimit}.`);
  return value;
}

/** A cursor is opaque to clients. It contains the last id of a page. */
function readCursor(cursor: unknown): bigint {
  const text = typeof cursor === 'string' ? Buffer.from(cursor, 'base64url').toString('latin1') : '';
  const lastId = text.startsWith('id:') ? parseInt64(text.slice(3)) : undefined;
  if (lastId === undefined || lastId < 0n || lastId > MAX_INT64) {
    throw new Failure('invalid-input', 'Invalid cursor. Start again without a cursor.');
  }
  return lastId;
}
