import { useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import type { ClientResponse } from '../../api/documents/operation-types.ts';
import { showNotice } from '../design/notices.ts';
import { useAction } from '../service/action.ts';
import { client } from '../service/client.ts';
import { useFailureText } from '../service/failure-text.ts';
import { petQuery, PETS_KEY, type PetView } from '../service/queries.ts';

const MISSING_PHOTOS_HEADER = 'menagerie-missing-photos';

interface Restored {
  pet: PetView;
  etag: string | undefined;
  missingPhotos: number;
}

interface RestoreInput {
  version: bigint;
  /** The entity tag of the current version; undefined if the pet is deleted. */
  ifMatch: string | undefined;
}

/**
 * Restores a version of a pet. The caller shows errors.
 *
 * @param id the digits of the pet's ID
 */
export function useRestoreVersion(id: string) {
  const t = useTranslations('history.restored');
  const showRestoredNotice = useRestoredNotice();
  const failureText = useFailureText();
  const queries = useQueryClient();
  const { mutate, isPending, error, reset } = useAction({
    mutationFn: ({ version, ifMatch }: RestoreInput) => restore(id, { version, ifMatch }),
    onSuccess: (restored, { ifMatch }) => {
      const before = versionIn(ifMatch);
      const undo = async (version: bigint) => {
        try {
          const { pet } = await restore(id, { version, ifMatch: restored.etag });
          showNotice({ text: t('undone', { name: pet.name }) });
        } catch (error) {
          showNotice({ text: failureText(error), isError: true });
        } finally {
          await queries.invalidateQueries({ queryKey: PETS_KEY });
        }
      };
      showRestoredNotice(restored, before === undefined ? undefined : () => void undo(before));
    },
    onSettled: () => queries.invalidateQueries({ queryKey: PETS_KEY }),
  });
  return { restore: mutate, isPending, error, reset };
}

export function useRestoreDeletedPet() {
  const showRestoredNotice = useRestoredNotice();
  const failureText = useFailureText();
  const queries = useQueryClient();
  const { mutate, isPending, variables } = useAction({
    targetOf: (id: bigint) => id,
    mutationFn: async (id: bigint) => restoredIn(await client.restorePet.response({ petId: id })),
    onSuccess: (restored) => showRestoredNotice(restored, undefined),
    onError: (error) => showNotice({ text: failureText(error), isError: true }),
    onSettled: () => queries.invalidateQueries({ queryKey: PETS_KEY }),
  });
  return { restore: mutate, busyId: isPending ? variables : undefined };
}

function useRestoredNotice(): (restored: Restored, undo: (() => void) | undefined) => void {
  const t = useTranslations('history.restored');
  const queries = useQueryClient();
  return ({ pet, etag, missingPhotos }, undo) => {
    queries.setQueryData(petQuery(String(pet.id)).queryKey, { pet, etag });
    const text = t('done', { name: pet.name, missing: missingPhotos });
    showNotice({ text, ...(undo !== undefined && { action: { label: t('undo'), run: undo } }) });
  };
}

async function restore(id: string, { version, ifMatch }: RestoreInput): Promise<Restored> {
  const where = { petId: BigInt(id), version };
  return restoredIn(await client.restorePetVersion.response(where, ifMatch === undefined ? {} : { ifMatch }));
}

function restoredIn({ value, etag, headers }: ClientResponse<PetView | undefined>): Restored {
  if (value === undefined) throw new TypeError('The response contains no pet.');
  return { pet: value, etag, missingPhotos: Number(headers.get(MISSING_PHOTOS_HEADER) ?? 0) };
}

/** The entity tag of a pet is its version. */
function versionIn(etag: string | undefined): bigint | undefined {
  const digits = /\d+/.exec(etag ?? '')?.[0];
  return digits === undefined ? undefined : BigInt(digits);
}
