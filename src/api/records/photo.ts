import { PET_LIMITS } from '../../domain/pets/pet.ts';
import type {
  OwnPhoto as DomainPhoto,
  PetCover as DomainCover,
  PetPhoto as DomainPetPhoto,
} from '../../domain/pets/pet-photos.ts';
import {
  ALT_LENGTH,
  PHOTO_SIZES,
  pixelsIn,
  type Photo,
  type PhotoMediaType,
  type PhotoSize,
} from '../../domain/photos/photo.ts';
import { recordText } from './record-text.ts';
import * as Type from './type.ts';
import { absent, exactly, int64, text, textOrNull } from './fields.ts';

/*
 * The photos of a pet, and what clients send to manage them.
 */

const pixels = (description: string) =>
  Type.Unsafe<number>({ type: 'integer', format: 'int32', minimum: 1, description });

const SizedPhoto = Type.Object(
  {
    url: Type.String({ description: 'The URL of the photo in this size.' }),
    width: pixels('In pixels.'),
    height: pixels('In pixels.'),
  },
  exactly('SizedPhoto'),
);

const sizeNames = Object.keys(PHOTO_SIZES) as readonly PhotoSize[];

const sizes = Type.Unsafe<Readonly<Record<PhotoSize, Type.Static<typeof SizedPhoto>>>>(
  Type.Object(Object.fromEntries(sizeNames.map((name) => [name, SizedPhoto])), {
    ...exactly('PhotoSizes'),
    description: 'The available sizes.',
  }),
);

export const Logo = Type.Object({ ...SizedPhoto.properties, sizes }, { ...exactly('Logo'), description: 'The logo.' });
export type Logo = Type.Static<typeof Logo>;

/** An uploaded photo of a pet. */
const OwnPhoto = Type.Object(
  {
    url: Type.String({ description: 'The URL of the stored photo.' }),
    digest: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'The SHA-256 of the stored photo, in hexadecimal.' }),
    mediaType: Type.Unsafe<PhotoMediaType>({ type: 'string', enum: ['image/jpeg', 'image/png', 'image/webp'] }),
    width: pixels('In pixels, of the stored photo.'),
    height: pixels('In pixels, of the stored photo.'),
    byteLength: pixels('In bytes, of the stored photo.'),
    alt: textOrNull('The description of the photo (alternative text); null if it has none.'),
    placeholder: textOrNull(
      'A ThumbHash in Base64, a blurred preview to be shown until the photo is loaded. Null if it could not be ' +
        'created.',
    ),
    sizes,
  },
  exactly('OwnPhoto'),
);
export type OwnPhoto = Type.Static<typeof OwnPhoto>;

const ForeignPhoto = Type.Object(
  { url: Type.String({ description: 'The URL as stored in the pet.' }) },
  { ...exactly('ForeignPhoto'), description: 'A photo on another server. Only its URL is known.' },
);

const PetPhoto = Type.Unsafe<OwnPhoto | Type.Static<typeof ForeignPhoto>>({
  anyOf: [OwnPhoto, ForeignPhoto],
  title: 'PetPhoto',
});
type PetPhoto = Type.Static<typeof PetPhoto>;

export const PetPhotos = Type.Array(PetPhoto);

/** The first photo of a pet, for a page of pets. */
export const PetCover = Type.Object(
  {
    petId: int64('The id of the pet.'),
    ...OwnPhoto.properties,
    placeholder: textOrNull(
      'A ThumbHash in Base64, a blurred preview to be shown until the photo is loaded. Null for an old photo ' +
        'without one, until the photos of one of its pets are listed.',
    ),
  },
  exactly('PetCover'),
);
export type PetCover = Type.Static<typeof PetCover>;

/** The multipart body of `uploadFile`, which `http/pipeline/upload.ts` reads as a stream. */
export const SentPhoto = Type.Object(
  {
    additionalMetadata: Type.Optional(
      Type.String({
        description: 'The description of the photo (alternative text). It is cut after 1,000 characters.',
      }),
    ),
    file: Type.Unsafe<Blob>({ type: 'string', format: 'binary', description: 'The photo.' }),
  },
  { title: 'SentPhoto' },
);
export type SentPhoto = Type.Static<typeof SentPhoto>;

/** The photos of a pet; as JSON they are the response. @param origin where the client reaches the service */
export function petPhotoViews(photos: readonly DomainPetPhoto[], origin: string): readonly PetPhoto[] {
  return photos.map((each) => ('url' in each ? each : ownPhotoView(each, origin)));
}

/** The covers of pets. @param origin where the client reaches the service */
export function petCoverViews(covers: readonly DomainCover[], origin: string): readonly PetCover[] {
  return covers.map((cover) => ({ petId: cover.petId, ...ownPhotoView(cover, origin) }));
}

/**
 * The other fields have no 64-bit integers: `JSON.stringify` takes half the time of `recordText` for them, and a page
 * has up to 1,000 covers.
 */
export function petCoverText({ petId, ...view }: PetCover): string {
  return `${recordText<Pick<PetCover, 'petId'>>({ petId }).slice(0, -1)},${JSON.stringify(view).slice(1)}`;
}

function ownPhotoView({ photo, alt }: DomainPhoto, origin: string): OwnPhoto {
  const { digest, mediaType, byteLength, placeholder } = photo;
  const { url, width, height, sizes } = logoView(photo, origin);
  return { url, digest, mediaType, width, height, byteLength, alt, placeholder, sizes };
}

/** @param origin where the client reaches the service */
export function logoView(photo: Photo, origin: string): Logo {
  const { digest, width, height } = photo;
  const url = `${origin}/v2/photo/${digest}`;
  const inSize = (size: PhotoSize) => ({ url: `${url}/${size}`, ...pixelsIn(photo, size) });
  const inSizes = { small: inSize('small'), card: inSize('card'), medium: inSize('medium'), large: inSize('large') };
  return { url, width, height, sizes: inSizes };
}

const { photoUrls, photoUrlLength } = PET_LIMITS;

export const SentPhotoOrder = Type.Object(
  {
    photos: Type.Array(text(photoUrlLength), {
      maxItems: photoUrls,
      description:
        'Some or all photos of the pet, each once, by digest or URL. Photos that are omitted are deleted from the pet.',
      message: `must be an array of at most ${photoUrls} digests or URLs`,
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
        description: 'The description of the photo (alternative text). Null or only spaces deletes it.',
        message: `must be null or a string of at most ${ALT_LENGTH} characters, without U+0000 or unpaired surrogates`,
      }),
    ),
    first: absent(
      Type.Boolean({
        description: 'True makes it the first photo of the pet.',
        message: 'must be true or false',
      }),
    ),
  },
  { title: 'SentPhotoEdit', message: 'must be a JSON object' },
);

export type SentPhotoEdit = Type.Static<typeof SentPhotoEdit>;
