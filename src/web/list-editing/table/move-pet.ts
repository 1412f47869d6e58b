import type { InfiniteData, QueryClient } from '@tanstack/react-query';
import type { Inputs } from '../../editing/profile/profile-inputs.ts';
import { mergeInputs } from '../../editing/profile/profile-merge.ts';
import { profileQuery } from '../../editing/profile/profile-queries.ts';
import { OverlapError, saveProfile } from '../../editing/profile/save-profile.ts';
import { PETS_KEY, type SearchPage } from '../../service/queries.ts';

/**
 * Changes the location in the profile of a pet, unless another user has changed it since the list was read. Lists have
 * no entity tags of profiles, so the profile is read first.
 *
 * @param shown the profile in the list
 * @throws OverlapError, MenagerieError, NetworkError
 */
export async function movePet(queries: QueryClient, id: bigint, shown: Inputs, location: string): Promise<void> {
  const petId = String(id);
  const newest = await queries.fetchQuery({ ...profileQuery(petId), staleTime: 0 });
  const { mine, overlapping } = mergeInputs(shown, { ...shown, location }, newest.inputs);
  if (overlapping.length > 0) throw new OverlapError(newest, overlapping);
  await saveProfile({ queries, petId, ownFields: [] }, newest, mine);
  queries.setQueriesData<InfiniteData<SearchPage>>({ queryKey: [...PETS_KEY, 'search'] }, (found) => {
    // Undefined leaves the cached list unchanged, with its age.
    if (found?.pages.some((page) => hasPet(page, id)) !== true) return undefined;
    return { ...found, pages: found.pages.map((page) => (hasPet(page, id) ? moved(page, id, location) : page)) };
  });
}

function hasPet({ pets }: SearchPage, id: bigint): boolean {
  return pets.some((pet) => pet.id === id);
}

function moved(page: SearchPage, petId: bigint, location: string): SearchPage {
  const isOther = (each: { petId: bigint }) => each.petId !== petId;
  const { profiles = [] } = page;
  const { location: _before, ...profile } = profiles.find((each) => !isOther(each))?.profile ?? {};
  const now = { petId, profile: location === '' ? profile : { ...profile, location } };
  return { ...page, profiles: [...profiles.filter(isOther), now] };
}
