import { useMutation, useQuery, useQueryClient, type UseMutationOptions } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import { MenagerieError } from '../../client/failures.ts';
import { showNotice } from '../design/notices.ts';
import { inputOf, inputsOf } from '../editing/profile/profile-inputs.ts';
import { profileQuery, type ReadInputs } from '../editing/profile/profile-queries.ts';
import { useAction } from '../service/action.ts';
import { noteOwnChanges } from '../service/own-changes.ts';
import { client } from '../service/client.ts';
import { useFailureText } from '../service/failure-text.ts';
import { changesOf, PETS_KEY, type PetView } from '../service/queries.ts';

interface VisibilityChange {
  isDraft: boolean;
  /** The entity tag of the profile as shown to the user. */
  etag: string | undefined;
}

const PRECONDITION_FAILED = 412;

/** Publishes a pet or makes it a draft, with a notice that can undo it. */
export function usePublication(pet: PetView) {
  const t = useTranslations('listEditing.visibility');
  const undoText = useTranslations('petPage.staff');
  const { data } = useQuery(profileQuery(String(pet.id)));
  const options = useVisibilityChange(pet);
  // An action ignores calls while the lists are read again; a notice can be used already.
  const { mutate: undo } = useMutation(options);
  const change = useAction({
    ...options,
    onSuccess: (read, { isDraft }) => {
      const run = () => undo({ isDraft: !isDraft, etag: read.etag });
      showNotice({
        text: t(isDraft ? 'drafted' : 'published', { name: pet.name }),
        action: { label: undoText('undo'), run },
      });
    },
  });
  return {
    /** Undefined until it is known. */
    isDraft: data && inputOf(data.inputs, 'isPublished') === 'no',
    isChanging: change.isPending,
    setDraft: (isDraft: boolean) => change.mutate({ isDraft, etag: data?.etag }),
  };
}

function useVisibilityChange(pet: PetView) {
  const t = useTranslations('listEditing.visibility');
  const quick = useTranslations('listEditing.quick');
  const failureText = useFailureText();
  const queries = useQueryClient();
  const id = String(pet.id);
  return {
    scope: changesOf(id),
    mutationFn: async (change: VisibilityChange) => {
      noteOwnChanges([pet]);
      const read = await sendVisibility(pet, change);
      queries.setQueryData(profileQuery(id).queryKey, read);
      return read;
    },
    onSuccess: (_read, { isDraft }) => showNotice({ text: t(isDraft ? 'drafted' : 'published', { name: pet.name }) }),
    onError: (error) => {
      const isChanged = error instanceof MenagerieError && error.status === PRECONDITION_FAILED;
      const why = isChanged ? quick('changedMeanwhile') : failureText(error);
      showNotice({ text: t('notChanged', { name: pet.name, why }), isError: true });
    },
    // The pet has another entity tag, which the next change of it needs.
    onSettled: () => queries.invalidateQueries({ queryKey: PETS_KEY }),
  } satisfies UseMutationOptions<ReadInputs, Error, VisibilityChange>;
}

async function sendVisibility({ id }: PetView, { isDraft, etag }: VisibilityChange): Promise<ReadInputs> {
  // Published is the default.
  const body = { isPublished: isDraft ? false : null };
  const sent = await client.patchPetProfile.response({ petId: id, body }, etag === undefined ? {} : { ifMatch: etag });
  return { inputs: inputsOf(sent.value ?? {}), etag: sent.etag };
}
