import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import { MenagerieError } from '../../client/failures.ts';
import { showNotice } from '../design/notices.ts';
import { refreshLists, showPet } from '../service/changed-pets.ts';
import { client } from '../service/client.ts';
import { useFailureText } from '../service/failure-text.ts';
import { noteOwnChanges } from '../service/own-changes.ts';
import { changesOf, OPTIMISTIC_KEY, petQuery, PETS_KEY, type PetView, type ReadPet } from '../service/queries.ts';
import type { PetStatus } from './bulk/bulk-change.ts';

const CHANGED_MEANWHILE = 412;

interface StatusChange {
  /** As it is shown. */
  pet: PetView;
  status: PetStatus | undefined;
  /** Of the pet that is meant, where it is known: asked when it is this change's turn, for the one before it brings another. */
  ifMatch: () => string | undefined;
  isUndo: boolean;
}

/** Changes where a pet stands: it is seen at once, taken back where the service refuses, and can be undone. Each choice is carried out after the one before it. */
export function useQuickStatus(pet: PetView): (status: PetStatus | undefined) => void {
  const id = String(pet.id);
  const t = useTranslations('staff.quick');
  const statusName = useStatusName();
  const failureText = useFailureText();
  const queries = useQueryClient();
  const mutationKey = [...OPTIMISTIC_KEY, 'quick-status', id];

  /** What was chosen last: of a change that is just being answered, itself, or one that waits for it. */
  function lastFrom(change: StatusChange): StatusChange {
    const pending = queries.getMutationCache().findAll({ mutationKey, status: 'pending' });
    return (pending.at(-1)?.state.variables as StatusChange | undefined) ?? change;
  }

  const { mutate } = useMutation({
    mutationKey,
    scope: changesOf(id),
    mutationFn: sendStatus,
    onMutate: async ({ pet: shown, status }) => {
      noteOwnChanges([shown]);
      // An answer that is on its way knows nothing of this yet.
      await queries.cancelQueries({ queryKey: [...PETS_KEY, 'found'] });
      showPet(queries, withStatus(shown, status));
    },
    onSuccess: (read, change) => {
      const last = lastFrom(change);
      showPet(queries, withStatus(read.pet, last.status), read.etag);
      if (last !== change) return;
      const { pet: before, isUndo } = change;
      const text = t(isUndo ? 'undone' : 'done', { name: before.name, status: statusName(read.pet.status) });
      const undo = () => mutate({ pet: read.pet, status: before.status, ifMatch: () => read.etag, isUndo: true });
      showNotice({ text, ...(!isUndo && { action: { label: t('undo'), run: undo } }) });
    },
    onError: (error, change) => {
      const last = lastFrom(change);
      showPet(queries, last === change ? change.pet : withStatus(change.pet, last.status));
      void queries.invalidateQueries({ queryKey: petQuery(id).queryKey });
      const isChanged = error instanceof MenagerieError && error.status === CHANGED_MEANWHILE;
      const why = isChanged ? t('changedMeanwhile') : failureText(error);
      showNotice({ text: t('failed', { name: change.pet.name, why }), isTrouble: true });
    },
    onSettled: (_read, _error, change) =>
      lastFrom(change) === change ? refreshLists(queries, new Set([id])) : undefined,
  });
  return (status) => {
    if (pet.status === status) return;
    // Only where what was read with the entity tag is what is shown in the list.
    const etag = () => queries.getQueryData(petQuery(id).queryKey)?.etag;
    const isReadAsShown = queries.getQueryData(petQuery(id).queryKey)?.pet.status === pet.status;
    mutate({ pet, status, ifMatch: () => (isReadAsShown ? etag() : undefined), isUndo: false });
  };
}

export function useStatusName(): (status: PetStatus | undefined) => string {
  const t = useTranslations('pet.status');
  return (status) => t(status ?? 'none');
}

async function sendStatus({ pet, status, ifMatch }: StatusChange): Promise<ReadPet> {
  const etag = ifMatch();
  const answer = await client.patchPet.answer(
    { petId: pet.id, body: { status: status ?? null } },
    etag === undefined ? {} : { ifMatch: etag },
  );
  return { pet: answer.value ?? withStatus(pet, status), etag: answer.etag };
}

function withStatus(pet: PetView, status: PetStatus | undefined): PetView {
  const next = { ...pet };
  if (status === undefined) delete next.status;
  else next.status = status;
  return next;
}
