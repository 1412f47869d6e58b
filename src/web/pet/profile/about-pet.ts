import { useQuery } from '@tanstack/react-query';
import type { AboutPet } from '../../../api/web/first-view.ts';
import { bootstrap } from '../../service/bootstrap.ts';
import { bondedPetsQuery, organisationQuery, ownFieldsQuery, petProfileQuery } from '../../service/queries.ts';

/**
 * What is known about a pet; undefined if it could not be read, null while it is loading. All of it appears at once, so
 * that nothing moves.
 *
 * @param id its digits
 */
export function useAboutPet(id: string): AboutPet | undefined | null {
  const { data, isPending } = useQuery(petProfileQuery(id));
  const { bondedWith = [], location, own } = data?.profile ?? {};
  const ids = bondedWith.map((pet) => String(pet.id));
  const bonded = useQuery({ ...bondedPetsQuery(ids), enabled: ids.length > 0 });
  const site = useQuery({ ...organisationQuery, enabled: bootstrap.site.isDescribed === true });
  const fields = useQuery({ ...ownFieldsQuery, enabled: own !== undefined });
  if ([bonded, site, fields].some(({ isLoading }) => isLoading)) return null;
  if (data === undefined) return isPending ? null : undefined;
  return {
    profile: data.profile,
    bonded: bonded.data ?? [],
    ownFields: fields.data ?? [],
    organisation: site.data?.organisation,
    location: site.data?.organisation.locations?.find((each) => each.id === location),
  };
}
