import { useNavigate } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { showNotice } from '../design/notices.ts';
import { enqueueUploads, onPhotoUploaded } from './upload-queue.ts';
import { PETS_KEY } from '../service/queries.ts';

/** Uploads photos to a pet. A notice reports failed uploads on whichever page the user is by then. */
export function useUploadPhotos(): (pet: { id: string; name: string }, files: readonly File[]) => void {
  const t = useTranslations('photos.uploads');
  const navigate = useNavigate();
  return ({ id, name }, files) => {
    const look = () => void navigate({ to: '/pets/$petId/edit', params: { petId: id } });
    enqueueUploads(id, files, (count) =>
      showNotice({
        text: t('missing', { name, count }),
        action: { label: t('look'), run: look },
        isError: true,
        replaces: `photos of ${id}`,
      }),
    );
  };
}

/** Refreshes the pet after each upload, for pages that show it. */
export function useRefreshAfterUploads(): void {
  const queries = useQueryClient();
  useEffect(() => onPhotoUploaded(() => queries.invalidateQueries({ queryKey: PETS_KEY })), [queries]);
}
