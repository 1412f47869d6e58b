import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import { MenagerieError } from '../../../client/failures.ts';
import { showNotice } from '../../design/notices.ts';
import { refreshLists, showPet } from '../../service/changed-pets.ts';
import { noteOwnChanges } from '../../service/own-changes.ts';
import { client } from '../../service/client.ts';
import { useFailureText } from '../../service/failure-text.ts';
import {
  changesOf,
  OPTIMISTIC_KEY,
  petQuery,
  PETS_KEY,
  type PetStatus,
  type PetView,
  type ReadPet,
} from '../../service/queries.ts';

const PRECONDITION_FAILED = 412;

export const STATUSES: readonly PetStatus[] = ['available', 'pending', 'sold'];

interface StatusChange {
  /** As shown to the user. */
  pet: PetView;
  status: PetStatus | undefined;
  /**
   * The entity tag of the pet, if it is known. Read when the change is sent, because the previous change has brought a
   * new one.
   */
  ifMatch: () => string | undefined;
  isUndo: boolean;
}

/**
 * Changes the status of a pet, in a list and on its page. The new status is shown immediately, reverted if the service
 * refuses it, and can be undone. The changes of one pet are sent one after the other.
 */
export function useStatusChange(pet: PetView) {
  const id = String(pet.id);
  const t = useTranslations('listEditing.quick');
  const statusName = useStatusName();
  const failureText = useFailureText();
  const queries = useQueryClient();
  const mutationKey = [...OPTIMISTIC_KEY, 'status', id];

  function lastPending(): StatusChange | undefined {
    const pending = queries.getMutationCache().findAll({ mutationKey, status: 'pending' });
    return pending.at(-1)?.state.variables as StatusChange | undefined;
  }

  /** The latest change: the given one, or one that waits for it. */
  function lastFrom(change: StatusChange): StatusChange {
    return lastPending() ?? change;
  }

  const { mutate, isPending } = useMutation({
    mutationKey,
    scope: changesOf(id),
    mutationFn: sendStatus,
    onMutate: async ({ pet: shown, status }) => {
      noteOwnChanges([shown]);
      // A pending response still has the old status.
      await Promise.all([
        queries.cancelQueries({ queryKey: [...PETS_KEY, 'search'] }),
        queries.cancelQueries({ queryKey: petQuery(id).queryKey }),
      ]);
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
      const isChanged = error instanceof MenagerieError && error.status === PRECONDITION_FAILED;
      const why = isChanged ? t('changedMeanwhile') : failureText(error);
      showNotice({ text: t('failed', { name: change.pet.name, why }), isError: true });
    },
    onSettled: (_read, _error, change) =>
      lastFrom(change) === change ? refreshLists(queries, new Set([id])) : undefined,
  });
  function changeStatus(status: PetStatus | undefined): void {
    // A second click, before the first one is rendered, is no change.
    if ((lastPending() ?? pet).status === status) return;
    const etag = () => queries.getQueryData(petQuery(id).queryKey)?.etag;
    // A list may show another version than the one with the entity tag.
    const isReadAsShown = queries.getQueryData(petQuery(id).queryKey)?.pet.status === pet.status;
    mutate({ pet, status, ifMatch: () => (isReadAsShown ? etag() : undefined), isUndo: false });
  }

  return { changeStatus, isChanging: isPending };
}

export function useStatusName(): (status: PetStatus | undefined) => string {
  const t = useTranslations('pet.status');
  return (status) => t(status ?? 'none');
}

async function sendStatus({ pet, status, ifMatch }: StatusChange): Promise<ReadPet> {
  const etag = ifMatch();
  const response = await client.patchPet.response(
    { petId: pet.id, body: { status: status ?? null } },
    etag === undefined ? {} : { ifMatch: etag },
  );
  return { pet: response.value ?? withStatus(pet, status), etag: response.etag };
}

function withStatus(pet: PetView, status: PetStatus | undefined): PetView {
  const next = { ...pet };
  if (status === undefined) delete next.status;
  else next.status = status;
  return next;
}
