import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { Failure } from '../../domain/failure.ts';

/*
 * Cursors that go on with one question only. Opaque for clients; for us, where the last page ended.
 */

type Value = string | number | boolean | bigint;

export interface Cursors {
  /** What a cursor of this question holds; undefined where none is given. @throws Failure `invalid-input` */
  read(cursor: unknown): readonly string[] | undefined;
  write(values: readonly Value[]): string;
}

/** @param question all that decides which records come in which order */
export function cursorsOf(question: unknown, length: number): Cursors {
  const text = JSON.stringify(question, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}` : value));
  const mark = createHash('sha256').update(text).digest('base64url').slice(0, 12);
  return {
    read(cursor) {
      if (cursor === undefined) return undefined;
      const [of, ...values] = typeof cursor === 'string' ? decode(cursor) : [];
      if (of === mark && values.length === length) return values;
      throw new Failure(
        'invalid-input',
        'The cursor is not one that this service gave for this question. Begin again without a cursor.',
      );
    },
    write: (values) => Buffer.from(JSON.stringify([mark, ...values.map(String)])).toString('base64url'),
  };
}

/** Where the same request goes on. */
export function nextUrl(request: FastifyRequest, limit: number, cursor: string, origin: string): string {
  const url = new URL(request.url, 'http://localhost');
  url.searchParams.set('limit', String(limit));
  url.searchParams.set('cursor', cursor);
  return `${origin}${url.pathname}${url.search}`;
}

function decode(cursor: string): readonly string[] {
  try {
    const values: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    return Array.isArray(values) && values.every((value) => typeof value === 'string') ? values : [];
  } catch {
    return [];
  }
}
