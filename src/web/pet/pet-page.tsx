import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useTranslations } from 'use-intl';
import { QueryTrouble } from '../app/error-pages.tsx';
import { MenagerieError } from '../../client/failures.ts';
import { usePageTitle } from '../design/page.tsx';
import { petPhotosQuery, petQuery, type ReadPet } from '../service/queries.ts';
import { usePermissions } from '../service/current-user.ts';
import { PlaceOfOthers, PetLayout } from './pet-layout.tsx';
import { WayFromPet } from './around/way-from-pet.tsx';
import { PetActions } from './pet-actions.tsx';
import { PetFacts } from './pet-facts.tsx';
import styles from './pet-page.module.css';
import { PetPictures } from './pet-pictures.tsx';
import { firstIdle } from '../service/browser.ts';

const StaffPanel = lazy(async () => {
  await firstIdle();
  return { default: (await import('./staff-panel.tsx')).StaffPanel };
});
const OtherPets = lazy(async () => {
  await firstIdle();
  // Where they cannot be loaded, the page of this pet is as good without.
  const parts = await import('./around/other-pets.tsx').catch(() => undefined);
  return { default: parts?.OtherPets ?? (() => null) };
});
const MissingPet = lazy(async () => ({ default: (await import('./missing-pet.tsx')).MissingPet }));

const NOT_FOUND = 404;

/** One pet: its pictures, what there is to say of it, and for staff what they do with it. */
export function PetPage() {
  const { petId } = useParams({ from: '/pets/$petId' });
  const { data: read, error, refetch } = useQuery({ ...petQuery(petId), retryOnMount: false });
  // It may have been there a moment ago, and be gone now.
  if (error instanceof MenagerieError && error.status === NOT_FOUND)
    return (
      <Suspense fallback={<ComingPet id={petId} />}>
        <div className={styles['page']}>
          <MissingPet id={petId} />
          <OtherPets id={petId} />
        </div>
      </Suspense>
    );
  if (read !== undefined) return <FoundPet key={petId} id={petId} read={read} />;
  if (error !== null) return <Trouble error={error} onRetry={() => void refetch()} />;
  return <ComingPet id={petId} />;
}

function FoundPet({ id, read }: { id: string; read: ReadPet }) {
  const { writePets } = usePermissions();
  const { data: photos } = useQuery(petPhotosQuery(id));
  usePageTitle(read.pet.name);
  return (
    <PetLayout
      back={<WayFromPet id={id} />}
      photos={<PetPictures id={id} pet={read.pet} photos={photos} />}
      others={
        <Suspense fallback={<PlaceOfOthers />}>
          <OtherPets id={id} category={read.pet.category?.name} />
        </Suspense>
      }
    >
      <PetFacts pet={read.pet} />
      <PetActions id={id} name={read.pet.name} />
      {writePets && (
        <Suspense fallback={<div className={styles['staffPlace']} aria-hidden="true" />}>
          <StaffPanel id={id} read={read} />
        </Suspense>
      )}
    </PetLayout>
  );
}

/** The same places, until there is something to put there. */
function ComingPet({ id }: { id: string }) {
  const t = useTranslations('app');
  return (
    <PetLayout back={<WayFromPet id={id} />} photos={<div className={styles['coming']} />}>
      <h1 tabIndex={-1} className={styles['comingName']}>
        <span className="visually-hidden">{t('loading')}</span>
      </h1>
    </PetLayout>
  );
}

function Trouble(query: { error: unknown; onRetry: () => void }) {
  usePageTitle(useTranslations('app.trouble')('title'));
  return <QueryTrouble level={1} {...query} />;
}
