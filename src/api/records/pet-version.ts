import type { TSchema } from 'typebox';
import { PET_STATUSES, type PetStatus } from '../../domain/pets/pet.ts';
import { PET_ACTIONS, type PetAction } from '../../domain/pets/pet-change.ts';
import { changesBetween, type FieldChange as DomainChange } from '../../domain/pets/pet-history.ts';
import type { HistoryEntry as DomainEntry, DeletedPet as DomainDeletedPet } from '../../domain/pets/pet-version.ts';
import { JsonText, recordText, type Written } from './record-text.ts';
import * as Type from './type.ts';
import { Actor, exactly, int64, orNull, time, timeText } from './fields.ts';
import { Category, Pet, Tag } from './pet.ts';
import { Profile } from './profile.ts';

const change = <Field extends string, T extends TSchema>(field: Field, value: T) =>
  Type.Object(
    { field: Type.Literal(field), before: Type.Optional(value), after: Type.Optional(value) },
    exactly(`${field.charAt(0).toUpperCase()}${field.slice(1)}Change`),
  );

const FieldChange = Type.Union(
  [
    change('category', Category),
    change('name', Type.String()),
    change('photoUrls', Type.Array(Type.String())),
    change('tags', Type.Array(Tag)),
    change('status', Type.Unsafe<(typeof PET_STATUSES)[number]>({ type: 'string', enum: [...PET_STATUSES] })),
    change('profile', Profile),
  ],
  {
    title: 'FieldChange',
    description:
      'A field that differs from the previous version. A missing value is omitted on either side. For the profile, ' +
      'each side has the fields of the profile that differ.',
  },
);
type FieldChange = Type.Static<typeof FieldChange>;

const fields = {
  version: int64('Increases with each change: the entity tag of the pet, without quotes.'),
  at: time('The time of the change.'),
  action: Type.Unsafe<PetAction>({ type: 'string', enum: [...PET_ACTIONS], description: 'The kind of the change.' }),
  actor: orNull(Actor, 'The account that made the change; null for anonymous clients and the command line.'),
  changes: Type.Array(FieldChange),
};

export const HistoryEntry = Type.Object(fields, exactly('HistoryEntry'));
export type HistoryEntry = Type.Static<typeof HistoryEntry>;

/** An entry of the history with the whole pet. */
export const PetVersion = Type.Object(
  {
    ...fields,
    pet: orNull(Pet, 'The pet after the change; null if the change deleted it.'),
    profile: Type.Optional(Profile),
  },
  exactly('PetVersion'),
);
export type PetVersion = Type.Static<typeof PetVersion>;

export const DeletedPet = Type.Object(
  {
    id: int64('The id of the pet, also after it is restored.'),
    category: Type.Optional(Category),
    name: Type.String({ description: 'The name at the time of the deletion.' }),
    status: Type.Optional(Type.Unsafe<PetStatus>({ type: 'string', enum: [...PET_STATUSES] })),
    deletedAt: time('The time of the last deletion.'),
    actor: orNull(Actor, 'The account that deleted it; null for anonymous clients and the command line.'),
  },
  exactly('DeletedPet'),
);
export type DeletedPet = Type.Static<typeof DeletedPet>;

/* The pets in these texts are stored texts, with the addresses of photos as a store has them. */

export function historyEntryText(entry: DomainEntry): string {
  return recordText<HistoryEntry>(entryFields(entry));
}

/** Contains the whole pet; null if the version is a deletion. */
export function petVersionText(entry: DomainEntry): string {
  const { text, profile } = entry.version;
  return recordText<PetVersion>({
    ...entryFields(entry),
    pet: text === null ? null : new JsonText(text),
    profile: profile === null ? undefined : new JsonText(profile),
  });
}

export function deletedPetText({ text, atMs, actor }: DomainDeletedPet): string {
  const deletion = recordText<Pick<DeletedPet, 'deletedAt' | 'actor'>>({
    deletedAt: timeText(atMs),
    actor: actor ?? null,
  });
  return `${text.slice(0, -1)},${deletion.slice(1)}`;
}

function entryFields({ version: after, before }: DomainEntry): Written<HistoryEntry> {
  const { version, action, atMs, actor } = after;
  const changes = new JsonText(`[${changesBetween(before, after).map(changeText).join()}]`);
  return { version, at: timeText(atMs), action, actor: actor ?? null, changes };
}

function changeText({ field, before, after }: DomainChange): string {
  return recordText<Pick<FieldChange, keyof FieldChange>>({
    field,
    before: before === undefined ? undefined : new JsonText(before),
    after: after === undefined ? undefined : new JsonText(after),
  });
}
