import { EVENT_KINDS, type EventKind } from '../../domain/events/change-event.ts';
import type { EventFilter } from '../../domain/events/change-stream.ts';
import { Failure } from '../../domain/failure.ts';
import { MAX_INT64, parseInt64 } from '../../domain/int64.ts';

/* The parameters of the event stream. */

/** @throws Failure `invalid-input` */
export function readEventFilter(kinds: readonly string[] | undefined, petId: unknown): EventFilter {
  return { kinds: kinds === undefined ? undefined : readKinds(kinds), petId: readPetId(petId) };
}

/**
 * The version of the last event that the client received. An EventSource sends it as a header when it reconnects;
 * clients that cannot set headers send it as a parameter, which stays the same when they reconnect, so the header has
 * precedence.
 *
 * @throws Failure `invalid-input`
 */
export function readLastEventId(header: unknown, parameter: unknown): bigint | undefined {
  const given = header === undefined || header === '' ? parameter : header;
  if (given === undefined || given === '') return undefined;
  const version = typeof given === 'string' && /^\d{1,19}$/.test(given) ? BigInt(given) : undefined;
  if (version !== undefined && version <= MAX_INT64) return version;
  throw new Failure('invalid-input', 'Last-Event-ID must be the ID of an event, or 0 for the beginning.');
}

function readKinds(names: readonly string[]): readonly EventKind[] {
  const kinds = EVENT_KINDS.filter((kind) => names.includes(kind));
  if (kinds.length > 0 && names.every((name) => kinds.some((kind) => kind === name))) return kinds;
  throw new Failure('invalid-input', `kinds must be one or more of ${EVENT_KINDS.join(', ')}.`);
}

function readPetId(value: unknown): bigint | undefined {
  if (value === undefined) return undefined;
  const id = typeof value === 'string' ? parseInt64(value) : undefined;
  if (id === undefined) throw new Failure('invalid-input', 'petId must be the ID of a pet.');
  return id;
}
