import { Type, type TSchema } from 'typebox';
import { PET_STATUSES, type PetStatus } from '../../../domain/pets/pet.ts';
import { PET_ACTIONS, type PetAction } from '../../../domain/pets/pet-change.ts';
import { int64, time } from './int64.ts';
import { Category, Pet, Tag } from './pet.ts';

/** Who made a change. */
export const ChangeActor = Type.Object(
  {
    id: int64('The `accountId`.'),
    name: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'The user name that the account has now; null where it is no more.',
    }),
  },
  { title: 'HistoryActor', additionalProperties: false },
);
export type ChangeActor = Type.Static<typeof ChangeActor>;

const change = <Field extends string, T extends TSchema>(field: Field, value: T) =>
  Type.Object(
    { field: Type.Literal(field), before: Type.Optional(value), after: Type.Optional(value) },
    { title: `${field.charAt(0).toUpperCase()}${field.slice(1)}Change`, additionalProperties: false },
  );

const FieldChange = Type.Union(
  [
    change('category', Category),
    change('name', Type.String()),
    change('photoUrls', Type.Array(Type.String())),
    change('tags', Type.Array(Tag)),
    change('status', Type.Unsafe<(typeof PET_STATUSES)[number]>({ type: 'string', enum: [...PET_STATUSES] })),
  ],
  {
    title: 'FieldChange',
    description:
      'A field that is not the same as in the version before. What was not there is left out, on either side.',
  },
);

const fields = {
  version: int64('Grows with every change; the entity tag of the pet, without its quotes.'),
  at: time('When the change was made.'),
  action: Type.Unsafe<PetAction>({ type: 'string', enum: [...PET_ACTIONS], description: 'What was done.' }),
  actor: Type.Unsafe<ChangeActor | null>({
    anyOf: [ChangeActor, { type: 'null' }],
    description: 'By whose account; null for nobody, and at the command line.',
  }),
  changes: Type.Array(FieldChange),
};

/** One change of a pet, as its history tells it. */
export const HistoryEntry = Type.Object(fields, { title: 'HistoryEntry', additionalProperties: false });
export type HistoryEntry = Type.Static<typeof HistoryEntry>;

/** The same, with the whole pet. */
export const PetVersion = Type.Object(
  {
    ...fields,
    pet: Type.Unsafe<Pet | null>({
      anyOf: [Pet, { type: 'null' }],
      description: 'The pet as it was; null where the change removed it.',
    }),
  },
  { title: 'PetVersion', additionalProperties: false },
);
export type PetVersion = Type.Static<typeof PetVersion>;

/** A pet that is not there now, and could be again. */
export const RemovedPet = Type.Object(
  {
    id: int64('The id that the pet had, and has again when it is brought back.'),
    category: Type.Optional(Category),
    name: Type.String({ description: 'What it was called when it was removed.' }),
    status: Type.Optional(Type.Unsafe<PetStatus>({ type: 'string', enum: [...PET_STATUSES] })),
    removedAt: time('When it was removed last.'),
    removedBy: Type.Unsafe<ChangeActor | null>({
      anyOf: [ChangeActor, { type: 'null' }],
      description: 'By whose account; null for nobody, and at the command line.',
    }),
  },
  { title: 'RemovedPet', additionalProperties: false },
);
export type RemovedPet = Type.Static<typeof RemovedPet>;
