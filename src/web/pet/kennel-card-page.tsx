import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { ArrowLeft, Printer } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { Button } from '../design/buttons.tsx';
import { QueryError } from '../routing/error-pages.tsx';
import { MenagerieError } from '../../client/failures.ts';
import { Page } from '../design/page.tsx';
import { petPhotosQuery, petQuery, type PetView } from '../service/queries.ts';
import backStyles from './around/back-link.module.css';
import { KennelCard, KennelCardStyles } from './kennel-card.tsx';
import styles from './kennel-card-page.module.css';
import { useAboutPet } from './profile/about-pet.ts';
import { MissingPet } from './missing-pet.tsx';
import { isStoredPhoto } from '../design/photo.tsx';

const NOT_FOUND = 404;

/** A preview of the kennel card, with a print button. */
export function KennelCardPage() {
  const { petId } = useParams({ from: '/pets/$petId/card' });
  const { data, error, refetch } = useQuery({ ...petQuery(petId), retryOnMount: false });
  if (data !== undefined) return <CardPreview id={petId} pet={data.pet} />;
  if (error instanceof MenagerieError && error.status === NOT_FOUND) return <MissingPet id={petId} />;
  if (error !== null) return <QueryError level={1} error={error} onRetry={() => void refetch()} />;
  return <CardSkeleton />;
}

function CardPreview({ id, pet }: { id: string; pet: PetView }) {
  const t = useTranslations('petPage.kennelCard');
  const { data: photos, error } = useQuery(petPhotosQuery(id));
  const about = useAboutPet(id);
  const own = photos?.find(isStoredPhoto);
  const [isPhotoSettled, setIsPhotoSettled] = useState(false);
  // Printing before the photo is loaded would waste paper.
  const isReady = about !== null && (error !== null || (photos !== undefined && (own === undefined || isPhotoSettled)));
  return (
    <div className={styles['paper']}>
      <Page
        title={t('title', { name: pet.name })}
        lead={t('lead')}
        actions={
          <Button leftSection={<Printer size="1.2em" aria-hidden />} loading={!isReady} onClick={() => window.print()}>
            {t('print')}
          </Button>
        }
      >
        <Link to="/pets/$petId" params={{ petId: id }} activeOptions={{ exact: true }} className={backStyles['back']}>
          <ArrowLeft size="1.1em" aria-hidden />
          {t('back')}
        </Link>
        <KennelCard
          id={id}
          pet={pet}
          profile={about?.profile ?? {}}
          photo={own}
          onPhotoSettled={() => setIsPhotoSettled(true)}
        />
      </Page>
    </div>
  );
}

function CardSkeleton() {
  const t = useTranslations('petPage.kennelCard');
  return (
    <Page title={t('coming')}>
      <KennelCardStyles />
      <div className="kennel-card" aria-busy="true" />
    </Page>
  );
}
