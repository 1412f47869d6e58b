import { Type, type TProperties } from 'typebox';
import { PET_STATUSES, type PetStatus } from '../../domain/pets/pet.ts';
import { STATUS_FILTERS, type StatusFilter } from '../../domain/search/question.ts';
import { exactly } from './fields.ts';
import { Pet } from './pet.ts';
import { PetCover } from './photo.ts';

const count = (description: string) => Type.Unsafe<number>({ type: 'integer', minimum: 0, description });

/** A page of what was found. */
export const FoundPets = Type.Object(
  {
    pets: Type.Array(Pet),
    covers: Type.Optional(
      Type.Array(PetCover, {
        description:
          'Only with `covers=true`: of each of these pets, in their order, whose first picture was uploaded here, all that a page needs before the picture is there.',
      }),
    ),
    total: Type.Object(
      {
        count: count('How many pets there are of what was asked for.'),
        exact: Type.Boolean({ description: 'If not, there are more than so many.' }),
      },
      exactly('FoundTotal'),
    ),
    next: Type.Optional(
      Type.String({ minLength: 1, description: 'The `cursor` of the next page. Absent on the last one.' }),
    ),
  },
  exactly('FoundPets'),
);
export type FoundPets = Type.Static<typeof FoundPets>;

/** A category or a tag by its name. */
export const LabelCount = Type.Object(
  { name: Type.String(), count: count('How many pets have it.') },
  exactly('LabelCount'),
);
export type LabelCount = Type.Static<typeof LabelCount>;

const choiceOf = <Of extends TProperties>(of: Of, title: string) =>
  Type.Object(
    {
      ...of,
      count: count('How many pets there would be.'),
      exact: Type.Boolean({ description: 'If not, there may be more; there are at least so many.' }),
    },
    { title, additionalProperties: false },
  );

const LabelChoice = choiceOf({ name: Type.String() }, 'LabelChoice');

/** How many pets there would be of each choice, together with what else is asked. */
export const PetChoices = Type.Object(
  {
    statuses: Type.Array(
      choiceOf({ status: Type.Unsafe<StatusFilter>({ type: 'string', enum: [...STATUS_FILTERS] }) }, 'StatusChoice'),
      { description: 'Every status, then `none`: pets without one.' },
    ),
    categories: Type.Array(LabelChoice, {
      description:
        'The 100 that most pets have, whatever is asked, in this order; then those that were asked for beyond.',
    }),
    tags: Type.Array(LabelChoice, { description: 'Likewise.' }),
  },
  exactly('PetChoices'),
);
export type PetChoices = Type.Static<typeof PetChoices>;

const Day = Type.Object(
  {
    day: Type.Unsafe<string>({ type: 'string', format: 'date', description: 'In UTC.' }),
    added: count('So many pets were added.'),
    changed: count('Changes of pets, restores of deleted ones included.'),
    removed: count('So many pets were removed.'),
    adopted: count(
      'Adoptions: how many times a pet got the status `sold`, from another status or none, or was added with it. The restore of a deleted pet is no adoption.',
    ),
  },
  exactly('DayStatistics'),
);

export const Statistics = Type.Object(
  {
    total: count('All pets.'),
    statuses: Type.Array(
      Type.Object(
        { status: Type.Unsafe<PetStatus>({ type: 'string', enum: [...PET_STATUSES] }), count: count('Pets with it.') },
        exactly('StatusCount'),
      ),
    ),
    withoutStatus: count('Pets without a status.'),
    categories: Type.Array(LabelCount, { description: 'The most used, at most 20.' }),
    tags: Type.Array(LabelCount, { description: 'The most used, at most 20.' }),
    pictures: Type.Object(
      {
        count: count('Pictures that were uploaded here and that some pet has; one that several pets have counts once.'),
        bytes: count(
          'What they take as they are stored, together; without the sizes that are made of them, and without pictures that wait to be cleared away because no pet has them any more.',
        ),
      },
      exactly('PictureStatistics'),
    ),
    days: Type.Array(Day, { description: 'Every day from the first to the last.' }),
  },
  exactly('Statistics'),
);
export type Statistics = Type.Static<typeof Statistics>;
