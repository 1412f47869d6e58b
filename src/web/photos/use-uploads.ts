import { useNavigate } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import { showNotice } from '../design/notices.ts';
import { enqueueUploads, onPhotoUploaded } from './upload-queue.ts';
import { storageOwnerOf, useCurrentUser } from '../service/current-user.ts';
import { PETS_KEY } from '../service/queries.ts';
import { findMissingUploads } from './missing-uploads.ts';

/** Uploads photos to a pet. A notice reports failed uploads on whichever page the user is by then. */
export function useUploadPhotos(): (pet: { id: string; name: string }, files: readonly File[]) => void {
  const owner = useUploadOwner();
  const showMissing = useMissingNotice();
  return ({ id, name }, files) => {
    const onFailure = (count: number) => showMissing({ id, name, count });
    enqueueUploads({ petId: id, petName: name, owner, files, onFailure });
  };
}

/** Shows a notice about photos that were not uploaded. Its button opens the form of the pet. */
function useMissingNotice(): (pet: { id: string; name: string; count: number }) => void {
  const t = useTranslations('photos.uploads');
  const navigate = useNavigate();
  return ({ id, name, count }) =>
    showNotice({
      text: t('missing', { name, count }),
      action: { label: t('look'), run: () => void navigate({ to: '/pets/$petId/edit', params: { petId: id } }) },
      isError: true,
      replaces: `photos of ${id}`,
    });
}

/** Reports the photos that were lost with earlier documents. The pages of their pets list them. */
export function ReportMissingUploads(): null {
  const owner = useUploadOwner();
  const showMissing = useEffectEvent(useMissingNotice());
  useEffect(() => {
    for (const { petId, petName, files } of findMissingUploads(owner))
      showMissing({ id: petId, name: petName, count: files.length });
  }, [owner]);
  return null;
}

export function useUploadOwner(): string {
  return storageOwnerOf(useCurrentUser()?.username);
}

/** Refreshes the pet after each upload, for pages that show it. */
export function useRefreshAfterUploads(): void {
  const queries = useQueryClient();
  useEffect(() => onPhotoUploaded(() => queries.invalidateQueries({ queryKey: PETS_KEY })), [queries]);
}
