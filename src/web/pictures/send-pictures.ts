import { useNavigate } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { showNotice } from '../design/notices.ts';
import { enqueueUploads } from './upload-queue.ts';

/** Sends pictures to a pet. Whoever is elsewhere by then is told of those that did not arrive, and led to them. @returns takes the digits of its id */
export function useSendPictures(): (pet: { id: string; name: string }, files: readonly File[]) => void {
  const t = useTranslations('pictures.uploads');
  const navigate = useNavigate();
  return ({ id, name }, files) => {
    const look = () => void navigate({ to: '/pets/$petId/edit', params: { petId: id } });
    enqueueUploads(id, files, (count) =>
      showNotice({
        text: t('missing', { name, count }),
        action: { label: t('look'), run: look },
        isTrouble: true,
        replaces: `pictures of ${id}`,
      }),
    );
  };
}
