import { infiniteQueryOptions, QueryClient, queryOptions, type QueryKey } from '@tanstack/react-query';
import { nextCursor } from '../../client/calls.ts';
import { MenagerieError, NetworkError } from '../../client/failures.ts';
import type { ResultOf } from '../../api/operation-types.ts';
import { countInputOf, findInputOf, type CatalogueSearch } from '../../api/web/catalogue-search.ts';
import { reader } from './client.ts';

/*
 * What is read of the service, and under which keys it is kept. Ids stand in keys as their digits: a key must be JSON.
 */

const FRESH_MS = 15_000;
const LABELS = { limit: 100 } as const;

const MIN_NEXT_PAGE = 96;
const MAX_NEXT_PAGE = 480;
/** A long list that was scrolled through is not read again, page after page, for every look at a pet. */
const LONG_LIST_PAGES = 3;
const LONG_LIST_FRESH_MS = 5 * 60_000;
/** As long as the way back from a pet leads to the place one came from. */
const LIST_KEPT_MS = 30 * 60_000;

export function createQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        // The client itself asks again where that helps; what the service has refused, it refuses again.
        retry: (failures, error) =>
          failures < 1 && !(error instanceof MenagerieError) && !(error instanceof NetworkError),
      },
      // Offline, a change fails at once and says so, and what was typed stays: it does not wait for a network that may come back tomorrow.
      mutations: { networkMode: 'always', retry: false },
    },
  });
}

/** Everything about pets; what changes pets invalidates this. */
export const PETS_KEY = ['pets'] as const;

/** Mutations with this key show what they do before it is done: while one is under way, what others did waits. */
export const OPTIMISTIC_KEY = [...PETS_KEY, 'optimistic'] as const;

/** The scope of mutations that change a pet: they are carried out one after the other, so that nobody is in conflict with oneself. */
export function changesOf(id: string): { id: string } {
  return { id: `changes-of-${id}` };
}

export type FoundPage = ResultOf<'findPets'>;
export type PetView = ResultOf<'getPetById'>;
export type PetStatus = NonNullable<PetView['status']>;
export type PetPhotoView = ResultOf<'listPetPhotos'>[number];

/** A pet and the entity tag that a change of it is to carry, so that nobody's work is overwritten unseen. */
export interface ReadPet {
  pet: PetView;
  etag: string | undefined;
}

/** A page after the first one. */
interface NextPage {
  cursor: string;
  limit: number;
}

/** How many pets the next page of a list has: more for a longer list, so that a reload reads a long list in few requests. */
export function nextPageSize(count: number): number {
  return Math.min(MAX_NEXT_PAGE, Math.max(MIN_NEXT_PAGE, count));
}

export function foundPetsQuery(search: CatalogueSearch) {
  return infiniteQueryOptions({
    queryKey: [...PETS_KEY, 'found', search],
    queryFn: ({ pageParam, signal }) => reader.findPets({ ...findInputOf(search), ...pageParam }, { signal }),
    initialPageParam: undefined as NextPage | undefined,
    getNextPageParam: ({ next }, pages): NextPage | undefined =>
      next === undefined
        ? undefined
        : { cursor: next, limit: nextPageSize(pages.reduce((count, { pets }) => count + pets.length, 0)) },
    staleTime: ({ state }) => ((state.data?.pages.length ?? 0) > LONG_LIST_PAGES ? LONG_LIST_FRESH_MS : FRESH_MS),
    gcTime: LIST_KEPT_MS,
  });
}

/** How many there are, and nothing of them. */
export function petCountQuery(search: CatalogueSearch) {
  return queryOptions({
    queryKey: [...PETS_KEY, 'count', search],
    queryFn: async ({ signal }) => {
      const { total } = await reader.findPets({ ...findInputOf(search), limit: 1, covers: false }, { signal });
      return total;
    },
  });
}

/** How many there would be with each choice. */
export function petChoicesQuery(search: CatalogueSearch) {
  const asked = countInputOf(search);
  return queryOptions({
    queryKey: [...PETS_KEY, 'choices', asked],
    queryFn: ({ signal }) => reader.countChoices(asked, { signal }),
  });
}

/** @param id its digits */
export function petQuery(id: string) {
  return queryOptions({
    queryKey: [...PETS_KEY, 'one', id],
    queryFn: async ({ signal }): Promise<ReadPet> => {
      const { value, etag } = await reader.getPetById.answer({ petId: BigInt(id) }, { signal });
      if (value === undefined) throw new TypeError('The service answered without a pet.');
      return { pet: value, etag };
    },
  });
}

/** @param id its digits */
export function petPhotosQuery(id: string) {
  return queryOptions({
    queryKey: [...PETS_KEY, 'photos', id],
    queryFn: ({ signal }) => reader.listPetPhotos({ petId: BigInt(id) }, { signal }),
  });
}

export const tagsQuery = queryOptions({
  queryKey: [...PETS_KEY, 'tags'],
  queryFn: ({ signal }) => reader.listTags(LABELS, { signal }),
});

export const categoriesQuery = queryOptions({
  queryKey: [...PETS_KEY, 'categories'],
  queryFn: ({ signal }) => reader.listCategories(LABELS, { signal }),
});

/** Those whose names have words that begin as the words of the text do. */
export function labelsQuery(kind: 'category' | 'tag', text: string) {
  return queryOptions({
    queryKey: [...PETS_KEY, kind, text],
    queryFn: ({ signal }) =>
      kind === 'tag'
        ? reader.listTags({ ...LABELS, text }, { signal })
        : reader.listCategories({ ...LABELS, text }, { signal }),
  });
}

/** Without `since` and `until`: the last 30 days. Days are UTC, as `2026-01-31`. */
export function statisticsQuery(range: { since?: string; until?: string } = {}) {
  return queryOptions({
    queryKey: [...PETS_KEY, 'statistics', range],
    queryFn: ({ signal }) => reader.getStatistics(range, { signal }),
  });
}

/** The photos of a pet and the entity tag that a change of them needs. */
export interface ReadPictures {
  photos: readonly PetPhotoView[];
  etag: string | undefined;
}

/** @param petId its digits */
export function picturesQuery(petId: string) {
  return queryOptions({
    queryKey: [...PETS_KEY, 'pictures', petId],
    queryFn: ({ signal }) => readPictures(petId, signal),
  });
}

export async function readPictures(petId: string, signal?: AbortSignal): Promise<ReadPictures> {
  const { value, etag } = await reader.listPetPhotos.answer({ petId: BigInt(petId) }, { signal });
  return { photos: value ?? [], etag };
}

/** The name of a photo in an order of photos: its digest, or its URL on another host. */
export function nameOf(photo: PetPhotoView): string {
  return 'digest' in photo ? photo.digest : photo.url;
}

type ReadPage<T> = (
  page: { cursor?: string },
  options: { signal: AbortSignal },
) => Promise<{ value: readonly T[] | undefined; headers: Headers }>;

/** The query of a list that is read page by page. */
export function pagedQuery<T>(queryKey: QueryKey, readPage: ReadPage<T>) {
  return infiniteQueryOptions({
    queryKey,
    queryFn: async ({ pageParam, signal }) => {
      const { value, headers } = await readPage(pageParam === undefined ? {} : { cursor: pageParam }, { signal });
      return { items: value ?? [], next: nextCursor(headers) };
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
  });
}
