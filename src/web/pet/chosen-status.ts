import { useMutationState } from '@tanstack/react-query';
import { OPTIMISTIC_KEY, type PetView, type ReadPet } from '../service/queries.ts';

export type Status = NonNullable<PetView['status']>;

/** Of the mutations that change the status of the pet: what they are given is the status. */
export function statusKey(id: string): readonly unknown[] {
  return [...OPTIMISTIC_KEY, 'status', id];
}

/** The pet as it was read, with the status that somebody has chosen and the service has not answered to yet. */
export function useReadAsChosen(id: string, read: ReadPet | undefined): ReadPet | undefined {
  const chosen = useMutationState({
    filters: { mutationKey: statusKey(id), status: 'pending' },
    select: ({ state }) => state.variables as Status,
  });
  const status = chosen.at(-1);
  return read === undefined || status === undefined ? read : { ...read, pet: { ...read.pet, status } };
}
