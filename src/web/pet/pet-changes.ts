import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { MenagerieError } from '../../client/failures.ts';
import { lastCatalogueSearch } from '../app/trail.ts';
import { showNotice } from '../design/notices.ts';
import { client } from '../service/client.ts';
import { useFailureText } from '../service/failure-text.ts';
import { changesOf, PETS_KEY, petQuery, type ReadPet } from '../service/queries.ts';

/*
 * Staff delete a pet and restore it.
 */

const PRECONDITION_FAILED = 412;

/** Removes a pet, and offers to bring it back. */
export function useRemoval(id: string) {
  const t = useTranslations('petPage.staff');
  const queries = useQueryClient();
  const navigate = useNavigate();
  const failureText = useFailureText();
  const { bringBack } = useReturn(id);

  const removal = useMutation({
    scope: changesOf(id),
    mutationFn: async (before: ReadPet) => {
      // A status that was chosen just before has brought another entity tag.
      const read = queries.getQueryData(petQuery(id).queryKey) ?? before;
      return client.deletePet({ petId: BigInt(id) }, matching(read));
    },
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

function matching(read: ReadPet | undefined): { ifMatch?: string } {
  return read?.etag === undefined ? {} : { ifMatch: read.etag };
}

function isOutdated(error: unknown): boolean {
  return error instanceof MenagerieError && error.status === PRECONDITION_FAILED;
}
