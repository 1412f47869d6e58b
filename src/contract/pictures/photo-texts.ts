import type { Static } from 'typebox';
import type { OwnPhoto, PetCover, PetPhoto, PetPhotoEdit } from '../../domain/pets/pet-photos.ts';
import { ALT_LENGTH, PHOTO_SIZES, pixelsIn, type PhotoSize } from '../../domain/pets/photo.ts';
import type { SentPhotoEdit } from './photo-schemas.ts';

/*
 * Pictures as they are told, and what is said of them.
 */

/** The pictures of a pet as JSON. @param origin where the client reaches the service */
export function petPhotosText(photos: readonly PetPhoto[], origin: string): string {
  return JSON.stringify(photos.map((each) => ('url' in each ? each : ownPhotoView(each, origin))));
}

/** The covers of pets as JSON, likewise. */
export function petCoversText(covers: readonly PetCover[], origin: string): string {
  return `[${covers.map((cover) => `{"petId":${cover.petId},${JSON.stringify(ownPhotoView(cover, origin)).slice(1)}`).join()}]`;
}

function ownPhotoView({ photo, alt }: OwnPhoto, origin: string) {
  const { digest, mediaType, width, height, byteLength, placeholder } = photo;
  const url = `${origin}/v2/photo/${digest}`;
  const names = Object.keys(PHOTO_SIZES) as PhotoSize[];
  const sizes = Object.fromEntries(names.map((size) => [size, { url: `${url}/${size}`, ...pixelsIn(photo, size) }]));
  return { url, digest, mediaType, width, height, byteLength, alt, placeholder, sizes };
}

/** What came with an upload as what the picture shows: an upload never fails because of it, so it is cut. Undefined where it says nothing. */
export function altOfUpload(additionalMetadata: string | undefined): string | undefined {
  const plain = (additionalMetadata ?? '').toWellFormed().replaceAll('\0', '').trim();
  // Half of a surrogate pair may be left at the end.
  const cut = plain
    .slice(0, ALT_LENGTH)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trimEnd();
  return cut === '' ? undefined : cut;
}

export function readPhotoEdit({ alt, first }: Static<typeof SentPhotoEdit>): PetPhotoEdit {
  const text = alt?.trim();
  return {
    ...(alt !== undefined && { alt: text === undefined || text === '' ? null : text }),
    ...(first === true && { first }),
  };
}
