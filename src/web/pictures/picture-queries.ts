import { queryOptions } from '@tanstack/react-query';
import { reader } from '../service/client.ts';
import { PETS_KEY, type PetPhotoView } from '../service/queries.ts';

/** The pictures of a pet and the entity tag that a change of them carries. */
export interface ReadPictures {
  photos: readonly PetPhotoView[];
  etag: string | undefined;
}

/** @param petId its digits */
export function picturesQuery(petId: string) {
  return queryOptions({
    queryKey: [...PETS_KEY, 'pictures', petId],
    queryFn: ({ signal }) => readPictures(petId, signal),
  });
}

export async function readPictures(petId: string, signal?: AbortSignal): Promise<ReadPictures> {
  const { value, etag } = await reader.listPetPhotos.answer({ petId: BigInt(petId) }, { signal });
  return { photos: value ?? [], etag };
}

/** What a picture is called where pictures are put in order: its digest, or its address elsewhere. */
export function nameOf(photo: PetPhotoView): string {
  return 'digest' in photo ? photo.digest : photo.url;
}
