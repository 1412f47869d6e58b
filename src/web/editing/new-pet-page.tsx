import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslations } from 'use-intl';
import { showNotice } from '../design/notices.ts';
import { Page } from '../design/page.tsx';
import { NewPhotos } from '../photos/new-photos.tsx';
import { useUploadPhotos } from '../photos/use-uploads.ts';
import type { ReadPet } from '../service/queries.ts';
import { MayEdit } from '../routing/access.tsx';
import { PetForm, type Next } from './pet-form.tsx';
import { fieldsOf, NEW_PET, type PetFields } from './form-state/pet-fields.ts';

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

function NewPets() {
  const t = useTranslations('editing');
  const navigate = useNavigate();
  const uploadPhotos = useUploadPhotos();
  const [{ round, start }, setRound] = useState({ round: 0, start: NEW_PET });
  const [files, setFiles] = useState<readonly File[]>([]);
  useEffect(() => {
    if (round > 0) document.querySelector<HTMLInputElement>('main form input[type="text"]')?.focus();
  }, [round]);

  const finish = ({ pet }: ReadPet, next: Next) => {
    const petId = String(pet.id);
    const show = () => void navigate({ to: '/pets/$petId', params: { petId } });
    const text = t('added', { name: pet.name });
    uploadPhotos({ id: petId, name: pet.name }, files);
    if (next === 'leave') {
      showNotice({ text });
      show();
      return;
    }
    showNotice({ text, action: { label: t('view'), run: show }, replaces: 'added' });
    setFiles([]);
    setRound(({ round }) => ({ round: round + 1, start: nextAfter(fieldsOf(pet)) }));
  };
  return (
    <PetForm
      key={round}
      start={{ fields: start }}
      saveLabel={t('saveNew')}
      files={files.length}
      photos={<NewPhotos files={files} onChange={setFiles} />}
      onSaved={finish}
    />
  );
}

/** Pets that arrive together often have the same category and status. */
function nextAfter({ category, status }: PetFields): PetFields {
  return { ...NEW_PET, category, status };
}
