import { Type } from 'typebox';
import type { AccountAction } from '../../../domain/events/change-event.ts';
import type { PetAction } from '../../../domain/pets/pet-change.ts';
import { int64, time } from './int64.ts';
import { Pet } from './pet.ts';

const orNull = <T>(schema: Type.TSchema) => Type.Unsafe<T | null>({ anyOf: [schema, { type: 'null' }] });

const BASE_FIELDS = {
  version: int64('Its number: one order over all changes, in which nothing is ever put in between.'),
  at: time('When.'),
  changedBy: Type.Optional(
    Type.Unsafe<bigint | null>({
      type: ['integer', 'null'],
      format: 'int64',
      description:
        'The `accountId` of the account that made the change; null for anonymous clients and at the command line. Only for those who may change pets.',
    }),
  ),
};

export const PetEvent = Type.Object(
  {
    ...BASE_FIELDS,
    // More may come: the document says no more than what they have in common.
    type: Type.Unsafe<`pet.${PetAction}`>({
      type: 'string',
      pattern: String.raw`^pet\.[a-z-]+$`,
      description: 'What happened.',
      examples: ['pet.added'],
    }),
    id: int64('Of the pet.'),
    pet: orNull<Pet>(Pet),
  },
  {
    title: 'PetEvent',
    description: 'What became of a pet. `pet` is null where it was removed.',
    additionalProperties: false,
  },
);
export type PetEvent = Type.Static<typeof PetEvent>;

const ChangedAccount = Type.Object(
  { id: int64('The `accountId`. Never changes.'), username: Type.String({ description: 'After the change.' }) },
  { title: 'ChangedAccount', additionalProperties: false },
);

export const AccountEvent = Type.Object(
  {
    ...BASE_FIELDS,
    type: Type.Unsafe<`account.${AccountAction}`>({
      type: 'string',
      pattern: String.raw`^account\.[a-z-]+$`,
      description: 'What happened.',
      examples: ['account.closed'],
    }),
    id: int64('The `accountId`.'),
    account: ChangedAccount,
    details: Type.Unsafe<Readonly<Record<string, string>> | null>({
      type: ['object', 'null'],
      additionalProperties: { type: 'string' },
      description: 'What else is worth knowing, by name.',
    }),
  },
  { title: 'AccountEvent', description: 'What became of an account. Never a secret.', additionalProperties: false },
);
export type AccountEvent = Type.Static<typeof AccountEvent>;

/** Tells how far a client has come, where there is nothing else to tell it. */
export const PositionEvent = Type.Object(
  { version: int64('The last change that was looked at.') },
  { title: 'PositionEvent', additionalProperties: false },
);
export type PositionEvent = Type.Static<typeof PositionEvent>;

export const ChangeEvent = Type.Union([PetEvent, AccountEvent, PositionEvent]);
export type ChangeEvent = Type.Static<typeof ChangeEvent>;
