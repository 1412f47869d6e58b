import { queryOptions } from '@tanstack/react-query';
import { reader } from '../../service/client.ts';
import { PETS_KEY } from '../../service/queries.ts';
import { inputsOf, type Inputs } from './profile-inputs.ts';

/** A profile, and its entity tag, which is not that of the pet. */
export interface ReadInputs {
  inputs: Inputs;
  etag: string | undefined;
}

/** @param id its digits */
export function profileQuery(id: string) {
  return queryOptions({
    queryKey: [...PETS_KEY, 'profile', id],
    queryFn: async ({ signal }): Promise<ReadInputs> => {
      const { value, etag } = await reader.getPetProfile.response({ petId: BigInt(id) }, { signal });
      return { inputs: inputsOf(value ?? {}), etag };
    },
  });
}

export const locationsQuery = queryOptions({
  queryKey: ['organisation', 'locations'],
  queryFn: async ({ signal }) => (await reader.getOrganisation({}, { signal })).locations ?? [],
});
