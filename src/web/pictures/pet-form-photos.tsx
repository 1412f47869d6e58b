import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { thumbnailSources } from '../../api/web/picture-sources.ts';
import { Picture } from '../design/picture.tsx';
import { useFailureText } from '../service/failure-text.ts';
import { nameOf, picturesQuery, type PetPhotoView } from '../service/queries.ts';
import { AltField } from './alt-field.tsx';
import { usePictureChanges, usePicturesAsChanged } from './picture-changes.ts';
import { PictureChooser } from './picture-chooser.tsx';
import rowStyles from './picture-row.module.css';
import styles from './pet-form-photos.module.css';
import { RowActions, StandsForPet } from './picture-row.tsx';
import { movedTo, SortableList, SortableRow } from './sortable-list.tsx';
import { useSendPictures, useRefreshAfterUploads } from './use-uploads.ts';
import { Uploads } from './uploads.tsx';

const NONE: readonly PetPhotoView[] = [];

/** The photos of a stored pet; each change is saved immediately. */
export function PetFormPhotos({ petId, name }: { petId: string; name: string }) {
  const sendPictures = useSendPictures();
  const { data, error, refetch } = useQuery(picturesQuery(petId));
  const photos = usePicturesAsChanged(petId, data?.photos ?? NONE);
  useRefreshAfterUploads();
  return (
    <div className={styles['photos']}>
      <PictureChooser onFiles={(files) => sendPictures({ id: petId, name }, files)} />
      {data === undefined && error !== null && <Trouble error={error} onRetry={() => void refetch()} />}
      {photos.length > 0 && <ArrangedPictures petId={petId} photos={photos} />}
      <Uploads petId={petId} />
    </div>
  );
}

function Trouble({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const t = useTranslations('app.trouble');
  const failureText = useFailureText();
  return (
    <div role="alert" className={styles['trouble']}>
      <p>{failureText(error)}</p>
      <Button variant="default" onClick={onRetry}>
        {t('retry')}
      </Button>
    </div>
  );
}

interface ArrangedPicturesProps {
  petId: string;
  photos: readonly PetPhotoView[];
}

function ArrangedPictures({ petId, photos }: ArrangedPicturesProps) {
  const t = useTranslations('pictures');
  const { arrange, describe, showFirst, remove } = usePictureChanges(petId);
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
            <PictureAbout photo={photo} isFirst={index === 0} onDescribe={(alt) => describe(nameOf(photo), alt)} />
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

interface PictureAboutProps {
  photo: PetPhotoView;
  isFirst: boolean;
  onDescribe: (alt: string) => Promise<boolean>;
}

function PictureAbout({ photo, isFirst, onDescribe }: PictureAboutProps) {
  const t = useTranslations('pictures');
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
      <Picture
        photo={photo}
        sources={thumbnailSources(photo, '7rem')}
        alt={photo.alt ?? ''}
        className={rowStyles['thumbnail']}
      />
      <div className={rowStyles['about']}>
        {isFirst && <StandsForPet />}
        <AltField alt={photo.alt} onSave={onDescribe} />
      </div>
    </>
  );
}
