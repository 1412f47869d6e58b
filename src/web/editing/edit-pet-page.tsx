import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useTranslations } from 'use-intl';
import { MenagerieError } from '../../client/failures.ts';
import { NotFoundPage, QueryError } from '../routing/error-pages.tsx';
import { showNotice } from '../design/notices.ts';
import { Page } from '../design/page.tsx';
import { PetFormPhotos } from '../photos/pet-form-photos.tsx';
import { petQuery, type ReadPet } from '../service/queries.ts';
import { MayEdit } from '../routing/access.tsx';
import { PetForm } from './pet-form.tsx';
import { versionOf } from './form-state/saving.ts';

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
  const { data, error, refetch } = useQuery(petQuery(petId));
  if (data !== undefined) return <EditedPet read={data} />;
  if (error instanceof MenagerieError && error.status === NOT_FOUND) return <NotFoundPage />;
  if (error !== null) return <QueryError level={1} error={error} onRetry={() => void refetch()} title={t('failed')} />;
  return (
    <Page title={t('editTitle', { name: '…' })}>
      <p role="status">{t('loading')}</p>
    </Page>
  );
}

/** @param read the current version of the pet; the form keeps the version that it was opened with */
function EditedPet({ read }: { read: ReadPet }) {
  const t = useTranslations('editing');
  const navigate = useNavigate();
  const petId = String(read.pet.id);
  const current = useMemo(() => versionOf(read), [read]);
  const [start] = useState(current);
  const show = () => void navigate({ to: '/pets/$petId', params: { petId } });
  return (
    <Page title={t('editTitle', { name: read.pet.name })}>
      <PetForm
        petId={petId}
        start={start}
        current={current}
        saveLabel={t('save')}
        photos={<PetFormPhotos petId={petId} name={read.pet.name} />}
        onUnchanged={show}
        onSaved={({ pet }) => {
          showNotice({ text: t('saved', { name: pet.name }) });
          show();
        }}
      />
    </Page>
  );
}
