import { useTranslations } from 'use-intl';
import { useDateTimeFormats } from '../../design/date-time.tsx';
import type { ListingView } from '../admin-queries.ts';
import sectionStyles from '../../account/section.module.css';

/** When a site last got a file, and why it did not get the next one. */
export function UploadState({ listing: { uploadTo, sentAt, sentPets, failedAt, error } }: { listing: ListingView }) {
  const t = useTranslations('administration.listings');
  const { dateTime } = useDateTimeFormats();
  if (uploadTo === undefined) return null;
  return (
    <>
      <p className={sectionStyles['itemText']}>
        {sentAt === undefined ? t('neverSent') : t('sent', { count: sentPets, time: dateTime(sentAt) })}
      </p>
      {error !== undefined && failedAt !== undefined && (
        <p className="note" data-tone="danger">
          {t('failed', { time: dateTime(failedAt), error })}
        </p>
      )}
    </>
  );
}
