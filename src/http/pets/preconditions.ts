import type { IncomingHttpHeaders } from 'node:http';
import { Failure } from '../../domain/failure.ts';
import { versionOfEntityTag } from '../answer.ts';
import { matches, type EntityTag, type Precondition } from '../../domain/pets/precondition.ts';

const ENTITY_TAG = /(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g;
const ENTITY_TAG_LIST =
  /^\s*,*\s*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"(?:\s*,\s*(?:(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")?)*\s*$/;

/**
 * Reads If-Match and If-None-Match of a change (RFC 9110, sections 13.1.1 and 13.1.2). It is about the pet, in whatever form the client has it.
 *
 * @throws Failure `invalid-input`
 */
export function preconditionOf(headers: IncomingHttpHeaders): Precondition | undefined {
  const ifMatch = versionsOf(readTags('If-Match', headers['if-match']));
  const ifNoneMatch = versionsOf(readTags('If-None-Match', headers['if-none-match']));
  if (ifMatch === undefined && ifNoneMatch === undefined) return undefined;
  return { ...(ifMatch !== undefined && { ifMatch }), ...(ifNoneMatch !== undefined && { ifNoneMatch }) };
}

/** Has the client what has this entity tag? Then 304 will do. */
export function isUnchanged(headers: IncomingHttpHeaders, current: string | bigint): boolean {
  const header = headers['if-none-match'];
  if (header === undefined) return false;
  return header === `"${current}"` || matches(readTags('If-None-Match', header) ?? [], String(current), false);
}

function versionsOf(tags: '*' | readonly EntityTag[] | undefined): '*' | readonly EntityTag[] | undefined {
  if (tags === undefined || tags === '*') return tags;
  return tags.map(({ weak, value }) => ({ weak, value: versionOfEntityTag(value) }));
}

function readTags(name: string, header: string | undefined): '*' | readonly EntityTag[] | undefined {
  if (header === undefined) return undefined;
  if (header.trim() === '*') return '*';
  if (!ENTITY_TAG_LIST.test(header)) {
    throw new Failure('invalid-input', `${name} must be * or a list of entity tags in double quotes, such as "42".`);
  }
  return [...header.matchAll(ENTITY_TAG)].map(([, weak, value]) => ({ weak: weak !== undefined, value: value ?? '' }));
}
