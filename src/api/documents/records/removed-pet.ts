import { Type } from 'typebox';
import { PET_STATUSES, type PetStatus } from '../../../domain/pets/pet.ts';
import { int64, time } from './int64.ts';
import { Category } from './pet.ts';
import { ChangeActor } from './pet-version.ts';

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
