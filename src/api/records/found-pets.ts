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
          'Only with `covers=true`: for each of these pets whose first photo was uploaded to this service, in their order, what a page needs before the photo is loaded.',
      }),
    ),
    total: Type.Object(
      {
        count: count('The number of matching pets.'),
        exact: Type.Boolean({ description: 'If false, there are more than `count`.' }),
      },
      exactly('FoundTotal'),
    ),
    next: Type.Optional(
      Type.String({ minLength: 1, description: 'The `cursor` of the next page. Absent on the last page.' }),
    ),
  },
  exactly('FoundPets'),
);
export type FoundPets = Type.Static<typeof FoundPets>;

/** A category or a tag by its name. */
export const LabelCount = Type.Object(
  { name: Type.String(), count: count('The number of pets with it.') },
  exactly('LabelCount'),
);
export type LabelCount = Type.Static<typeof LabelCount>;

const choiceOf = <Of extends TProperties>(of: Of, title: string) =>
  Type.Object(
    {
      ...of,
      count: count('The number of pets that would match.'),
      exact: Type.Boolean({ description: 'If false, there are at least `count`.' }),
    },
    { title, additionalProperties: false },
  );

const LabelChoice = choiceOf({ name: Type.String() }, 'LabelChoice');

/** How many pets there would be of each choice, together with what else is asked. */
export const PetChoices = Type.Object(
  {
    statuses: Type.Array(
      choiceOf({ status: Type.Unsafe<StatusFilter>({ type: 'string', enum: [...STATUS_FILTERS] }) }, 'StatusChoice'),
      { description: 'Each status, then `none`: pets without a status.' },
    ),
    categories: Type.Array(LabelChoice, {
      description: 'The 100 most used ones among all pets, then further ones of the request.',
    }),
    tags: Type.Array(LabelChoice, { description: 'The same for tags.' }),
  },
  exactly('PetChoices'),
);
export type PetChoices = Type.Static<typeof PetChoices>;

const Day = Type.Object(
  {
    day: Type.Unsafe<string>({ type: 'string', format: 'date', description: 'The date in UTC.' }),
    added: count('The number of added pets.'),
    changed: count('The number of changes of pets, including restores.'),
    removed: count('The number of deleted pets.'),
    adopted: count(
      'The number of adoptions: changes to the status `sold`, and pets added with it. The restore of a deleted pet is not an adoption.',
    ),
  },
  exactly('DayStatistics'),
);

export const Statistics = Type.Object(
  {
    total: count('The number of pets.'),
    statuses: Type.Array(
      Type.Object(
        {
          status: Type.Unsafe<PetStatus>({ type: 'string', enum: [...PET_STATUSES] }),
          count: count('The number of pets with it.'),
        },
        exactly('StatusCount'),
      ),
    ),
    withoutStatus: count('The number of pets without a status.'),
    categories: Type.Array(LabelCount, { description: 'The 20 most used ones.' }),
    tags: Type.Array(LabelCount, { description: 'The 20 most used ones.' }),
    pictures: Type.Object(
      {
        count: count('The number of uploaded photos in use. A photo of several pets counts once.'),
        bytes: count('Their total size in bytes as stored, without the smaller sizes and without unused photos.'),
      },
      exactly('PictureStatistics'),
    ),
    days: Type.Array(Day, { description: 'Each day from the first to the last.' }),
  },
  exactly('Statistics'),
);
export type Statistics = Type.Static<typeof Statistics>;
