import { RotateCw, X } from 'lucide-react';
import { useFormatter, useTranslations } from 'use-intl';
import { IconButton, Button } from '../design/buttons.tsx';
import { MenagerieError } from '../../client/failures.ts';
import { useFailureText } from '../service/failure-text.ts';
import { forgetMissingUploads, useMissingUploads } from './missing-uploads.ts';
import { usePhotoLimits, type PhotoError } from './photo-limits.ts';
import { cancelUpload, retryUpload, useUploads, type Upload } from './upload-queue.ts';
import { useUploadOwner } from './use-uploads.ts';
import styles from './uploads.module.css';

/**
 * The pending uploads of a pet.
 *
 * @param petId its digits
 */
export function Uploads({ petId }: { petId: string }) {
  const t = useTranslations('photos.uploads');
  const uploads = useUploads(petId);
  const failed = uploads.filter(({ state }) => state === 'failed');
  const owner = useUploadOwner();
  const missing = useMissingUploads(owner, petId);
  return (
    <section aria-label={t('title')}>
      <p className="visually-hidden" role="status">
        {uploads.length > 0 && t('summary', countsOf(uploads))}
      </p>
      {uploads.length > 0 && (
        <ul className={styles['uploads']}>
          {uploads.map((upload) => (
            <UploadRow key={upload.id} upload={upload} />
          ))}
        </ul>
      )}
      {missing.length > 0 && <Missing files={missing} onClose={() => forgetMissingUploads(owner, petId)} />}
      {failed.length > 1 && (
        <Button
          variant="default"
          leftSection={<RotateCw size="1.1em" aria-hidden />}
          onClick={() => failed.forEach(({ id }) => retryUpload(id))}
        >
          {t('retryAll')}
        </Button>
      )}
    </section>
  );
}

/** Photos that were lost when the page was closed. */
function Missing({ files, onClose }: { files: readonly string[]; onClose: () => void }) {
  const t = useTranslations('photos.uploads.lost');
  return (
    <div className={styles['lost']}>
      <p>{t('text', { count: files.length })}</p>
      <ul>
        {files.map((name, index) => (
          <li key={`${index} ${name}`}>{name}</li>
        ))}
      </ul>
      <Button variant="default" onClick={onClose}>
        {t('close')}
      </Button>
    </div>
  );
}

function countsOf(uploads: readonly Upload[]) {
  const failed = uploads.filter(({ state }) => state === 'failed' || state === 'refused').length;
  return { count: uploads.length - failed, failed: failed };
}

function UploadRow({ upload }: { upload: Upload }) {
  const t = useTranslations('photos.uploads');
  const { id, file, previewUrl, state, fileError } = upload;
  const hasPreview = fileError === undefined || fileError === 'too-large';
  return (
    <li className={styles['upload']} data-state={state}>
      {hasPreview ? (
        <img className={styles['preview']} src={previewUrl} alt="" width={88} height={66} />
      ) : (
        <span className={styles['preview']} />
      )}
      <div className={styles['about']}>
        <span className={styles['name']}>{file.name}</span>
        <UploadNews upload={upload} />
      </div>
      {state === 'failed' && (
        <Button
          variant="default"
          leftSection={<RotateCw size="1.1em" aria-hidden />}
          onClick={() => retryUpload(id)}
          aria-label={t('retryNamed', { name: file.name })}
        >
          {t('retry')}
        </Button>
      )}
      {state !== 'done' && (
        <IconButton
          aria-label={t(state === 'refused' ? 'dismiss' : 'cancel', { name: file.name })}
          onClick={() => cancelUpload(id)}
        >
          <X size="1.25rem" aria-hidden />
        </IconButton>
      )}
    </li>
  );
}

function UploadNews({ upload }: { upload: Upload }) {
  const t = useTranslations('photos.uploads');
  const format = useFormatter();
  const refusal = useRefusal();
  const { state, file, sentBytes, totalBytes } = upload;
  if (state === 'waiting') return <span className={styles['news']}>{t('waiting')}</span>;
  if (state === 'shrinking')
    return (
      <span className={styles['news']}>
        <progress className={styles['progress']} aria-label={t('progress', { name: file.name })} />
        <span>{t('shrinking')}</span>
      </span>
    );
  if (state === 'refused' || state === 'failed') return <span className="wrong">{refusal(upload)}</span>;
  const isSent = state === 'done' || sentBytes >= totalBytes;
  return (
    <span className={styles['news']}>
      <progress
        className={styles['progress']}
        aria-label={t('progress', { name: file.name })}
        max={totalBytes}
        // All bytes are sent, but the service is still processing the photo.
        value={isSent ? undefined : sentBytes}
      />
      <span>{isSent ? t('working') : format.number(sentBytes / totalBytes, { style: 'percent' })}</span>
    </span>
  );
}

const TOO_LARGE = 413;
const UNSUPPORTED_TYPE = 415;

function useRefusal(): (upload: Upload) => string {
  const fileErrorText = useFileErrorText();
  const t = useTranslations('photos.uploads');
  const failureText = useFailureText();
  return ({ fileError, error }) => {
    if (fileError !== undefined) return fileErrorText(fileError);
    if (!(error instanceof MenagerieError)) return failureText(error);
    if (error.status === TOO_LARGE) return t('tooManyPixels');
    return error.status === UNSUPPORTED_TYPE ? fileErrorText('unsupported') : failureText(error);
  };
}

export function useFileErrorText(): (fileError: PhotoError) => string {
  const t = useTranslations('photos.error');
  const limits = usePhotoLimits();
  return (fileError) => t(fileError, { ...limits });
}
