import { EVENT_KINDS, type EventKind } from '../../../domain/events/change-event.ts';
import * as Type from '../../records/type.ts';
import { response, type OperationDescription } from '../parts/format.ts';
import { ChangeEvent } from '../../records/change-event.ts';
import { int64 } from '../../records/fields.ts';

const LAST_EVENT_ID = Type.Optional(
  int64(
    'The ID of the last received event: the stream continues after it. 0 starts at the beginning. Without it, ' +
      'the stream starts with the next change.',
  ),
);

export const EVENT_OPERATIONS = {
  streamEvents: {
    group: 'events',
    summary: 'Stream events',
    description:
      'Streams changes as server-sent events. The `id` of an event is the version of the change, `event` is its ' +
      'type (`pet.added`, `pet.deleted`, ...), and `data` is one line of JSON. After a disconnect, reconnect to ' +
      'any node with `Last-Event-ID` to miss no event. A `position` event only advances the ID. After a `reset` ' +
      'event, read your data again: the database has lost changes. Lines that begin with a colon are heartbeats. ' +
      'Clients without permission to change pets receive the six fields of versions that were published then. ' +
      'Only administrators receive events of accounts.',
    query: {
      kinds: Type.Optional(
        Type.Unsafe<readonly EventKind[]>({
          type: 'array',
          minItems: 1,
          items: { type: 'string', enum: [...EVENT_KINDS] },
          description: 'The kinds of events. By default, events of pets, and for administrators also of accounts.',
        }),
      ),
      petId: Type.Optional(int64('Only events of this pet.')),
      lastEventId: Type.Optional(int64('The same as the header `Last-Event-ID`, which has precedence.')),
    },
    headers: { 'Last-Event-ID': LAST_EVENT_ID },
    responses: { 200: response({ 'text/event-stream': ChangeEvent }, 'An endless stream of events.', 'Cache-Control') },
    failures: {
      400: 'A parameter is invalid, or `Last-Event-ID` is later than the last change',
      401: 'Events of accounts require the login of an administrator; or, in secured access, the session or API key is not valid any more',
      403: 'Events of accounts are for administrators only; or, in open access, the host is not this machine',
      429: 'Too many event streams from this address',
      503: 'Too many event streams, something that the service needs is not available, or the service is stopping',
    },
  },
} as const satisfies Record<string, OperationDescription>;
