import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslations } from 'use-intl';
import { showNotice } from '../design/notices.ts';
import { Page } from '../design/page.tsx';
import { NewPhotos } from '../photos/new-photos.tsx';
import { useUploadPhotos } from '../photos/use-uploads.ts';
import { ownFieldsQuery, type ReadPet } from '../service/queries.ts';
import { MayEdit } from '../routing/access.tsx';
import { PetForm, type Decision } from './pet-form.tsx';
import { draftKey } from './form-state/draft-storage.ts';
import { fieldsOf, NEW_PET, type PetFields } from './form-state/pet-fields.ts';
import type { Inputs, OwnField } from './profile/profile-inputs.ts';
import { pick } from './profile/profile-merge.ts';
import { useProfileForm } from './profile/use-profile-form.ts';
import { storageOwnerOf, useCurrentUser } from '../service/current-user.ts';

export function NewPetPage() {
  const t = useTranslations('editing');
  return (
    <MayEdit title={t('newTitle')}>
      <Page title={t('newTitle')} lead={t('newLead')}>
        <NewPets />
      </Page>
    </MayEdit>
  );
}

interface Round {
  number: number;
  start: PetFields;
  given: Inputs;
}

function NewPets() {
  const [round, setRound] = useState<Round>({ number: 0, start: NEW_PET, given: {} });
  const [hasNext, setHasNext] = useState(false);
  useEffect(() => {
    if (round.number > 0) document.querySelector<HTMLInputElement>('main form input[type="text"]')?.focus();
  }, [round.number]);
  return (
    <NewPet
      key={round.number}
      round={round}
      hasNext={hasNext}
      onNextChange={setHasNext}
      onNext={(start, given) => setRound(({ number }) => ({ number: number + 1, start, given }))}
    />
  );
}

interface NewPetProps {
  round: Round;
  hasNext: boolean;
  onNextChange: (hasNext: boolean) => void;
  onNext: (start: PetFields, given: Inputs) => void;
}

function NewPet({ round: { start, given }, onNext, ...following }: NewPetProps) {
  const t = useTranslations('editing');
  const navigate = useNavigate();
  const uploadPhotos = useUploadPhotos();
  const [files, setFiles] = useState<readonly File[]>([]);
  const owner = storageOwnerOf(useCurrentUser()?.username);
  const [key] = useState(() => draftKey('new:profile', owner));
  const { data: ownFields = NO_FIELDS } = useQuery(ownFieldsQuery);
  const profile = useProfileForm({ start: NO_PROFILE, given, ownFields, draftKey: key });

  const finish = ({ pet }: ReadPet, { next, isDraft = false }: Decision) => {
    const petId = String(pet.id);
    const show = () => void navigate({ to: '/pets/$petId', params: { petId } });
    const text = t(isDraft ? 'draftSaved' : 'published', { name: pet.name });
    uploadPhotos({ id: petId, name: pet.name }, files);
    if (next === 'leave') {
      showNotice({ text });
      show();
      return;
    }
    showNotice({ text, action: { label: t('view'), run: show }, replaces: 'added' });
    onNext(nextAfter(fieldsOf(pet)), pick(profile.mine, KEPT));
  };
  return (
    <PetForm
      start={{ fields: start }}
      {...following}
      files={files.length}
      photos={<NewPhotos files={files} onChange={setFiles} />}
      profile={profile}
      onSaved={finish}
    />
  );
}

const NO_PROFILE = { inputs: {}, etag: undefined };
const NO_FIELDS: readonly OwnField[] = [];

/** Pets that arrive together often have the same values. */
const KEPT = ['species', 'intakeDate', 'location'] as const;

function nextAfter({ category, status }: PetFields): PetFields {
  return { ...NEW_PET, category, status };
}
