import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { encodingOf } from '../answer.ts';

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

/** A page is compressed anew for everybody: what level 5 makes of it is as small as is worth the time. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

/**
 * Sends a page as small as the client takes it. It holds no secret whose length could be guessed at by what stands beside it (BREACH): the session is
 * in a cookie that no page sees, and the nonce is another one each time.
 */
export async function sendCompressed(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  html: string,
): Promise<FastifyReply> {
  const encoding = encodingOf(headers);
  reply.header('vary', 'Accept, Accept-Encoding, Accept-Language, Cookie');
  if (encoding === undefined) return reply.send(html);
  reply.header('content-encoding', encoding);
  return reply.send(await (encoding === 'br' ? brotli(html, BROTLI) : zip(html)));
}
