import type { InfiniteData, Query, QueryClient, QueryKey } from '@tanstack/react-query';
import { OPTIMISTIC_KEY, petQuery, PETS_KEY, type SearchPage, type PetView, type ReadPet } from './queries.ts';

/** A change of a pet; null if it was deleted. */
export interface PetEvent {
  version: bigint;
  id: bigint;
  pet: PetView | null;
}

const BATCH_MS = 300;
/** Minimum time between two refetches of lists. */
const LISTS_MS = 2000;
/** A list with more pages than this is not refetched; its changed pets are replaced in place. */
const MAX_PAGES_TO_READ = 4;

export interface Refresher {
  take: (event: PetEvent) => void;
  /** For when it is unknown what has changed. */
  refreshAll: () => void;
  stop: () => void;
}

/** Updates the query cache from change events. */
export function createRefresher(queries: QueryClient): Refresher {
  let waiting = new Map<string, PetEvent>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let listsTimer: ReturnType<typeof setTimeout> | undefined;
  let listsReadAtMs = Number.NEGATIVE_INFINITY;
  let changedIds = new Set<string>();

  function flush(): void {
    timer = undefined;
    if (queries.isMutating({ mutationKey: OPTIMISTIC_KEY }) > 0) {
      timer = setTimeout(flush, BATCH_MS);
      return;
    }
    const events = waiting;
    waiting = new Map();
    showChanges(queries, events);
    for (const id of events.keys()) changedIds.add(id);
    listsTimer ??= setTimeout(readLists, Math.max(0, listsReadAtMs + LISTS_MS - performance.now()));
  }

  function readLists(): void {
    listsTimer = undefined;
    listsReadAtMs = performance.now();
    const ids = changedIds;
    changedIds = new Set();
    void refreshLists(queries, ids);
  }

  return {
    take(event) {
      waiting.set(String(event.id), event);
      timer ??= setTimeout(flush, BATCH_MS);
    },
    refreshAll() {
      void queries.invalidateQueries({ queryKey: PETS_KEY });
    },
    stop() {
      clearTimeout(timer);
      clearTimeout(listsTimer);
    },
  };
}

/**
 * Shows the pet in all lists and on its page. Without a new entity tag, the cached one stays: the change is not stored
 * yet.
 */
export function showPet(queries: QueryClient, pet: PetView, etag?: string): void {
  const { queryKey } = petQuery(String(pet.id));
  queries.setQueryData(queryKey, (before) => before && { pet, etag: etag ?? before.etag });
  showInLists(queries, new Map([[String(pet.id), { pet }]]));
}

/**
 * Refetches the queries that depend on these pets, except the pets themselves.
 *
 * @param ids their digits
 */
export async function refreshLists(queries: QueryClient, ids: ReadonlySet<string>): Promise<void> {
  const isDue = (query: Query) => isAboutChanges(query.queryKey, ids) && !isLong(query);
  await Promise.all([
    queries.invalidateQueries({ queryKey: PETS_KEY, predicate: isDue }),
    queries.invalidateQueries({ queryKey: PETS_KEY, predicate: isLong, refetchType: 'none' }),
  ]);
}

function showChanges(queries: QueryClient, events: ReadonlyMap<string, PetEvent>): void {
  for (const [id, { pet, version }] of events) {
    const { queryKey } = petQuery(id);
    if (pet === null) void queries.invalidateQueries({ queryKey, exact: true });
    else queries.setQueryData(queryKey, (before) => newerOf(before, { pet, etag: `"${version}"` }));
  }
  showInLists(queries, events);
}

type Changes = ReadonlyMap<string, Pick<PetEvent, 'pet'>>;

function showInLists(queries: QueryClient, changes: Changes): void {
  queries.setQueriesData<InfiniteData<SearchPage>>({ queryKey: [...PETS_KEY, 'search'] }, (found) => {
    if (found === undefined) return undefined;
    const pages = found.pages.map((page) => changedPage(page, changes));
    // Undefined leaves the cached list unchanged, with its age.
    return pages.some((page, index) => page !== found.pages[index]) ? { ...found, pages } : undefined;
  });
}

function newerOf(before: ReadPet | undefined, after: ReadPet): ReadPet | undefined {
  return before === undefined || versionOf(before) >= versionOf(after) ? before : after;
}

/** The entity tag of a pet is its version. */
function versionOf({ etag }: ReadPet): bigint {
  const digits = /\d+/.exec(etag ?? '')?.[0];
  return digits === undefined ? -1n : BigInt(digits);
}

function changedPage(page: SearchPage, changes: Changes): SearchPage {
  if (!page.pets.some(({ id }) => changes.has(String(id)))) return page;
  const pets = page.pets.flatMap((pet) => {
    const change = changes.get(String(pet.id));
    return change === undefined ? [pet] : change.pet === null ? [] : [change.pet];
  });
  return { ...page, pets };
}

/**
 * Photos, history and profile depend on their pet, everything else on any pet. A pet itself has already been replaced
 * in the cache.
 */
function isAboutChanges([, kind, id]: QueryKey, ids: ReadonlySet<string>): boolean {
  if (kind === 'one') return false;
  return kind === 'photos' || kind === 'history' || kind === 'profile' ? typeof id === 'string' && ids.has(id) : true;
}

function isLong({ queryKey, state }: Query): boolean {
  if (queryKey[1] !== 'search') return false;
  const data = state.data as InfiniteData<SearchPage> | undefined;
  return data !== undefined && data.pages.length > MAX_PAGES_TO_READ;
}
