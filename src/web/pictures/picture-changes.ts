import { useMutation, useMutationState, useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import { MenagerieError } from '../../client/failures.ts';
import { showNotice } from '../design/notices.ts';
import { client } from '../service/client.ts';
import { useFailureText } from '../service/failure-text.ts';
import {
  OPTIMISTIC_KEY,
  PETS_KEY,
  nameOf,
  picturesQuery,
  readPictures,
  type PetPhotoView,
  type ReadPictures,
} from '../service/queries.ts';

const PRECONDITION_FAILED = 412;

/** A change of the pictures of a pet. */
interface PictureChange {
  /** The pictures as they will be; no other where they are so already. */
  apply: (photos: readonly PetPhotoView[]) => readonly PetPhotoView[];
  /** Asks the service for it. */
  send: (etag: { ifMatch?: string }, photos: readonly PetPhotoView[]) => Promise<ReadPictures>;
  /** What has to be as it was for the change to mean what it meant. */
  about: (photos: readonly PetPhotoView[]) => string;
}

/** A change, and what its user saw before it. */
interface MutationInput {
  change: PictureChange;
  before: readonly PetPhotoView[];
}

/** The pictures of a pet as they will be when all is done that was asked for so far. */
export function usePicturesAsChanged(petId: string, photos: readonly PetPhotoView[]): readonly PetPhotoView[] {
  const underWay = useMutationState({
    filters: { mutationKey: changesKey(petId), status: 'pending' },
    select: ({ state }) => (state.variables as MutationInput).change,
  });
  return applied(photos, underWay);
}

/**
 * Changes the pictures of a pet, one change after the other. Where the pet has another version by now, and what the change is about is as it was (an upload
 * has come to its end, say), it is asked for once more; else it is told, and the pictures are seen as they are.
 */
export function usePictureChanges(petId: string) {
  const t = useTranslations('pictures');
  const queries = useQueryClient();
  const failureText = useFailureText();
  const { queryKey } = picturesQuery(petId);
  const mutationKey = changesKey(petId);

  const mutation = useMutation({
    mutationKey,
    scope: { id: `pictures-of-${petId}` },
    mutationFn: async ({ change, before }: MutationInput) => {
      try {
        // What came before it in the queue has brought another entity tag.
        return await carryOut(change, before, queries.getQueryData(queryKey) ?? (await readPictures(petId)));
      } catch (error) {
        if (!isOutdated(error)) throw error;
        return carryOut(change, before, await readPictures(petId));
      }
    },
    onMutate: () => queries.cancelQueries({ queryKey }),
    onSuccess: (read) => queries.setQueryData(queryKey, read),
    onError: (error) => {
      const isConflict = isOutdated(error) || error instanceof ChangedMeanwhile;
      showNotice({ text: isConflict ? t('changedMeanwhile') : failureText(error), isTrouble: true });
    },
    onSettled: () => {
      // While others wait behind it, what would be read is older than what they show.
      if (queries.isMutating({ mutationKey }) === 1) void queries.invalidateQueries({ queryKey: PETS_KEY });
    },
  });

  function pictures(): readonly PetPhotoView[] {
    const underWay = queries.getMutationCache().findAll({ mutationKey, status: 'pending' });
    const changes = underWay.map(({ state }) => (state.variables as MutationInput).change);
    return applied(queries.getQueryData(queryKey)?.photos ?? [], changes);
  }

  async function change(what: PictureChange): Promise<boolean> {
    return mutation.mutateAsync({ change: what, before: pictures() }).then(
      () => true,
      () => false,
    );
  }

  async function remove(photo: PetPhotoView): Promise<void> {
    const index = pictures().findIndex((each) => nameOf(each) === nameOf(photo));
    if (!(await change(removal(petId, photo)))) return;
    showNotice({
      text: t('removed'),
      action: { label: t('undo'), run: () => void change(putBack(petId, photo, index)) },
    });
  }

  return {
    arrange: (names: readonly string[]) => change(arrangement(petId, names)),
    describe: (digest: string, alt: string) => change(description(petId, digest, alt)),
    showFirst: (digest: string) => change(promotion(petId, digest)),
    remove,
  };
}

function changesKey(petId: string): readonly unknown[] {
  return [...OPTIMISTIC_KEY, 'pictures', petId];
}

function applied(photos: readonly PetPhotoView[], changes: readonly PictureChange[]): readonly PetPhotoView[] {
  return changes.reduce((before, change) => change.apply(before), photos);
}

/** What the change is about is not what its user saw. */
class ChangedMeanwhile extends Error {}

async function carryOut(change: PictureChange, before: readonly PetPhotoView[], { photos, etag }: ReadPictures) {
  if (change.about(photos) !== change.about(before)) throw new ChangedMeanwhile();
  return change.send(matching(etag), change.apply(photos));
}

function arrangement(petId: string, names: readonly string[]): PictureChange {
  return {
    apply: (photos) => [
      ...names.flatMap((name) => photos.find((photo) => nameOf(photo) === name) ?? []),
      ...photos.filter((photo) => !names.includes(nameOf(photo))),
    ],
    send: (etag, photos) => arrangePhotos(petId, photos, etag),
    about: (photos) => JSON.stringify(photos.map(nameOf).toSorted()),
  };
}

function removal(petId: string, photo: PetPhotoView): PictureChange {
  const name = nameOf(photo);
  return {
    apply: (photos) => photos.filter((each) => nameOf(each) !== name),
    send: async (etag, photos) => {
      // One at another host has no digest: it goes by being left out.
      if (!('digest' in photo)) return arrangePhotos(petId, photos, etag);
      return read(await client.removePetPhoto.answer({ petId: BigInt(petId), digest: photo.digest }, etag));
    },
    about: (photos) => String(photos.some((each) => nameOf(each) === name)),
  };
}

/** What was removed is still kept for some time: the pet only has to refer to it again. */
function putBack(petId: string, photo: PetPhotoView, index: number): PictureChange {
  const alt = 'digest' in photo ? photo.alt : null;
  return {
    apply: (photos) =>
      photos.some((each) => nameOf(each) === nameOf(photo)) ? photos : photos.toSpliced(index, 0, photo),
    send: async (etag, photos) => {
      const body = { photoUrls: photos.map(({ url }) => url) };
      const { etag: next } = await client.patchPet.answer({ petId: BigInt(petId), body }, etag);
      if (alt === null || !('digest' in photo)) return readPictures(petId);
      const { digest } = photo;
      return read(await client.updatePetPhoto.answer({ petId: BigInt(petId), digest, body: { alt } }, matching(next)));
    },
    about: (photos) => JSON.stringify(photos.map(nameOf)),
  };
}

function description(petId: string, digest: string, alt: string): PictureChange {
  return {
    apply: (photos) =>
      photos.map((photo) => ('digest' in photo && photo.digest === digest ? { ...photo, alt: alt || null } : photo)),
    send: async (etag) =>
      read(await client.updatePetPhoto.answer({ petId: BigInt(petId), digest, body: { alt } }, etag)),
    about: (photos) => JSON.stringify(photos.map((photo) => nameOf(photo) === digest && 'alt' in photo && photo.alt)),
  };
}

function promotion(petId: string, digest: string): PictureChange {
  return {
    apply: (photos) =>
      photos.toSorted((one, other) => Number(nameOf(other) === digest) - Number(nameOf(one) === digest)),
    send: async (etag) =>
      read(await client.updatePetPhoto.answer({ petId: BigInt(petId), digest, body: { first: true } }, etag)),
    about: (photos) => String(photos.some((photo) => nameOf(photo) === digest)),
  };
}

async function arrangePhotos(petId: string, photos: readonly PetPhotoView[], etag: { ifMatch?: string }) {
  return read(
    await client.arrangePetPhotos.answer({ petId: BigInt(petId), body: { photos: photos.map(nameOf) } }, etag),
  );
}

function read({ value = [], etag }: { value?: readonly PetPhotoView[] | undefined; etag: string | undefined }) {
  return { photos: value, etag };
}

function matching(etag: string | undefined): { ifMatch?: string } {
  return etag === undefined ? {} : { ifMatch: etag };
}

function isOutdated(error: unknown): boolean {
  return error instanceof MenagerieError && error.status === PRECONDITION_FAILED;
}
