import { Type } from 'typebox';
import { PHOTO_SIZES, type PhotoMediaType, type PhotoSize } from '../../../domain/photos/photo.ts';
import { int64 } from './int64.ts';

const pixels = (description: string) =>
  Type.Unsafe<number>({ type: 'integer', format: 'int32', minimum: 1, description });

const SizedPicture = Type.Object(
  {
    url: Type.String({ description: 'Where the picture is in this size.' }),
    width: pixels('In pixels.'),
    height: pixels('In pixels.'),
  },
  { title: 'SizedPicture', additionalProperties: false },
);

const sizeNames = Object.keys(PHOTO_SIZES) as readonly PhotoSize[];

/** A picture that was uploaded here, as a pet has it. */
const OwnPhoto = Type.Object(
  {
    url: Type.String({ description: 'Where the picture is as it is stored.' }),
    digest: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'The SHA-256 of the picture, in hexadecimal.' }),
    mediaType: Type.Unsafe<PhotoMediaType>({ type: 'string', enum: ['image/jpeg', 'image/png', 'image/webp'] }),
    width: pixels('In pixels, of the picture as it is stored.'),
    height: pixels('In pixels, of the picture as it is stored.'),
    byteLength: pixels('In bytes, of the picture as it is stored.'),
    alt: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'What the picture shows, for those who do not see it. Null where nobody has said it.',
    }),
    placeholder: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description:
        'A ThumbHash in Base64: a few soft colours in the shape of the picture, to be shown until it is there. Null where it could not be made at this moment.',
    }),
    sizes: Type.Unsafe<Readonly<Record<PhotoSize, Type.Static<typeof SizedPicture>>>>(
      Type.Object(Object.fromEntries(sizeNames.map((name) => [name, SizedPicture])), {
        additionalProperties: false,
        description: 'The sizes that it is served in.',
      }),
    ),
  },
  { title: 'OwnPhoto', additionalProperties: false },
);

const ForeignPhoto = Type.Object(
  { url: Type.String({ description: 'The address, as the pet has it.' }) },
  {
    title: 'ForeignPhoto',
    additionalProperties: false,
    description: 'A picture somewhere else: nothing is known of it.',
  },
);

export const PetPhoto = Type.Unsafe<Type.Static<typeof OwnPhoto> | Type.Static<typeof ForeignPhoto>>({
  anyOf: [OwnPhoto, ForeignPhoto],
  title: 'PetPhoto',
});

export const PetPhotos = Type.Array(PetPhoto);

/** The first picture of a pet, as a page of pets has it. */
export const PetCover = Type.Object(
  {
    petId: int64('The id of the pet.'),
    ...OwnPhoto.properties,
    placeholder: Type.Unsafe<string | null>({
      ...OwnPhoto.properties.placeholder,
      description:
        'A ThumbHash in Base64: a few soft colours in the shape of the picture, to be shown until it is there. Null for a picture of before there were any, until the pictures of a pet that has it are listed.',
    }),
  },
  { title: 'PetCover', additionalProperties: false },
);
export type PetCover = Type.Static<typeof PetCover>;

/** The parts of operation 8. They are read as they come, by `http/pets/upload.ts`. */
export const SentPicture = Type.Object(
  {
    additionalMetadata: Type.Optional(
      Type.String({
        description:
          'What the picture shows, for those who do not see it; what is longer than 1,000 characters is cut.',
      }),
    ),
    file: Type.Unsafe<Blob>({ type: 'string', format: 'binary', description: 'The picture.' }),
  },
  { title: 'SentPicture' },
);
export type SentPicture = Type.Static<typeof SentPicture>;
