import { useMutation, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import { MenagerieError } from '../../contract/client/failures.ts';
import { showNotice } from '../design/notices.ts';
import { refreshLists, showPet } from '../service/changed-pets.ts';
import { client } from '../service/client.ts';
import { useFailureText } from '../service/failure-text.ts';
import { OPTIMISTIC_KEY, petQuery, PETS_KEY, type PetView, type ReadPet } from '../service/queries.ts';
import type { PetStatus } from './bulk/bulk-change.ts';

const CHANGED_MEANWHILE = 412;

interface StatusChange {
  /** As it is shown. */
  pet: PetView;
  status: PetStatus | undefined;
  /** Of the pet that is meant, where it is known. */
  ifMatch: string | undefined;
  isUndo: boolean;
}

/** Changes where a pet stands: it is seen at once, taken back where the service refuses, and can be undone. */
export function useQuickStatus(): (pet: PetView, status: PetStatus | undefined) => void {
  const t = useTranslations('staff.quick');
  const statusName = useStatusName();
  const failureText = useFailureText();
  const queries = useQueryClient();
  const { mutate } = useMutation({
    mutationKey: OPTIMISTIC_KEY,
    mutationFn: sendStatus,
    onMutate: async ({ pet, status }) => {
      // An answer that is on its way knows nothing of this yet.
      await queries.cancelQueries({ queryKey: [...PETS_KEY, 'found'] });
      showPet(queries, withStatus(pet, status));
    },
    onSuccess: (read, { pet, isUndo }) => {
      showPet(queries, read.pet, read.etag);
      const text = t(isUndo ? 'undone' : 'done', { name: pet.name, status: statusName(read.pet.status) });
      const undo = () => mutate({ pet: read.pet, status: pet.status, ifMatch: read.etag, isUndo: true });
      showNotice({ text, ...(!isUndo && { action: { label: t('undo'), run: undo } }) });
    },
    onError: (error, { pet }) => {
      showPet(queries, pet);
      void queries.invalidateQueries({ queryKey: petQuery(String(pet.id)).queryKey });
      const isChanged = error instanceof MenagerieError && error.status === CHANGED_MEANWHILE;
      const why = isChanged ? t('changedMeanwhile') : failureText(error);
      showNotice({ text: t('failed', { name: pet.name, why }), isTrouble: true });
    },
    onSettled: (_read, _error, { pet }) => refreshLists(queries, new Set([String(pet.id)])),
  });
  return (pet, status) => {
    if (pet.status !== status) mutate({ pet, status, ifMatch: knownEtag(queries, pet), isUndo: false });
  };
}

export function useStatusName(): (status: PetStatus | undefined) => string {
  const t = useTranslations('pet.status');
  return (status) => t(status ?? 'none');
}

async function sendStatus({ pet, status, ifMatch }: StatusChange): Promise<ReadPet> {
  const { value, etag } = await client.patchPet.answer(
    { petId: pet.id, body: { status: status ?? null } },
    ifMatch === undefined ? {} : { ifMatch },
  );
  return { pet: value ?? withStatus(pet, status), etag };
}

function withStatus(pet: PetView, status: PetStatus | undefined): PetView {
  const next = { ...pet };
  if (status === undefined) delete next.status;
  else next.status = status;
  return next;
}

/** Only where what was read with it is what is shown in the list. */
function knownEtag(queries: QueryClient, pet: PetView): string | undefined {
  const read = queries.getQueryData(petQuery(String(pet.id)).queryKey);
  return read?.pet.status === pet.status ? read?.etag : undefined;
}
