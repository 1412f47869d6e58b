import { EVENT_KINDS, type EventKind } from '../domain/events/change-event.ts';
import type { EventFilter } from '../domain/events/change-stream.ts';
import { Failure } from '../domain/failure.ts';
import { MAX_INT64, parseInt64 } from '../domain/int64.ts';

/*
 * What somebody asks for who wants to follow events.
 */

/** @throws Failure `invalid-input` */
export function readEventFilter(kinds: readonly string[] | undefined, petId: unknown): EventFilter {
  return { kinds: kinds === undefined ? undefined : readKinds(kinds), petId: readPetId(petId) };
}

/**
 * Where to go on: the number of the last change that a client was told of. An EventSource sends it as a header when it comes back; what cannot set
 * headers puts it into the address, which then stays as it was.
 *
 * @throws Failure `invalid-input`
 */
export function readLastEventId(header: unknown, parameter: unknown): bigint | undefined {
  const given = header === undefined || header === '' ? parameter : header;
  if (given === undefined || given === '') return undefined;
  const version = typeof given === 'string' && /^\d{1,19}$/.test(given) ? BigInt(given) : undefined;
  if (version !== undefined && version <= MAX_INT64) return version;
  throw new Failure('invalid-input', 'Last-Event-ID must be the id of an event, or 0 for the beginning.');
}

function readKinds(names: readonly string[]): readonly EventKind[] {
  const kinds = EVENT_KINDS.filter((kind) => names.includes(kind));
  if (kinds.length > 0 && names.every((name) => kinds.some((kind) => kind === name))) return kinds;
  throw new Failure('invalid-input', `kinds must be one or more of ${EVENT_KINDS.join(', ')}.`);
}

function readPetId(value: unknown): bigint | undefined {
  if (value === undefined) return undefined;
  const id = typeof value === 'string' ? parseInt64(value) : undefined;
  if (id === undefined) throw new Failure('invalid-input', 'petId must be the id of a pet.');
  return id;
}
