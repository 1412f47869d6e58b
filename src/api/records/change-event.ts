import { typeOf, type AccountAction, type ChangeEvent as DomainEvent } from '../../domain/events/change-event.ts';
import type { LostChanges } from '../../domain/events/seen-changes.ts';
import { withPhotoOrigin } from '../../domain/pets/pet.ts';
import type { PetAction } from '../../domain/pets/pet-change.ts';
import { JsonText, recordText } from './record-text.ts';
import * as Type from './type.ts';
import { Actor, exactly, int64, orNull, time, timeText } from './fields.ts';
import { Pet } from './pet.ts';
import { Profile } from './profile.ts';

const BASE_FIELDS = {
  version: int64('The position in the sequence of all changes. No later change gets a lower version.'),
  at: time('The time of the change.'),
  actor: Type.Optional(
    orNull(
      Actor,
      'The account that made the change; null for anonymous clients and the command line. Only for clients with ' +
        'permission to change pets, and for systems to which an administrator sends events.',
    ),
  ),
};

export const PetEvent = Type.Object(
  {
    ...BASE_FIELDS,
    // A pattern instead of an enum, because later versions may have more types.
    type: Type.Unsafe<`pet.${PetAction}`>({
      type: 'string',
      pattern: String.raw`^pet\.[a-z-]+$`,
      description: 'The type of the event.',
      examples: ['pet.added'],
    }),
    id: int64('The id of the pet.'),
    pet: orNull(Pet),
    profile: Type.Optional(Profile),
  },
  {
    title: 'PetEvent',
    description:
      'A change of a pet. `pet` is null if it was deleted, or if it became a draft and the client may not change ' +
      'pets. `profile` is only for clients with permission to change pets, and absent if it is empty.',
    additionalProperties: false,
  },
);
export type PetEvent = Type.Static<typeof PetEvent>;

const ChangedAccount = Type.Object(
  {
    id: int64('The `accountId`. Never changes.'),
    username: Type.String({ description: 'The user name after the change.' }),
  },
  exactly('ChangedAccount'),
);

export const AccountEvent = Type.Object(
  {
    ...BASE_FIELDS,
    type: Type.Unsafe<`account.${AccountAction}`>({
      type: 'string',
      pattern: String.raw`^account\.[a-z-]+$`,
      description: 'The type of the event.',
      examples: ['account.closed'],
    }),
    id: int64('The `accountId`.'),
    account: ChangedAccount,
    details: Type.Unsafe<Readonly<Record<string, string>> | null>({
      type: ['object', 'null'],
      additionalProperties: { type: 'string' },
      description: 'Further details by name.',
    }),
  },
  { title: 'AccountEvent', description: 'A change of an account. It contains no secret.', additionalProperties: false },
);
export type AccountEvent = Type.Static<typeof AccountEvent>;

/** The position of a client in the stream, sent when there is no other event. */
const PositionEvent = Type.Object(
  { version: int64('The version of the last examined change.') },
  exactly('PositionEvent'),
);
type PositionEvent = Type.Static<typeof PositionEvent>;

/** Sent when the database has lost changes, as after a failover to a server without them. */
const ResetEvent = Type.Object(
  {
    version: int64('The last version that is kept. The stream continues after it.'),
    type: Type.Literal('reset'),
    lastVersion: int64('The last lost version that was seen. Later changes may have the versions of lost ones.'),
  },
  {
    title: 'ResetEvent',
    description: 'The database has lost changes that the client may have received: it reads its data again.',
    additionalProperties: false,
  },
);
type ResetEvent = Type.Static<typeof ResetEvent>;

export const ChangeEvent = Type.Union([PetEvent, AccountEvent, PositionEvent, ResetEvent]);
export type ChangeEvent = Type.Static<typeof ChangeEvent>;

/**
 * An event as JSON on one line. The pet is the text of the response at that time, with the current origin of the
 * service.
 *
 * @param origin at which the receiver reaches the service
 */
export function eventText(event: DomainEvent, origin: string): string {
  const { version } = event;
  const at = timeText(event.atMs);
  const actor = actorOf(event);
  if (event.kind === 'pet') {
    const { action, petId: id, text } = event;
    const pet = text === null ? null : new JsonText(withPhotoOrigin(text, origin));
    const profile = event.profile === null ? undefined : new JsonText(event.profile);
    return recordText<PetEvent>({ version, type: `pet.${action}`, at, actor, id, pet, profile });
  }
  const { action, accountId: id, username, details } = event;
  const account = { id, username };
  return recordText<AccountEvent>({ version, type: `account.${action}`, at, actor, id, account, details });
}

function actorOf({ actorId }: DomainEvent) {
  return typeof actorId === 'bigint' ? { id: actorId } : actorId;
}

/** An event of a stream. JSON escapes line breaks, so it is one line of data. */
export function streamedEventText(event: DomainEvent, origin: string): string {
  return `id: ${event.version}\nevent: ${typeOf(event)}\ndata: ${eventText(event, origin)}\n\n`;
}

/** An event and not only an id, because many clients ignore an id without data. */
export function positionText(version: bigint): string {
  return `id: ${version}\nevent: position\ndata: ${recordText<PositionEvent>({ version })}\n\n`;
}

export function resetText({ kept: version, last: lastVersion }: LostChanges): string {
  return `id: ${version}\nevent: reset\ndata: ${recordText<ResetEvent>({ version, type: 'reset', lastVersion })}\n\n`;
}
