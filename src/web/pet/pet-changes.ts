import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { MenagerieError } from '../../client/failures.ts';
import { lastCatalogueSearch } from '../routing/navigation-history.ts';
import { showNotice } from '../design/notices.ts';
import { useAction } from '../service/action.ts';
import { client } from '../service/client.ts';
import { useFailureText } from '../service/failure-text.ts';
import { changesOf, PETS_KEY, petQuery, type ReadPet } from '../service/queries.ts';

/*
 * Staff delete a pet and restore it.
 */

const PRECONDITION_FAILED = 412;

/** Deletes a pet, with a notice that can undo it. */
export function useDeletePet(id: string) {
  const t = useTranslations('petPage.staff');
  const queries = useQueryClient();
  const navigate = useNavigate();
  const failureText = useFailureText();
  const { restorePet } = useRestorePet(id);

  const deletion = useAction({
    scope: changesOf(id),
    mutationFn: async (before: ReadPet) => {
      // A status that was set just before has brought another entity tag.
      const read = queries.getQueryData(petQuery(id).queryKey) ?? before;
      return client.deletePet({ petId: BigInt(id) }, matching(read));
    },
    onSuccess: async (_done, { pet }) => {
      await navigate({ to: '/', search: lastCatalogueSearch() });
      queries.removeQueries({ queryKey: petQuery(id).queryKey });
      showNotice({
        text: t('deleted', { name: pet.name }),
        action: { label: t('undo'), run: () => restorePet() },
      });
    },
    onError: (error) =>
      showNotice({ text: isOutdated(error) ? t('changedMeanwhile') : failureText(error), isError: true }),
    onSettled: () => queries.invalidateQueries({ queryKey: PETS_KEY }),
  });

  return { deletePet: deletion.mutate, isDeleting: deletion.isPending };
}

/** Restores a deleted pet and shows it. */
export function useRestorePet(id: string) {
  const t = useTranslations('petPage.staff');
  const queries = useQueryClient();
  const navigate = useNavigate();
  const failureText = useFailureText();

  const restoration = useAction({
    mutationFn: () => client.restorePet({ petId: BigInt(id) }),
    onSuccess: async ({ name }) => {
      await queries.resetQueries({ queryKey: petQuery(id).queryKey });
      await navigate({ to: '/pets/$petId', params: { petId: id } });
      showNotice({ text: t('restored', { name }) });
    },
    onError: (error) => showNotice({ text: failureText(error), isError: true }),
    onSettled: () => queries.invalidateQueries({ queryKey: PETS_KEY }),
  });

  return { restorePet: () => restoration.mutate(), isRestoring: restoration.isPending };
}

function matching(read: ReadPet | undefined): { ifMatch?: string } {
  return read?.etag === undefined ? {} : { ifMatch: read.etag };
}

function isOutdated(error: unknown): boolean {
  return error instanceof MenagerieError && error.status === PRECONDITION_FAILED;
}
