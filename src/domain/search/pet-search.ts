import { lastWrittenBy, type Actor } from '../access.ts';
import { Failure } from '../failure.ts';
import type { Clock } from '../ports.ts';
import type { StoredPet } from '../pets/pet.ts';
import { countFitting, BatchSize, MAX_PAGE_CHARACTERS } from '../batches.ts';
import { countFacets, countStatuses, type PetFacets } from './facets.ts';
import {
  DAY_MS,
  dayOf,
  daysBetween,
  statusCounts,
  type CountKind,
  type LabelCount,
  type LabelKind,
  type Statistics,
  type Total,
} from './counts.ts';
import type { PetFindStore, PetIndex, Place } from './ports.ts';
import { RELEVANCE_CLASSES, selectionOf, selectsAll, type PetQuestion } from './question.ts';
import { wordsOf } from './words.ts';

export interface SearchPage {
  /** The position and the total of the previous page, so that it is not counted again. */
  after: Place | undefined;
  total: Total | undefined;
  limit: number;
}

export interface FoundPets {
  pets: readonly StoredPet[];
  total: Total;
  /** The position of the last one; undefined on the last page. */
  last: Place | undefined;
}

/** Up to this number, matches are counted exactly, and sorted as a whole. More frequent ones are soon met by a walk along the order. */
const MAX_COUNTED = 2000;

const LABEL_BATCH = 1000;

const MAX_LABELS = 20;
const DEFAULT_DAYS = 30;
const MAX_DAYS = 366;

const STATISTICS_KEYS = [
  ['total', ''],
  ['status', 'available'],
  ['status', 'pending'],
  ['status', 'sold'],
  ['picture', ''],
  ['picture-bytes', ''],
] as const satisfies readonly (readonly [CountKind, string])[];

export interface PetSearchDeps {
  petFindStore: PetFindStore;
  clock: Clock;
}

/** Search, facets, labels and statistics. They require no permission, as reading pets. */
export class PetSearch {
  readonly #store: PetFindStore;
  readonly #clock: Clock;

  constructor({ petFindStore, clock }: PetSearchDeps) {
    this.#store = petFindStore;
    this.#clock = clock;
  }

  async search(actor: Actor, question: PetQuestion, page: SearchPage): Promise<FoundPets> {
    const index = this.#store.index(lastWrittenBy(actor));
    const counted: Counted = page.total === undefined ? await countOf(question, index) : { total: page.total };
    const { total } = counted;
    const places = await placesOf(question, { ...page, ...counted, limit: page.limit + 1 }, index);
    const { pets, end } = await petsAt(places.slice(0, page.limit), question, index);
    return { pets, total, last: places.length > end ? places[end - 1] : undefined };
  }

  /** The number of matches for each status, category and tag, if it were selected in addition. */
  facets(actor: Actor, question: PetQuestion): Promise<PetFacets> {
    return countFacets(question, this.#store, this.#store.index(lastWrittenBy(actor)));
  }

  /** Lists categories or tags, the most used first. @param words prefixes of words that a label must have; empty for all labels */
  async listLabels(
    kind: LabelKind,
    words: readonly string[],
    after: LabelCount | undefined,
    limit: number,
  ): Promise<readonly LabelCount[]> {
    if (words.length === 0) return this.#store.listLabels(kind, after, limit);
    const found: LabelCount[] = [];
    for (let position = after; ;) {
      const labels = await this.#store.listLabels(kind, position, LABEL_BATCH);
      found.push(...labels.filter(({ name }) => hasWords(name, words)));
      position = labels.at(-1);
      if (found.length >= limit || labels.length < LABEL_BATCH) return found.slice(0, limit);
    }
  }

  /**
   * The numbers of today, and those of each day in a range of days in UTC: by default, the last 30.
   *
   * @throws Failure `invalid-input` if the range is empty or longer than a year
   */
  async statistics(sinceMs: number | undefined, untilMs: number | undefined): Promise<Statistics> {
    const lastMs = untilMs ?? Math.max(this.#clock(), sinceMs ?? 0);
    const firstMs = sinceMs ?? lastMs - (DEFAULT_DAYS - 1) * DAY_MS;
    const [firstDay, lastDay] = [dayOf(firstMs), dayOf(lastMs)];
    const length = Math.floor(lastMs / DAY_MS) - Math.floor(firstMs / DAY_MS) + 1;
    if (firstDay === undefined || lastDay === undefined || length < 1 || length > MAX_DAYS)
      throw new Failure('invalid-input', `since must not be after until, nor more than ${MAX_DAYS} days before it.`);
    const [counts, categories, tags, days] = await Promise.all([
      this.#store.index().countsOf(STATISTICS_KEYS),
      this.#store.listLabels('category', undefined, MAX_LABELS),
      this.#store.listLabels('tag', undefined, MAX_LABELS),
      this.#store.listDays(firstDay, lastDay),
    ]);
    const [total = 0, available = 0, pending = 0, sold = 0, count = 0, bytes = 0] = counts;
    return {
      total,
      statuses: statusCounts({ available, pending, sold }),
      withoutStatus: total - available - pending - sold,
      categories,
      tags,
      pictures: { count, bytes },
      days: daysBetween(firstMs, lastMs, days),
    };
  }
}

interface Counted {
  total: Total;
  /** All matches, if they are few and were counted exactly. */
  ids?: readonly bigint[];
}

async function countOf(question: PetQuestion, index: PetIndex): Promise<Counted> {
  const stored = await storedCountOf(question, index);
  if (stored !== undefined) return { total: { count: stored, exact: true } };
  const ids = await index.idsOf(selectionOf(question), 0n, MAX_COUNTED + 1);
  return ids.length > MAX_COUNTED
    ? { total: { count: MAX_COUNTED, exact: false } }
    : { total: { count: ids.length, exact: true }, ids };
}

/** The count if the store keeps it, as for a single status, category or tag; undefined otherwise. */
async function storedCountOf(question: PetQuestion, index: PetIndex): Promise<number | undefined> {
  const { statuses, categories, tags } = question;
  if (!selectsAll(selectionOf({ ...question, statuses: [], categories: [], tags: [] }))) return undefined;
  const [status, category, tag] = [statuses[0], categories[0], tags[0]];
  if (statuses.length + categories.length + tags.length > 1) return undefined;
  if (status !== undefined) return (await countStatuses(index))[status];
  const key: readonly [CountKind, string] =
    category !== undefined ? ['category', category] : tag !== undefined ? ['tag', tag] : ['total', ''];
  return (await index.countsOf([key]))[0] ?? 0;
}

async function placesOf(
  question: PetQuestion,
  { after, limit, total, ids: counted }: SearchPage & Counted,
  index: PetIndex,
): Promise<readonly Place[]> {
  if (total.exact && total.count === 0) return [];
  if (question.sort === 'id') return placesById(await index.idsOf(selectionOf(question), after?.id ?? 0n, limit), 0n);
  if (question.sort === 'relevance') return placesByRelevance(question, after, limit, index);
  const selection = selectionOf(question);
  const areFew = total.exact && total.count <= MAX_COUNTED;
  if (!areFew) return index.walk(question.sort, selection, after, limit);
  // Pets may have been added since the count.
  const ids = counted ?? (await index.idsOf(selection, 0n, 2 * MAX_COUNTED));
  if (ids.length === 2 * MAX_COUNTED) return index.walk(question.sort, selection, after, limit);
  return index.placesOf(ids, question.sort, after, limit);
}

/** By class, each sorted by id. */
async function placesByRelevance(
  question: PetQuestion,
  after: Place | undefined,
  limit: number,
  index: PetIndex,
): Promise<readonly Place[]> {
  const places: Place[] = [];
  for (const relevance of RELEVANCE_CLASSES) {
    const rank = BigInt(relevance);
    if (rank < (after?.rank ?? 0n) || places.length === limit) continue;
    const afterId = rank === after?.rank ? after.id : 0n;
    const ids = await index.idsOf(selectionOf(question, relevance), afterId, limit - places.length);
    places.push(...placesById(ids, rank));
  }
  return places;
}

function placesById(ids: readonly bigint[], rank: bigint): readonly Place[] {
  return ids.map((id) => ({ rank, name: '', id }));
}

/**
 * Reads the pets in the order of the places, up to the length of a page. Pets that were changed or deleted in between and no longer match are omitted.
 *
 * @returns the pets, and `end`, the number of places read
 */
async function petsAt(
  places: readonly Place[],
  question: PetQuestion,
  index: PetIndex,
): Promise<{ pets: readonly StoredPet[]; end: number }> {
  const selection = selectionOf(question);
  const size = new BatchSize();
  const met: StoredPet[] = [];
  for (let start = 0; start < places.length;) {
    const ids = places.slice(start, start + size.count).map(({ id }) => id);
    const found = await index.petsOf(ids, selection);
    size.learn(found);
    const byId = new Map(found.map((pet) => [pet.id, pet]));
    met.push(...ids.map((id) => byId.get(id)).filter((pet) => pet !== undefined));
    const beyond = met[countFitting(met, MAX_PAGE_CHARACTERS)];
    if (beyond !== undefined) {
      const end = start + ids.indexOf(beyond.id);
      return { pets: met.slice(0, met.indexOf(beyond)), end };
    }
    start += ids.length;
  }
  return { pets: met, end: places.length };
}

function hasWords(name: string, words: readonly string[]): boolean {
  const own = wordsOf(name);
  return words.every((word) => own.some((candidate) => candidate.startsWith(word)));
}
