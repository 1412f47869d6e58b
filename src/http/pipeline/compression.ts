import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { encodingOf } from './negotiation.ts';

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

/** Pages are compressed for every request. Above level 5, the smaller size is not worth the time. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

/**
 * Sends a page. Compression is safe from BREACH: a page contains no secret. The session is in a cookie.
 *
 * @param vary the request headers on which the page depends
 */
export async function sendCompressed(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  html: string,
  vary: string,
): Promise<FastifyReply> {
  const encoding = encodingOf(headers);
  reply.header('vary', vary);
  if (encoding === undefined) return reply.send(html);
  reply.header('content-encoding', encoding);
  return reply.send(await (encoding === 'br' ? brotli(html, BROTLI) : zip(html)));
}
