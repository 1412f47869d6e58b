import { Readable, type ReadableOptions } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { apiResponseText } from '../api/answers.ts';
import { PETS_IN_XML, xmlDocument, type XmlRoot } from '../api/xml/write-xml.ts';
import { withPhotoOrigin, type StoredPet } from '../domain/pets/pet.ts';

/*
 * How a route answers: text that is JSON already, and its headers. Who prefers XML gets XML made of that text; no route knows of it.
 */

const asItIs = (text: unknown): string => text as string;

/** Sends a text that is JSON. Without a serializer of its own, Fastify would add a charset, which JSON does not have (RFC 8259, section 11). */
export function sendJson(reply: FastifyReply, text: string, mediaType = 'application/json'): FastifyReply {
  const { xml } = reply.request;
  return xml === null ? sendText(reply, text, mediaType) : sendXml(reply, text, xml);
}

/** Sends a text that is JSON as the XML that the client prefers. */
export function sendXml(reply: FastifyReply, text: string, { root, mediaType }: XmlAnswer): FastifyReply {
  return sendText(reply, xmlDocument(root, text), mediaType);
}

/** Sends a text that is whole already. */
export function sendText(reply: FastifyReply, text: string, mediaType: string): FastifyReply {
  return reply.header('content-type', mediaType).serializer(asItIs).send(text);
}

export function sendApiResponse(reply: FastifyReply, message: string): FastifyReply {
  return sendJson(reply, apiResponseText(message));
}

export function sendPet(reply: FastifyReply, pet: StoredPet, origin: string): FastifyReply {
  return sendJson(reply.header('etag', etagOf(pet, reply.request)), withPhotoOrigin(pet.text, origin));
}

/**
 * Sends a body while it is produced. Where that fails in the middle, the failure is logged and the connection is reset: to a client of HTTP/1.0, its mere end
 * would be the end of the body, and lines of text look whole.
 */
export function sendChunks(
  reply: FastifyReply,
  chunks: AsyncIterable<string | Uint8Array>,
  options: ReadableOptions = {},
): FastifyReply {
  const stream = Readable.from(chunks, options);
  stream.once('error', (error) => {
    // Before the first chunk, it is answered as any other failure.
    if (!reply.raw.headersSent) return;
    reply.server.onCutOff(error, reply.request);
    reply.raw.socket?.resetAndDestroy();
  });
  return reply.send(stream);
}

/** The form of a streamed list of pets. A chunk is JSON, with commas between the pets. */
export interface PetListForm {
  mediaType: string;
  begin: string;
  chunk: (json: string) => string;
  between: string;
  end: string;
}

const PETS_IN_JSON = { begin: '[', chunk: (json: string) => json, between: ',', end: ']' };

export function petListForm({ xml }: FastifyRequest): PetListForm {
  return xml === null
    ? { mediaType: 'application/json', ...PETS_IN_JSON }
    : { mediaType: xml.mediaType, ...PETS_IN_XML };
}

/** The body of an answer to HEAD whose length is given, or unknown: of no body at all, Fastify would say that its length is zero. */
export function nothing(): Readable {
  return Readable.from([]);
}

/**
 * A version is never given twice, not even after a removal: it is a strong entity tag (RFC 9110, section 8.8.1). The same version in XML is other
 * bytes, so it has another (section 8.8.3).
 */
export function etagOf(pet: StoredPet, request: FastifyRequest): string {
  return `"${entityTagOf(pet, request)}"`;
}

/** What stands between the quotes. */
export function entityTagOf({ version }: StoredPet, { xml }: FastifyRequest): string | bigint {
  return xml === null ? version : `${version}${XML_MARK}`;
}

/** The version that an entity tag names, whatever the form. */
export function versionOfEntityTag(entityTag: string): string {
  return entityTag.endsWith(XML_MARK) ? entityTag.slice(0, -XML_MARK.length) : entityTag;
}

const XML_MARK = '-xml';

/** XML that a client prefers to JSON: the root of a success, and its Content-Type. */
export interface XmlAnswer {
  root: XmlRoot;
  mediaType: string;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Called when the body of an answer breaks off. */
    onCutOff: (error: Error, request: FastifyRequest) => void;
  }
  interface FastifyRequest {
    /** Null where JSON is answered: until the request has come to the door, for most operations, and for nearly every client. */
    xml: XmlAnswer | null;
  }
}
