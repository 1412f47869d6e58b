import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import type { Answered } from '../../api/operation-types.ts';
import { showNotice } from '../design/notices.ts';
import { client } from '../service/client.ts';
import { useFailureText } from '../service/failure-text.ts';
import { petQuery, PETS_KEY, type PetView } from '../service/queries.ts';

const MISSING_PICTURES = 'menagerie-missing-pictures';

interface Restored {
  pet: PetView;
  etag: string | undefined;
  missingPictures: number;
}

interface Restoration {
  version: bigint;
  /** Of the pet as it is; none where it is removed. */
  ifMatch: string | undefined;
}

/** Makes a pet what it was in a version. What the service refuses is for the caller to tell. @param id the digits of the pet's id */
export function useRestoration(id: string) {
  const t = useTranslations('history.restored');
  const tellRestored = useTellRestored();
  const failureText = useFailureText();
  const queries = useQueryClient();
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: ({ version, ifMatch }: Restoration) => restore(id, { version, ifMatch }),
    onSuccess: (restored, { ifMatch }) => {
      const before = versionIn(ifMatch);
      const undo = async (version: bigint) => {
        try {
          const { pet } = await restore(id, { version, ifMatch: restored.etag });
          showNotice({ text: t('undone', { name: pet.name }) });
        } catch (error) {
          showNotice({ text: failureText(error), isTrouble: true });
        } finally {
          await queries.invalidateQueries({ queryKey: PETS_KEY });
        }
      };
      tellRestored(restored, before === undefined ? undefined : () => void undo(before));
    },
    onSettled: () => queries.invalidateQueries({ queryKey: PETS_KEY }),
  });
  return { restore: mutate, isPending, error, reset };
}

/** Brings a removed pet back as it was last. */
export function useUndelete() {
  const tellRestored = useTellRestored();
  const failureText = useFailureText();
  const queries = useQueryClient();
  const { mutate, isPending, variables } = useMutation({
    mutationFn: async (id: bigint) => restoredIn(await client.undeletePet.answer({ petId: id })),
    onSuccess: (restored) => tellRestored(restored, undefined),
    onError: (error) => showNotice({ text: failureText(error), isTrouble: true }),
    onSettled: () => queries.invalidateQueries({ queryKey: PETS_KEY }),
  });
  return { undelete: mutate, busyId: isPending ? variables : undefined };
}

function useTellRestored(): (restored: Restored, undo: (() => void) | undefined) => void {
  const t = useTranslations('history.restored');
  const queries = useQueryClient();
  return ({ pet, etag, missingPictures }, undo) => {
    queries.setQueryData(petQuery(String(pet.id)).queryKey, { pet, etag });
    const text = t('done', { name: pet.name, missing: missingPictures });
    showNotice({ text, ...(undo !== undefined && { action: { label: t('undo'), run: undo } }) });
  };
}

async function restore(id: string, { version, ifMatch }: Restoration): Promise<Restored> {
  const where = { petId: BigInt(id), version };
  return restoredIn(await client.restorePetVersion.answer(where, ifMatch === undefined ? {} : { ifMatch }));
}

function restoredIn({ value, etag, headers }: Answered<PetView | undefined>): Restored {
  if (value === undefined) throw new TypeError('The service answered without a pet.');
  return { pet: value, etag, missingPictures: Number(headers.get(MISSING_PICTURES) ?? 0) };
}

/** Entity tags of pets are their versions. */
function versionIn(etag: string | undefined): bigint | undefined {
  const digits = /\d+/.exec(etag ?? '')?.[0];
  return digits === undefined ? undefined : BigInt(digits);
}
