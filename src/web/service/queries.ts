import { infiniteQueryOptions, QueryClient, queryOptions, type QueryKey } from '@tanstack/react-query';
import { nextCursor } from '../../client/calls.ts';
import { MenagerieError, NetworkError } from '../../client/failures.ts';
import type { ResultOf } from '../../api/documents/operation-types.ts';
import { countInputOf, findInputOf, type CatalogueSearch } from '../../api/web/catalogue-search.ts';
import { reader } from './client.ts';

/*
 * The queries of the application and their keys. IDs are strings of digits in keys: a key must be JSON.
 */

const FRESH_MS = 15_000;
const LABELS = { limit: 100 } as const;
const SUGGESTIONS_OF_KIND = 4;

const MIN_NEXT_PAGE = 96;
const MAX_NEXT_PAGE = 480;
/** A long list is not refetched page by page each time the user returns from a pet. */
const LONG_LIST_PAGES = 3;
const LONG_LIST_FRESH_MS = 5 * 60_000;
/** As long as the user can return from a pet to the same position in the list. */
const LIST_KEPT_MS = 30 * 60_000;

export function createQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        // The client retries where that helps; a refused request would be refused again.
        retry: (failures, error) =>
          failures < 1 && !(error instanceof MenagerieError) && !(error instanceof NetworkError),
      },
      // Offline, a change fails immediately and the input stays. It is not queued for a network that may return
      // tomorrow.
      mutations: { networkMode: 'always', retry: false },
    },
  });
}

/** The key of everything about pets. Changes of pets invalidate it. */
export const PETS_KEY = ['pets'] as const;

/** The key of mutations that update the cache optimistically. While one is pending, changes of other users wait. */
export const OPTIMISTIC_KEY = [...PETS_KEY, 'optimistic'] as const;

/**
 * The scope of mutations of a pet: they run one after the other, so that a user does not conflict with their own
 * changes.
 */
export function changesOf(id: string): { id: string } {
  return { id: `changes-of-${id}` };
}

export type SearchPage = ResultOf<'findPets'>;
export type PetView = ResultOf<'getPetById'>;
export type PetStatus = NonNullable<PetView['status']>;
export type PetPhotoView = ResultOf<'listPetPhotos'>[number];

/** A pet and its entity tag, which a change sends so that it does not overwrite newer changes. */
export interface ReadPet {
  pet: PetView;
  etag: string | undefined;
}

interface NextPage {
  cursor: string;
  limit: number;
}

/** Size of the next page of a list. It grows with the list, so that a reload reads a long list in few requests. */
export function nextPageSize(count: number): number {
  return Math.min(MAX_NEXT_PAGE, Math.max(MIN_NEXT_PAGE, count));
}

/** @param include what is read of profiles: cards show few facts, the table of staff any of them */
export function petSearchQuery(search: CatalogueSearch, include: 'facts' | 'profile' = 'facts') {
  return infiniteQueryOptions({
    queryKey: [...PETS_KEY, 'search', search, include],
    queryFn: ({ pageParam, signal }) => reader.findPets({ ...findInputOf(search), include, ...pageParam }, { signal }),
    initialPageParam: undefined as NextPage | undefined,
    getNextPageParam: ({ next }, pages): NextPage | undefined =>
      next === undefined
        ? undefined
        : { cursor: next, limit: nextPageSize(pages.reduce((count, { pets }) => count + pets.length, 0)) },
    staleTime: ({ state }) => ((state.data?.pages.length ?? 0) > LONG_LIST_PAGES ? LONG_LIST_FRESH_MS : FRESH_MS),
    gcTime: LIST_KEPT_MS,
  });
}

/** The number of matching pets, without the pets. */
export function petCountQuery(search: CatalogueSearch) {
  return queryOptions({
    queryKey: [...PETS_KEY, 'count', search],
    queryFn: async ({ signal }) => {
      const { total } = await reader.findPets({ ...findInputOf(search), limit: 1, covers: false }, { signal });
      return total;
    },
  });
}

export function facetsQuery(search: CatalogueSearch) {
  const input = countInputOf(search);
  return queryOptions({
    queryKey: [...PETS_KEY, 'facets', input],
    queryFn: ({ signal }) => reader.countFacets(input, { signal }),
  });
}

/** The searches that complete a text, which must not be empty. */
export function suggestionsQuery({ text = '', ...search }: CatalogueSearch) {
  const input = { ...countInputOf(search), text, limit: SUGGESTIONS_OF_KIND };
  return queryOptions({
    queryKey: [...PETS_KEY, 'suggestions', input],
    queryFn: ({ signal }) => reader.listSuggestions(input, { signal }),
  });
}

/** @param id its digits */
export function petQuery(id: string) {
  return queryOptions({
    queryKey: [...PETS_KEY, 'one', id],
    queryFn: async ({ signal }): Promise<ReadPet> => {
      const { value, etag } = await reader.getPetById.response({ petId: BigInt(id) }, { signal });
      if (value === undefined) throw new TypeError('The response contains no pet.');
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

/** A profile and the entity tag that changes of it send. @param id the digits of the pet */
export function petProfileQuery(id: string) {
  return queryOptions({
    queryKey: [...PETS_KEY, 'about', id],
    queryFn: async ({ signal }) => {
      const { value, etag } = await reader.getPetProfile.response({ petId: BigInt(id) }, { signal });
      return { profile: value ?? {}, etag };
    },
  });
}

/** Pets with which one must stay together, without those that the user may not see. @param ids their digits */
export function bondedPetsQuery(ids: readonly string[]) {
  return queryOptions({
    queryKey: [...PETS_KEY, 'bonded', ids],
    queryFn: async ({ signal }) => {
      const read = await Promise.allSettled(ids.map((id) => reader.getPetById({ petId: BigInt(id) }, { signal })));
      return read.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    },
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

/** Labels with a word that starts with each word of the text. */
export function labelsQuery(kind: 'category' | 'tag', text: string) {
  return queryOptions({
    queryKey: [...PETS_KEY, kind, text],
    queryFn: ({ signal }) =>
      kind === 'tag'
        ? reader.listTags({ ...LABELS, text }, { signal })
        : reader.listCategories({ ...LABELS, text }, { signal }),
  });
}

/** Without `since` and `until`: the last 30 days. Days are in UTC, for example `2026-01-31`. */
export function statisticsQuery(range: { since?: string; until?: string } = {}) {
  return queryOptions({
    queryKey: [...PETS_KEY, 'statistics', range],
    queryFn: ({ signal }) => reader.getStatistics(range, { signal }),
  });
}

/** The organisation, and the entity tag that changes of it send. */
export const organisationQuery = queryOptions({
  queryKey: ['organisation'],
  queryFn: async ({ signal }) => {
    const { value, etag } = await reader.getOrganisation.response({}, { signal });
    return { organisation: value ?? {}, etag };
  },
});

/** The fields that the organisation defines, those that the user sees. */
export const ownFieldsQuery = queryOptions({
  queryKey: ['own-fields'],
  queryFn: async ({ signal }) => (await reader.getOwnFields({}, { signal })).fields,
});

/** The photos of a pet and the entity tag that changes of them send. */
export interface EditablePhotos {
  photos: readonly PetPhotoView[];
  etag: string | undefined;
}

/** @param petId its digits */
export function editablePhotosQuery(petId: string) {
  return queryOptions({
    queryKey: [...PETS_KEY, 'editable-photos', petId],
    queryFn: ({ signal }) => readEditablePhotos(petId, signal),
  });
}

export async function readEditablePhotos(petId: string, signal?: AbortSignal): Promise<EditablePhotos> {
  const { value, etag } = await reader.listPetPhotos.response({ petId: BigInt(petId) }, { signal });
  return { photos: value ?? [], etag };
}

/** Identifies a photo in an order: its digest, or its URL on another host. */
export function nameOf(photo: PetPhotoView): string {
  return 'digest' in photo ? photo.digest : photo.url;
}

type ReadPage<T> = (
  page: { cursor?: string },
  options: { signal: AbortSignal },
) => Promise<{ value: readonly T[] | undefined; headers: Headers }>;

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
