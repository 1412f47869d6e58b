import { useQuery } from '@tanstack/react-query';
import { Link2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { Button } from '../design/buttons.tsx';
import { thumbnailSources } from '../../api/web/photo-sources.ts';
import { Photo } from '../design/photo.tsx';
import { useFailureText } from '../service/failure-text.ts';
import { nameOf, editablePhotosQuery, type PetPhotoView } from '../service/queries.ts';
import { AltField } from './alt-field.tsx';
import { usePhotoChanges, useOptimisticPhotos } from './photo-changes.ts';
import { PhotoPicker } from './photo-picker.tsx';
import rowStyles from './photo-row.module.css';
import styles from './pet-form-photos.module.css';
import { RowActions, CoverMark } from './photo-row.tsx';
import { movedTo, SortableList, SortableRow } from './sortable-list.tsx';
import { useUploadPhotos, useRefreshAfterUploads } from './use-uploads.ts';
import { Uploads } from './uploads.tsx';

const NONE: readonly PetPhotoView[] = [];

/** The photos of a stored pet. Each change is saved immediately. */
export function PetFormPhotos({ petId, name }: { petId: string; name: string }) {
  const uploadPhotos = useUploadPhotos();
  const { data, error, refetch } = useQuery(editablePhotosQuery(petId));
  const photos = useOptimisticPhotos(petId, data?.photos ?? NONE);
  useRefreshAfterUploads();
  return (
    <div className="stack">
      <PhotoPicker onFiles={(files) => uploadPhotos({ id: petId, name }, files)} />
      {data === undefined && error !== null && <PhotosError error={error} onRetry={() => void refetch()} />}
      {photos.length > 0 && <ArrangedPhotos petId={petId} photos={photos} />}
      <Uploads petId={petId} />
    </div>
  );
}

function PhotosError({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const t = useTranslations('app.error');
  const failureText = useFailureText();
  return (
    <div role="alert" className={styles['error']}>
      <p>{failureText(error)}</p>
      <Button variant="default" onClick={onRetry}>
        {t('retry')}
      </Button>
    </div>
  );
}

interface ArrangedPhotosProps {
  petId: string;
  photos: readonly PetPhotoView[];
}

function ArrangedPhotos({ petId, photos }: ArrangedPhotosProps) {
  const t = useTranslations('photos');
  const { arrange, describe, showFirst, remove } = usePhotoChanges(petId);
  const [news, setNews] = useState('');
  const names = photos.map(nameOf);

  function move(name: string, to: number) {
    setNews(t('sorting.dropped', { number: to + 1, count: names.length }));
    void arrange(movedTo(names, name, to));
  }

  return (
    <>
      <SortableList label={t('title')} names={names} onArrange={(next) => void arrange(next)}>
        {photos.map((photo, index) => (
          <SortableRow key={nameOf(photo)} name={nameOf(photo)} number={index + 1}>
            <PhotoDetails photo={photo} isFirst={index === 0} onDescribe={(alt) => describe(nameOf(photo), alt)} />
            <RowActions
              index={index}
              count={photos.length}
              onMove={(to) => move(nameOf(photo), to)}
              onRemove={() => void remove(photo)}
              onShowFirst={'digest' in photo ? () => void showFirst(photo.digest) : undefined}
            />
          </SortableRow>
        ))}
      </SortableList>
      <p className="visually-hidden" role="status">
        {news}
      </p>
    </>
  );
}

interface PhotoDetailsProps {
  photo: PetPhotoView;
  isFirst: boolean;
  onDescribe: (alt: string) => Promise<boolean>;
}

function PhotoDetails({ photo, isFirst, onDescribe }: PhotoDetailsProps) {
  const t = useTranslations('photos');
  if (!('digest' in photo))
    return (
      <>
        <span className={rowStyles['elsewhere']}>
          <Link2 aria-hidden />
        </span>
        <div className={rowStyles['about']}>
          <span>{t('elsewhere')}</span>
          <span className={rowStyles['address']}>{photo.url}</span>
        </div>
      </>
    );
  return (
    <>
      <Photo
        photo={photo}
        sources={thumbnailSources(photo, '7rem')}
        alt={photo.alt ?? ''}
        className={rowStyles['thumbnail']}
      />
      <div className={rowStyles['about']}>
        {isFirst && <CoverMark />}
        <AltField alt={photo.alt} onSave={onDescribe} />
      </div>
    </>
  );
}
