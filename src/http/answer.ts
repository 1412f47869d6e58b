import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { apiResponseText } from '../contract/answers.ts';
import { withPhotoOrigin, type StoredPet } from '../domain/pets/pet.ts';

/*
 * How a route answers: text that is JSON already, and its headers.
 */

const asItIs = (text: unknown): string => text as string;

/** Sends a text that is JSON. Without a serializer of its own, Fastify would add a charset, which JSON does not have (RFC 8259, section 11). */
export function sendJson(reply: FastifyReply, text: string, mediaType = 'application/json'): FastifyReply {
  return reply.header('content-type', mediaType).serializer(asItIs).send(text);
}

export function sendApiResponse(reply: FastifyReply, message: string): FastifyReply {
  return sendJson(reply, apiResponseText(message));
}

export function sendPet(reply: FastifyReply, pet: StoredPet, origin: string): FastifyReply {
  return sendJson(reply.header('etag', etagOf(pet)), withPhotoOrigin(pet.text, origin));
}

/** The body of an answer to HEAD whose length is given, or unknown: of no body at all, Fastify would say that its length is zero. */
export function nothing(): Readable {
  return Readable.from([]);
}

/** A version is never given twice, not even after a removal: it is a strong entity tag (RFC 9110, section 8.8.1). */
export function etagOf({ version }: StoredPet): string {
  return `"${version}"`;
}
