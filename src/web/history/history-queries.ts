import type { ResultOf } from '../../api/documents/operation-types.ts';
import { client } from '../service/client.ts';
import { pagedQuery, PETS_KEY } from '../service/queries.ts';

export type HistoryEntry = ResultOf<'listPetHistory'>[number];
export type FieldChange = HistoryEntry['changes'][number];
export type DeletedPet = ResultOf<'listDeletedPets'>[number];

const PAGE_SIZE = 20;

export function historyQuery(petId: string) {
  return pagedQuery([...PETS_KEY, 'history', petId], (page, options) =>
    client.listPetHistory.response({ petId: BigInt(petId), limit: PAGE_SIZE, ...page }, options),
  );
}

export const deletedPetsQuery = pagedQuery([...PETS_KEY, 'deleted'], (page, options) =>
  client.listDeletedPets.response({ limit: PAGE_SIZE, ...page }, options),
);
