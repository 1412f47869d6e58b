import { queryOptions } from '@tanstack/react-query';
import type { ResultOf } from '../../../api/documents/operation-types.ts';
import { ADMIN_KEY } from '../../../web/administration/admin-queries.ts';
import { client } from '../../../web/service/client.ts';
import { pagedQuery } from '../../../web/service/queries.ts';

export type ListingView = ResultOf<'listListings'>[number];
export type ListingPetView = ResultOf<'listListingPets'>[number];

/** Polling interval while something waits to be uploaded. */
const UPLOAD_MS = 2000;

const PAGE_SIZE = 50;

export const listingsQuery = queryOptions({
  queryKey: [...ADMIN_KEY, 'listings'],
  queryFn: ({ signal }) => client.listListings({}, { signal }),
  refetchInterval: ({ state }) =>
    state.data?.some(({ uploadPhase = 'done' }) => uploadPhase !== 'done') === true ? UPLOAD_MS : false,
});

export function listingPetsQuery(site: ListingView['site']) {
  return pagedQuery([...listingsQuery.queryKey, site, 'pets'], (page, options) =>
    client.listListingPets.response({ site, limit: PAGE_SIZE, ...page }, options),
  );
}
