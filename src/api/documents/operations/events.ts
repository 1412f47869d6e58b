import { Type } from 'typebox';
import { EVENT_KINDS, type EventKind } from '../../../domain/events/change-event.ts';
import { answer, type OperationDescription } from '../format.ts';
import { ChangeEvent } from '../../records/change-event.ts';
import { int64 } from '../../records/fields.ts';

const LAST_EVENT_ID = Type.Optional(
  int64(
    'The id of the last event that the client was told of: it goes on after it. 0 is the beginning; without it, what comes from now on.',
  ),
);

/** What changes, told to those who follow it. */
export const EVENT_OPERATIONS = {
  streamEvents: {
    group: 'events',
    summary: 'Follow what changes, as server-sent events',
    description:
      'Each event has as its id the number of the change, as its name the type (`pet.added`, `pet.removed`, ...), as its data one line of JSON. A client that was cut off comes back with `Last-Event-ID`, to any node, and misses nothing. An event `position` only says how far the client has come. Lines that begin with a colon say that the service is there.',
    query: {
      kinds: Type.Optional(
        Type.Unsafe<readonly EventKind[]>({
          type: 'array',
          minItems: 1,
          items: { type: 'string', enum: [...EVENT_KINDS] },
          description: 'Of what to tell. Left out: of pets, and administrators also of accounts.',
        }),
      ),
      petId: Type.Optional(int64('Only of this pet.')),
      lastEventId: Type.Optional(int64('As the header `Last-Event-ID`, which counts first.')),
    },
    headers: { 'Last-Event-ID': LAST_EVENT_ID },
    answers: { 200: answer({ 'text/event-stream': ChangeEvent }, 'Events, without an end.', 'Cache-Control') },
    failures: {
      400: 'A parameter is not valid, or no change has the number of `Last-Event-ID`',
      401: 'Accounts are for administrators, who have to log in; or, in secured access, the session or key that was sent is no good any more',
      403: 'Accounts are for administrators; or in open access, the host must be this machine',
      429: 'Too many follow from this address already',
      503: 'Too many follow already, something that the service needs is out of reach, or the service is stopping',
    },
  },
} as const satisfies Record<string, OperationDescription>;
