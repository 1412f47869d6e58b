import { Type } from 'typebox';
import { ALT_LENGTH } from '../../domain/photos/photo.ts';
import { PET_LIMITS } from '../../domain/pets/pet.ts';
import { absent, text } from '../pet-schemas.ts';

/*
 * What clients send to manage the pictures of a pet.
 */

const { photoUrls, photoUrlLength } = PET_LIMITS;

export const SentPhotoOrder = Type.Object(
  {
    photos: Type.Array(text(photoUrlLength), {
      maxItems: photoUrls,
      description:
        'Some or all of the pictures that the pet has, each once, by its digest or its address. Those that are left out are not among its pictures any more.',
      message: `must be an array of at most ${photoUrls} digests or addresses`,
    }),
  },
  { title: 'SentPhotoOrder', message: 'must be a JSON object with photos' },
);

export type SentPhotoOrder = Type.Static<typeof SentPhotoOrder>;

export const SentPhotoEdit = Type.Object(
  {
    alt: Type.Optional(
      Type.Unsafe<string | null>({
        anyOf: [text(ALT_LENGTH), { type: 'null' }],
        description: 'What the picture shows, for those who do not see it; null, or only spaces, takes it away.',
        message: `must be null or a string of at most ${ALT_LENGTH} characters, without U+0000 or half a surrogate pair`,
      }),
    ),
    first: absent(
      Type.Boolean({
        description: 'True: the picture is shown before all others.',
        message: 'must be true or false',
      }),
    ),
  },
  { title: 'SentPhotoEdit', message: 'must be a JSON object' },
);

export type SentPhotoEdit = Type.Static<typeof SentPhotoEdit>;
