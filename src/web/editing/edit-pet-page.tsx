import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useTranslations } from 'use-intl';
import { MenagerieError } from '../../client/failures.ts';
import { NotFoundPage, QueryError } from '../routing/error-pages.tsx';
import { showNotice } from '../design/notices.ts';
import { Page } from '../design/page.tsx';
import { PetFormPhotos } from '../photos/pet-form-photos.tsx';
import { ownFieldsQuery, petQuery, type ReadPet } from '../service/queries.ts';
import { MayEdit } from '../routing/access.tsx';
import { PetForm } from './pet-form.tsx';
import styles from './pet-form-view.module.css';
import { draftKey } from './form-state/draft-storage.ts';
import { versionOf } from './form-state/saving.ts';
import { profileQuery, type ReadInputs } from './profile/profile-queries.ts';
import type { OwnField } from './profile/profile-inputs.ts';
import { useProfileForm } from './profile/use-profile-form.ts';
import { storageOwnerOf, useCurrentUser } from '../service/current-user.ts';

const NOT_FOUND = 404;

export function EditPetPage() {
  const t = useTranslations('editing');
  const { petId } = useParams({ from: '/pets/$petId/edit' });
  return (
    <MayEdit title={t('editTitle', { name: petId })}>
      <LoadedPet key={petId} petId={petId} />
    </MayEdit>
  );
}

function LoadedPet({ petId }: { petId: string }) {
  const t = useTranslations('editing');
  const pet = useQuery(petQuery(petId));
  const profile = useQuery(profileQuery(petId));
  const own = useQuery(ownFieldsQuery);
  const error = pet.error ?? profile.error ?? own.error;
  const refetch = () => Promise.all([pet, profile, own].map((query) => query.refetch()));
  if (pet.data !== undefined && profile.data !== undefined && own.data !== undefined)
    return <EditedPet read={pet.data} profile={profile.data} ownFields={own.data} />;
  if (error instanceof MenagerieError && error.status === NOT_FOUND) return <NotFoundPage />;
  if (error !== null) return <QueryError level={1} error={error} onRetry={() => void refetch()} title={t('failed')} />;
  return (
    <Page title={t('editTitle', { name: '…' })}>
      <p role="status" className={styles['loading']}>
        {t('loading')}
      </p>
    </Page>
  );
}

interface EditedPetProps {
  /** The current versions; the form keeps those that it was opened with. */
  read: ReadPet;
  profile: ReadInputs;
  ownFields: readonly OwnField[];
}

function EditedPet({ read, profile, ownFields }: EditedPetProps) {
  const t = useTranslations('editing');
  const navigate = useNavigate();
  const petId = String(read.pet.id);
  const current = useMemo(() => versionOf(read), [read]);
  const [start] = useState(current);
  const currentUser = useCurrentUser();
  const [key] = useState(() => draftKey(`${petId}:profile`, storageOwnerOf(currentUser?.username)));
  const profileForm = useProfileForm({ start: profile, ownFields, draftKey: key });
  const show = () => void navigate({ to: '/pets/$petId', params: { petId } });
  return (
    <Page title={t('editTitle', { name: read.pet.name })}>
      <PetForm
        petId={petId}
        start={start}
        current={current}
        photos={<PetFormPhotos petId={petId} name={read.pet.name} />}
        profile={profileForm}
        onUnchanged={show}
        onSaved={({ pet }) => {
          showNotice({ text: t('saved', { name: pet.name }) });
          show();
        }}
      />
    </Page>
  );
}
