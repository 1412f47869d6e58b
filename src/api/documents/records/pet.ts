import { Type } from 'typebox';
import { PET_STATUSES, type PetStatus } from '../../../domain/pets/pet.ts';
import { int64 } from './int64.ts';

/*
 * How a pet is answered. `xml` says how it is written in XML, in Petstore's words.
 */

const label = (title: string, description: string) =>
  Type.Object(
    { id: Type.Optional(int64('Chosen by the client.')), name: Type.Optional(Type.String()) },
    { title, description, additionalProperties: false, xml: { name: title.toLowerCase() } },
  );

export const Category = label('Category', 'What kind of animal it is.');
export type Category = Type.Static<typeof Category>;

export const Tag = label('Tag', 'A word by which the pet is found.');
export type Tag = Type.Static<typeof Tag>;

export const Pet = Type.Object(
  {
    id: int64('Never given twice.'),
    category: Type.Optional(Category),
    name: Type.String({ minLength: 1, examples: ['doggie'] }),
    photoUrls: Type.Array(Type.String({ xml: { name: 'photoUrl' } }), {
      description: 'Addresses of pictures; those that were uploaded here are absolute.',
      xml: { wrapped: true },
    }),
    tags: Type.Array(Tag, { xml: { wrapped: true } }),
    status: Type.Optional(
      Type.Unsafe<PetStatus>({ type: 'string', enum: [...PET_STATUSES], description: 'The status in the store.' }),
    ),
  },
  { title: 'Pet', additionalProperties: false, xml: { name: 'Pet' } },
);
export type Pet = Type.Static<typeof Pet>;

export const Pets = Type.Array(Pet, { xml: { name: 'pets', wrapped: true } });
