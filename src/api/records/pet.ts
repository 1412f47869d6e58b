import { PET_LIMITS, PET_STATUSES, type PetStatus } from '../../domain/pets/pet.ts';
import * as Type from './type.ts';
import { exactly, int64 } from './fields.ts';

export { PET_LIMITS };

/*
 * A pet in responses. A store has the text of the response: `domain/pets/pet.ts`. `xml` says how it is written in XML,
 * in Petstore's words.
 */

const label = (title: string, description: string) =>
  Type.Object(
    { id: Type.Optional(int64('Chosen by the client.')), name: Type.Optional(Type.String()) },
    { ...exactly(title), description, xml: { name: title.toLowerCase() } },
  );

export const Category = label('Category', 'The kind of animal.');
export type Category = Type.Static<typeof Category>;

export const Tag = label('Tag', 'A label of the pet, such as `friendly`.');
export type Tag = Type.Static<typeof Tag>;

export const Pet = Type.Object(
  {
    id: int64('Never assigned twice.'),
    category: Type.Optional(Category),
    name: Type.String({ minLength: 1, examples: ['doggie'] }),
    photoUrls: Type.Array(Type.String({ xml: { name: 'photoUrl' } }), {
      description: 'URLs of photos. Those of uploaded photos are absolute.',
      xml: { wrapped: true },
    }),
    tags: Type.Array(Tag, { xml: { wrapped: true } }),
    status: Type.Optional(
      Type.Unsafe<PetStatus>({
        type: 'string',
        enum: [...PET_STATUSES],
        description: 'The status of the pet in the store.',
      }),
    ),
  },
  { ...exactly('Pet'), xml: { name: 'Pet' } },
);
export type Pet = Type.Static<typeof Pet>;

export const Pets = Type.Array(Pet, { xml: { name: 'pets', wrapped: true } });
