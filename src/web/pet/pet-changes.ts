import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { MenagerieError } from '../../contract/client/failures.ts';
import { lastCatalogueSearch } from '../app/trail.ts';
import { showNotice } from '../design/notices.ts';
import { client } from '../service/client.ts';
import { useFailureText } from '../service/failure-text.ts';
import { PETS_KEY, petQuery, type PetView, type ReadPet } from '../service/queries.ts';

/*
 * What staff change on the page of a pet, and take back.
 */

export type Status = NonNullable<PetView['status']>;

const PRECONDITION_FAILED = 412;

/** The new status is shown at once; if the service does not take it, the old one comes back. @param id the digits of the pet's id */
export function useStatusChange(id: string) {
  const t = useTranslations('petPage.staff');
  const queries = useQueryClient();
  const failureText = useFailureText();
  const { queryKey } = petQuery(id);

  const change = useMutation({
    mutationFn: async ({ status, before }: { status: Status; before: ReadPet }) =>
      client.updatePetWithForm({ petId: BigInt(id), body: { status } }, matching(before)),
    onMutate: async ({ status, before }) => {
      await queries.cancelQueries({ queryKey });
      queries.setQueryData(queryKey, { ...before, pet: { ...before.pet, status } });
    },
    onError: (error, { before }) => {
      queries.setQueryData(queryKey, before);
      showNotice({ text: isOutdated(error) ? t('changedMeanwhile') : failureText(error), isTrouble: true });
    },
    onSettled: () => queries.invalidateQueries({ queryKey: PETS_KEY }),
  });

  return { changeStatus: change.mutate, isChanging: change.isPending };
}

/** Removes a pet, and offers to bring it back. */
export function useRemoval(id: string) {
  const t = useTranslations('petPage.staff');
  const queries = useQueryClient();
  const navigate = useNavigate();
  const failureText = useFailureText();
  const { bringBack } = useReturn(id);

  const removal = useMutation({
    mutationFn: (before: ReadPet) => client.deletePet({ petId: BigInt(id) }, matching(before)),
    onSuccess: async (_done, { pet }) => {
      await navigate({ to: '/', search: lastCatalogueSearch() });
      queries.removeQueries({ queryKey: petQuery(id).queryKey });
      showNotice({
        text: t('removed', { name: pet.name }),
        action: { label: t('undo'), run: () => bringBack() },
      });
    },
    onError: (error) =>
      showNotice({ text: isOutdated(error) ? t('changedMeanwhile') : failureText(error), isTrouble: true }),
    onSettled: () => queries.invalidateQueries({ queryKey: PETS_KEY }),
  });

  return { remove: removal.mutate, isRemoving: removal.isPending };
}

/** Brings a removed pet back, and shows it. */
export function useReturn(id: string) {
  const t = useTranslations('petPage.staff');
  const queries = useQueryClient();
  const navigate = useNavigate();
  const failureText = useFailureText();

  const change = useMutation({
    mutationFn: () => client.undeletePet({ petId: BigInt(id) }),
    onSuccess: async ({ name }) => {
      await queries.resetQueries({ queryKey: petQuery(id).queryKey });
      await navigate({ to: '/pets/$petId', params: { petId: id } });
      showNotice({ text: t('returned', { name }) });
    },
    onError: (error) => showNotice({ text: failureText(error), isTrouble: true }),
    onSettled: () => queries.invalidateQueries({ queryKey: PETS_KEY }),
  });

  return { bringBack: () => change.mutate(), isReturning: change.isPending };
}

function matching({ etag }: ReadPet): { ifMatch?: string } {
  return etag === undefined ? {} : { ifMatch: etag };
}

function isOutdated(error: unknown): boolean {
  return error instanceof MenagerieError && error.status === PRECONDITION_FAILED;
}
