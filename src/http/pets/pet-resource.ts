import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '../../domain/failure.ts';
import { parseInt64 } from '../../domain/int64.ts';
import { withPhotoOrigin, type StoredPet } from '../../domain/pets/pet.ts';
import { matches, type EntityTag, type Precondition } from '../../domain/precondition.ts';
import { sendJson } from '../pipeline/response.ts';

/* A pet as an HTTP resource: the id in its path, its entity tag, and the preconditions of requests. */

/** The id of the pet in the path. @throws Failure `invalid-input` */
export function petIdOf({ params }: FastifyRequest): bigint {
  const id = parseInt64((params as { petId: string }).petId);
  if (id === undefined) throw new Failure('invalid-input', 'Invalid ID supplied');
  return id;
}

/** @param origin the origin at which the client reaches the service */
export function sendPet(reply: FastifyReply, pet: StoredPet, origin: string): FastifyReply {
  return sendJson(reply.header('etag', etagOf(pet, reply.request)), withPhotoOrigin(pet.text, origin));
}

/** The suffix of the entity tags of XML. */
const XML_MARK = '-xml';

/**
 * The entity tag of a pet. A version is never reused, not even after a deletion, so the tag is strong (RFC 9110,
 * section 8.8.1). The same version in XML has different bytes, so it has a different tag (section 8.8.3).
 */
export function etagOf(pet: StoredPet, request: FastifyRequest): string {
  return `"${entityTagOf(pet, request)}"`;
}

/** The entity tag without quotation marks. */
export function entityTagOf({ version }: StoredPet, { xml }: FastifyRequest): string | bigint {
  return xml === null ? version : `${version}${XML_MARK}`;
}

/** The characters of an entity tag (RFC 9110, section 8.8.3: etagc). */
const TAG_CHARACTERS = /^[\x21\x23-\x7e\x80-\xff]*$/;

/**
 * Reads If-Match and If-None-Match of a change (RFC 9110, sections 13.1.1 and 13.1.2). The tags of JSON and XML
 * identify the same version of the pet.
 *
 * @throws Failure `invalid-input`
 */
export function preconditionOf(headers: IncomingHttpHeaders): Precondition | undefined {
  const ifMatch = versionsOf(readTags('If-Match', headers['if-match']));
  const ifNoneMatch = versionsOf(readTags('If-None-Match', headers['if-none-match']));
  if (ifMatch === undefined && ifNoneMatch === undefined) return undefined;
  return { ...(ifMatch !== undefined && { ifMatch }), ...(ifNoneMatch !== undefined && { ifNoneMatch }) };
}

/**
 * Whether the client already has the representation with this entity tag (without quotation marks), so that the
 * response is 304.
 */
export function isUnchanged(headers: IncomingHttpHeaders, current: string | bigint): boolean {
  const header = headers['if-none-match'];
  if (header === undefined) return false;
  return header === `"${current}"` || matches(readTags('If-None-Match', header) ?? [], String(current), false);
}

function versionsOf(tags: '*' | readonly EntityTag[] | undefined): '*' | readonly EntityTag[] | undefined {
  if (tags === undefined || tags === '*') return tags;
  return tags.map(({ weak, value }) => ({
    weak,
    value: value.endsWith(XML_MARK) ? value.slice(0, -XML_MARK.length) : value,
  }));
}

function readTags(name: string, header: string | undefined): '*' | readonly EntityTag[] | undefined {
  if (header === undefined) return undefined;
  if (header.trim() === '*') return '*';
  const tags = scanTags(header);
  if (tags === undefined) {
    throw new Failure('invalid-input', `${name} must be * or a list of entity tags in double quotes, such as "42".`);
  }
  return tags;
}

/**
 * Reads a list of entity tags (RFC 9110, sections 5.6.1 and 8.8.3) in one pass: a regular expression for the whole list
 * backtracks exponentially.
 *
 * @returns undefined for anything but a list with at least one tag
 */
function scanTags(header: string): readonly EntityTag[] | undefined {
  const tags: EntityTag[] = [];
  let mayBegin = true;
  for (let at = 0; at < header.length;) {
    const character = header[at];
    if (character === ' ' || character === '\t') at += 1;
    else if (character === ',') {
      mayBegin = true;
      at += 1;
    } else {
      const weak = header.startsWith('W/"', at);
      const start = at + (weak ? 3 : 1);
      const end = header.indexOf('"', start);
      const value = header.slice(start, end);
      if (!mayBegin || header[start - 1] !== '"' || end < 0 || !TAG_CHARACTERS.test(value)) return undefined;
      tags.push({ weak, value });
      mayBegin = false;
      at = end + 1;
    }
  }
  return tags.length === 0 ? undefined : tags;
}
