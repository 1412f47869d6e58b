import type { Static } from 'typebox';
import type { OwnPhoto, PetCover, PetPhoto, PetPhotoEdit } from '../../domain/photos/pet-photos.ts';
import { ALT_LENGTH, pixelsIn, type PhotoSize } from '../../domain/photos/photo.ts';
import type { SentPhotoEdit } from './photo-schemas.ts';

/*
 * Pictures as they are told, and what is said of them.
 */

export type OwnPhotoView = ReturnType<typeof ownPhotoView>;
export type PetCoverView = OwnPhotoView & { petId: bigint };

/** The pictures of a pet: as JSON they are the answer. @param origin where the client reaches the service */
export function petPhotoViews(photos: readonly PetPhoto[], origin: string) {
  return photos.map((each) => ('url' in each ? each : ownPhotoView(each, origin)));
}

/** The covers of pets. @param origin where the client reaches the service */
export function petCoverViews(covers: readonly PetCover[], origin: string): readonly PetCoverView[] {
  return covers.map((cover) => ({ petId: cover.petId, ...ownPhotoView(cover, origin) }));
}

/** The covers as JSON. */
export function petCoversText(covers: readonly PetCoverView[]): string {
  return `[${covers.map(({ petId, ...view }) => `{"petId":${petId},${JSON.stringify(view).slice(1)}`).join()}]`;
}

function ownPhotoView({ photo, alt }: OwnPhoto, origin: string) {
  const { digest, mediaType, width, height, byteLength, placeholder } = photo;
  const url = `${origin}/v2/photo/${digest}`;
  const inSize = (size: PhotoSize) => ({ url: `${url}/${size}`, ...pixelsIn(photo, size) });
  const sizes = { small: inSize('small'), card: inSize('card'), medium: inSize('medium'), large: inSize('large') };
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
