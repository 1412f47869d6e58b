import { useTranslations } from 'use-intl';
import { useDateTimeFormats } from '../../../web/design/date-time.tsx';
import type { ListingView } from './listing-queries.ts';
import sectionStyles from '../../../web/account/section.module.css';

/** When a site last got a file, what it has not got yet, and why. */
export function UploadState({ listing }: { listing: ListingView }) {
  const { uploadTo, uploadPhase, nextUploadAt, sentAt, sentPets, failedAt, error } = listing;
  const t = useTranslations('administration.listings');
  const { dateTime } = useDateTimeFormats();
  if (uploadTo === undefined) return null;
  return (
    <>
      <p className={sectionStyles['itemText']}>
        {sentAt === undefined ? t('neverSent') : t('sent', { count: sentPets, time: dateTime(sentAt) })}
      </p>
      <div role="status">
        {uploadPhase === 'waiting' && <p className={sectionStyles['itemText']}>{t('uploadWaiting')}</p>}
        {uploadPhase === 'running' && (
          <label className={sectionStyles['itemText']}>
            {t('uploadRunning')} <progress />
          </label>
        )}
      </div>
      {error !== undefined && failedAt !== undefined && (
        <p className="note" data-tone="danger">
          {t('failed', { time: dateTime(failedAt), error })}{' '}
          {nextUploadAt !== undefined && t('nextUpload', { time: dateTime(nextUploadAt) })}
        </p>
      )}
    </>
  );
}
