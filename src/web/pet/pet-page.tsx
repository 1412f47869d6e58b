import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useTranslations } from 'use-intl';
import { QueryError } from '../routing/error-pages.tsx';
import { MenagerieError } from '../../client/failures.ts';
import { usePageTitle } from '../design/page.tsx';
import type { AboutPet } from '../../api/web/first-view.ts';
import { bootstrap } from '../service/bootstrap.ts';
import { petPhotosQuery, petQuery, type ReadPet } from '../service/queries.ts';
import { usePermissions } from '../service/current-user.ts';
import { OtherPetsSkeleton, PetLayout } from './around/pet-layout.tsx';
import { PetNavigation } from './around/pet-navigation.tsx';
import { PetFacts } from './pet-facts.tsx';
import actions from './pet-actions.module.css';
import layout from './around/pet-layout.module.css';
import styles from './pet-page.module.css';
import { PetPhotos } from './pet-photos.tsx';
import { useAboutPet } from './profile/about-pet.ts';
import { ProfileStory } from './profile/profile-story.tsx';
import { extraPart, loadWhenIdle } from '../service/browser.ts';

const StaffPanel = lazy(async () => ({
  default: (await loadWhenIdle(() => import('./staff-panel.tsx'))).StaffPanel,
}));
const PrivateFacts = lazy(async () => ({
  default: (await loadWhenIdle(() => import('./profile/private-facts.tsx'))).PrivateFacts,
}));
const PetActions = extraPart(async () => (await import('./pet-actions.tsx')).PetActions);
const OtherPets = extraPart(async () => (await import('./around/other-pets.tsx')).OtherPets);
const MissingPet = lazy(async () => ({ default: (await import('./missing-pet.tsx')).MissingPet }));

const NOT_FOUND = 404;

/** The page of a pet: photos, facts, and the controls of staff. */
export function PetPage() {
  const { petId } = useParams({ from: '/pets/$petId' });
  const { data: read, error, refetch } = useQuery({ ...petQuery(petId), retryOnMount: false });
  const about = useAboutPet(petId);
  // The cache may still have the pet.
  if (error instanceof MenagerieError && error.status === NOT_FOUND)
    return (
      <Suspense fallback={<PetSkeleton id={petId} />}>
        <div className={layout['page']}>
          <MissingPet id={petId} />
          <OtherPets id={petId} />
        </div>
      </Suspense>
    );
  // Both at once, so that nothing moves.
  if (read !== undefined && about !== null) return <LoadedPet key={petId} id={petId} read={read} about={about} />;
  if (error !== null) return <PetError error={error} onRetry={() => void refetch()} />;
  return <PetSkeleton id={petId} />;
}

interface LoadedPetProps {
  id: string;
  read: ReadPet;
  about: AboutPet | undefined;
}

function LoadedPet({ id, read, about }: LoadedPetProps) {
  const { writePets } = usePermissions();
  const { data: photos } = useQuery(petPhotosQuery(id));
  usePageTitle(read.pet.name);
  return (
    <PetLayout
      back={<PetNavigation id={id} />}
      photos={<PetPhotos id={id} pet={read.pet} photos={photos} />}
      story={
        about && (
          <ProfileStory
            name={read.pet.name}
            isAdoptable={read.pet.status !== 'sold'}
            about={about}
            site={bootstrap.site}
          />
        )
      }
      others={
        <Suspense fallback={<OtherPetsSkeleton />}>
          <OtherPets id={id} profile={about?.profile} category={read.pet.category?.name} />
        </Suspense>
      }
    >
      <PetFacts pet={read.pet} about={about} site={bootstrap.site} />
      <Suspense fallback={<div className={actions['actions']} aria-hidden="true" />}>
        <PetActions id={id} name={read.pet.name} />
      </Suspense>
      {writePets && (
        <Suspense fallback={<div className={styles['staffPlace']} aria-hidden="true" />}>
          <StaffPanel id={id} read={read} />
          {about && <PrivateFacts about={about} />}
        </Suspense>
      )}
    </PetLayout>
  );
}

/** The layout of the page while the pet is loading. */
function PetSkeleton({ id }: { id: string }) {
  const t = useTranslations('app');
  return (
    <PetLayout back={<PetNavigation id={id} />} photos={<div className={styles['photoSkeleton']} />}>
      <h1 tabIndex={-1}>
        <span className="visually-hidden">{t('loading')}</span>
      </h1>
    </PetLayout>
  );
}

function PetError(query: { error: unknown; onRetry: () => void }) {
  usePageTitle(useTranslations('app.error')('title'));
  return <QueryError level={1} {...query} />;
}
