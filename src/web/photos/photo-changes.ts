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
  editablePhotosQuery,
  readEditablePhotos,
  type PetPhotoView,
  type EditablePhotos,
} from '../service/queries.ts';

const PRECONDITION_FAILED = 412;

interface PhotoChange {
  /** Returns the photos after the change; the same ones if it changes nothing. */
  apply: (photos: readonly PetPhotoView[]) => readonly PetPhotoView[];
  send: (etag: { ifMatch?: string }, photos: readonly PetPhotoView[]) => Promise<EditablePhotos>;
  /** The state that the change depends on. If it differs from what the user saw, the change is a conflict. */
  about: (photos: readonly PetPhotoView[]) => string;
}

/** A change, and the photos that the user saw before it. */
interface MutationInput {
  change: PhotoChange;
  before: readonly PetPhotoView[];
}

/** The photos of a pet with all pending changes applied. */
export function useOptimisticPhotos(petId: string, photos: readonly PetPhotoView[]): readonly PetPhotoView[] {
  const pending = useMutationState({
    filters: { mutationKey: changesKey(petId), status: 'pending' },
    select: ({ state }) => (state.variables as MutationInput).change,
  });
  return applied(photos, pending);
}

/**
 * Changes the photos of a pet, one change after the other. If the pet has a newer version in which the relevant photos
 * are the same (after an upload, for example), the change is retried once. Otherwise it is reported, and the current
 * photos are shown.
 */
export function usePhotoChanges(petId: string) {
  const t = useTranslations('photos');
  const queries = useQueryClient();
  const failureText = useFailureText();
  const { queryKey } = editablePhotosQuery(petId);
  const mutationKey = changesKey(petId);

  const mutation = useMutation({
    mutationKey,
    scope: { id: `photos-of-${petId}` },
    mutationFn: async ({ change, before }: MutationInput) => {
      try {
        // The change before it in the queue has brought a new entity tag.
        return await carryOut(change, before, queries.getQueryData(queryKey) ?? (await readEditablePhotos(petId)));
      } catch (error) {
        if (!isOutdated(error)) throw error;
        return carryOut(change, before, await readEditablePhotos(petId));
      }
    },
    onMutate: () => queries.cancelQueries({ queryKey }),
    onSuccess: (read) => queries.setQueryData(queryKey, read),
    onError: (error) => {
      const isConflict = isOutdated(error) || error instanceof ConflictError;
      showNotice({ text: isConflict ? t('changedMeanwhile') : failureText(error), isError: true });
    },
    onSettled: () => {
      // While other changes are pending, a refetch would show an older state than the optimistic one.
      if (queries.isMutating({ mutationKey }) === 1) void queries.invalidateQueries({ queryKey: PETS_KEY });
    },
  });

  function currentPhotos(): readonly PetPhotoView[] {
    const pending = queries.getMutationCache().findAll({ mutationKey, status: 'pending' });
    const changes = pending.map(({ state }) => (state.variables as MutationInput).change);
    return applied(queries.getQueryData(queryKey)?.photos ?? [], changes);
  }

  async function change(what: PhotoChange): Promise<boolean> {
    const before = currentPhotos();
    // A second click, before the first one is rendered, changes nothing.
    if (JSON.stringify(what.apply(before)) === JSON.stringify(before)) return true;
    return mutation.mutateAsync({ change: what, before }).then(
      () => true,
      () => false,
    );
  }

  async function remove(photo: PetPhotoView): Promise<void> {
    const index = currentPhotos().findIndex((each) => nameOf(each) === nameOf(photo));
    if (index === -1 || !(await change(removal(petId, photo)))) return;
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
  return [...OPTIMISTIC_KEY, 'photos', petId];
}

function applied(photos: readonly PetPhotoView[], changes: readonly PhotoChange[]): readonly PetPhotoView[] {
  return changes.reduce((before, change) => change.apply(before), photos);
}

/** The photos differ from those that the user saw. */
class ConflictError extends Error {}

async function carryOut(change: PhotoChange, before: readonly PetPhotoView[], { photos, etag }: EditablePhotos) {
  if (change.about(photos) !== change.about(before)) throw new ConflictError();
  return change.send(matching(etag), change.apply(photos));
}

function arrangement(petId: string, names: readonly string[]): PhotoChange {
  return {
    apply: (photos) => [
      ...names.flatMap((name) => photos.find((photo) => nameOf(photo) === name) ?? []),
      ...photos.filter((photo) => !names.includes(nameOf(photo))),
    ],
    send: (etag, photos) => arrangePhotos(petId, photos, etag),
    about: (photos) => JSON.stringify(photos.map(nameOf).toSorted()),
  };
}

function removal(petId: string, photo: PetPhotoView): PhotoChange {
  const name = nameOf(photo);
  return {
    apply: (photos) => photos.filter((each) => nameOf(each) !== name),
    send: async (etag, photos) => {
      // A photo on another host has no digest. It is removed by leaving it out of the list.
      if (!('digest' in photo)) return arrangePhotos(petId, photos, etag);
      return read(await client.deletePetPhoto.response({ petId: BigInt(petId), digest: photo.digest }, etag));
    },
    about: (photos) => String(photos.some((each) => nameOf(each) === name)),
  };
}

/** The service keeps a removed photo for some time: referring to it again restores it. */
function putBack(petId: string, photo: PetPhotoView, index: number): PhotoChange {
  const alt = 'digest' in photo ? photo.alt : null;
  return {
    apply: (photos) =>
      photos.some((each) => nameOf(each) === nameOf(photo)) ? photos : photos.toSpliced(index, 0, photo),
    send: async (etag, photos) => {
      const body = { photoUrls: photos.map(({ url }) => url) };
      const { etag: next } = await client.patchPet.response({ petId: BigInt(petId), body }, etag);
      if (alt === null || !('digest' in photo)) return readEditablePhotos(petId);
      const { digest } = photo;
      return read(
        await client.updatePetPhoto.response({ petId: BigInt(petId), digest, body: { alt } }, matching(next)),
      );
    },
    about: (photos) => JSON.stringify(photos.map(nameOf)),
  };
}

function description(petId: string, digest: string, alt: string): PhotoChange {
  return {
    apply: (photos) =>
      photos.map((photo) => ('digest' in photo && photo.digest === digest ? { ...photo, alt: alt || null } : photo)),
    send: async (etag) =>
      read(await client.updatePetPhoto.response({ petId: BigInt(petId), digest, body: { alt } }, etag)),
    about: (photos) => JSON.stringify(photos.map((photo) => nameOf(photo) === digest && 'alt' in photo && photo.alt)),
  };
}

function promotion(petId: string, digest: string): PhotoChange {
  return {
    apply: (photos) =>
      photos.toSorted((one, other) => Number(nameOf(other) === digest) - Number(nameOf(one) === digest)),
    send: async (etag) =>
      read(await client.updatePetPhoto.response({ petId: BigInt(petId), digest, body: { first: true } }, etag)),
    about: (photos) => String(photos.some((photo) => nameOf(photo) === digest)),
  };
}

async function arrangePhotos(petId: string, photos: readonly PetPhotoView[], etag: { ifMatch?: string }) {
  return read(
    await client.reorderPetPhotos.response({ petId: BigInt(petId), body: { photos: photos.map(nameOf) } }, etag),
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
