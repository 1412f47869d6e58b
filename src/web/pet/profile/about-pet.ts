import { useQuery } from '@tanstack/react-query';
import type { AboutPet } from '../../../api/web/first-view.ts';
import { bondedPetsQuery, organisationQuery, petProfileQuery } from '../../service/queries.ts';

/**
 * What is known about a pet; undefined if it could not be read, null while it is loading.
 *
 * @param id its digits
 */
export function useAboutPet(id: string): AboutPet | undefined | null {
  const { data, isPending } = useQuery(petProfileQuery(id));
  const { bondedWith = [], location } = data?.profile ?? {};
  const ids = bondedWith.map((pet) => String(pet.id));
  const { data: bonded = [] } = useQuery({ ...bondedPetsQuery(ids), enabled: ids.length > 0 });
  const { data: site } = useQuery({ ...organisationQuery, enabled: location !== undefined });
  if (data === undefined) return isPending ? null : undefined;
  return {
    profile: data.profile,
    bonded,
    location: site?.organisation.locations?.find((each) => each.id === location),
  };
}
