import type { QueryClient } from '@tanstack/react-query';
import { ADMIN_KEY } from '../../../web/administration/admin-queries.ts';
import type { ListingPetView, ListingView } from './listing-queries.ts';
import { client } from '../../../web/service/client.ts';
import { pagedQuery } from '../../../web/service/queries.ts';
import { REQUIRED_FIELDS } from '../api/listing.ts';

/* The pets with what a site refuses, and which of its problems the cells of a table solve. */

export type Site = ListingView['site'];
export type RequiredField = (typeof REQUIRED_FIELDS)[number];

const PAGE_SIZE = 200;

/** All pages are loaded, so it is read again only on demand. */
export function judgedPetsQuery(site: Site) {
  const query = pagedQuery([...ADMIN_KEY, 'judged-pets', site], (page, options) =>
    client.listListingPets.response({ site, limit: PAGE_SIZE, ...page }, options),
  );
  return { ...query, staleTime: Number.POSITIVE_INFINITY, refetchOnMount: 'always' as const };
}

/** The fields that a pet lacks. None if it is listed, kept out, or refused for something else as well. */
export function missingFields({ listed, problems }: ListingPetView): readonly RequiredField[] {
  const refusals = problems.filter(({ refused }) => refused);
  const fields = REQUIRED_FIELDS.filter((name) => refusals.some(({ field }) => field === name));
  const isSolved = ({ field }: (typeof refusals)[number]) => fields.some((name) => name === field);
  return listed && refusals.every(isSolved) ? fields : [];
}

/** Reads the pages of these pets again. Pets that are no longer in them are left out. */
export async function judgeAgain(queries: QueryClient, site: Site, ids: ReadonlySet<bigint>): Promise<void> {
  const { queryKey } = judgedPetsQuery(site);
  const { pages = [], pageParams = [] } = queries.getQueryData(queryKey) ?? {};
  const judged = new Map<bigint, ListingPetView>();
  const changed = pages.filter(({ items }) => items.some(({ id }) => ids.has(id)));
  for (const page of changed) {
    const cursor = pageParams[pages.indexOf(page)];
    const newer = await client.listListingPets({
      site,
      limit: PAGE_SIZE,
      ...(typeof cursor === 'string' && { cursor }),
    });
    for (const pet of newer) judged.set(pet.id, pet);
  }
  await queries.cancelQueries({ queryKey });
  queries.setQueryData(
    queryKey,
    (data) =>
      data && {
        ...data,
        pages: data.pages.map((page) =>
          page.items.some(({ id }) => ids.has(id))
            ? { ...page, items: page.items.flatMap(({ id }) => judged.get(id) ?? []) }
            : page,
        ),
      },
  );
}
