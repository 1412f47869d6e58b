import { lastWrittenBy, type Actor } from '../access.ts';
import { Failure } from '../failure.ts';
import type { Clock } from '../ports.ts';
import type { StoredPet } from '../pets/pet.ts';
import { countFitting, createPortionSize, MAX_PAGE_CHARACTERS } from '../pets/pet-portions.ts';
import { countChoices, countStatuses, type PetChoices } from './choices.ts';
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
import { RELEVANCE_CLASSES, selectionOf, type PetQuestion } from './question.ts';
import { wordsOf } from './words.ts';

export interface FoundPart {
  /** The last place of the part before, and what was counted then: it is not counted again. */
  after: Place | undefined;
  total: Total | undefined;
  limit: number;
}

export interface FoundPets {
  pets: readonly StoredPet[];
  total: Total;
  /** Where the next part begins; undefined where there is none. */
  last: Place | undefined;
}

/** So many are counted one by one. What is rarer is sorted as a whole; what is not is met soon by whoever walks in the order. */
const MOST_COUNTED = 2000;

/** Of labels, so many are looked at in one go. */
const LABELS_AT_ONCE = 1000;

const MOST_USED = 20;
const USUAL_DAYS = 30;
const MAX_DAYS = 366;

export type PetFinding = ReturnType<typeof createPetFinding>;

/** Looks into the catalogue: who has what, and how many of it there are. Anybody may who may read pets. */
export function createPetFinding({ petFindStore: store, clock }: { petFindStore: PetFindStore; clock: Clock }) {
  return {
    async find(actor: Actor, question: PetQuestion, part: FoundPart): Promise<FoundPets> {
      const index = store.index(lastWrittenBy(actor));
      const counted: Counted = part.total === undefined ? await countOf(question, index) : { total: part.total };
      const { total } = counted;
      const places = await placesOf(question, { ...part, ...counted, limit: part.limit + 1 }, index);
      const { pets, end } = await petsAt(places.slice(0, part.limit), question, index);
      return { pets, total, last: places.length > end ? places[end - 1] : undefined };
    },

    /** How many there would be of each status, category and tag, if it were chosen beside what is asked. */
    choices(actor: Actor, question: PetQuestion): Promise<PetChoices> {
      return countChoices(question, store, store.index(lastWrittenBy(actor)));
    },

    /** Categories or tags with words that begin so, the most used first. */
    async listLabels(kind: LabelKind, words: readonly string[], after: LabelCount | undefined, limit: number) {
      if (words.length === 0) return store.listLabels(kind, after, limit);
      const found: LabelCount[] = [];
      for (let position = after; ;) {
        const labels = await store.listLabels(kind, position, LABELS_AT_ONCE);
        found.push(...labels.filter(({ name }) => hasWords(name, words)));
        position = labels.at(-1);
        if (found.length >= limit || labels.length < LABELS_AT_ONCE) return found.slice(0, limit);
      }
    },

    /** @throws Failure `invalid-input` for more days than a year has, or none */
    async statistics(sinceMs: number | undefined, untilMs: number | undefined): Promise<Statistics> {
      const lastMs = untilMs ?? Math.max(clock(), sinceMs ?? 0);
      const firstMs = sinceMs ?? lastMs - (USUAL_DAYS - 1) * DAY_MS;
      const [firstDay, lastDay] = [dayOf(firstMs), dayOf(lastMs)];
      const length = Math.floor(lastMs / DAY_MS) - Math.floor(firstMs / DAY_MS) + 1;
      if (firstDay === undefined || lastDay === undefined || length < 1 || length > MAX_DAYS)
        throw new Failure('invalid-input', `since must not be after until, nor more than ${MAX_DAYS} days before it.`);
      const keys = [
        ['total', ''],
        ['status', 'available'],
        ['status', 'pending'],
        ['status', 'sold'],
        ['picture', ''],
        ['picture-bytes', ''],
      ] as const;
      const [counts, categories, tags, days] = await Promise.all([
        store.index().countsOf(keys),
        store.listLabels('category', undefined, MOST_USED),
        store.listLabels('tag', undefined, MOST_USED),
        store.listDays(firstDay, lastDay),
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
    },
  };
}

interface Counted {
  total: Total;
  /** All there are, where they are few and were counted one by one. */
  ids?: readonly bigint[];
}

/** What is kept need not be counted. */
async function countOf(question: PetQuestion, index: PetIndex): Promise<Counted> {
  const kept = await keptCountOf(question, index);
  if (kept !== undefined) return { total: { count: kept, exact: true } };
  const ids = await index.idsOf(selectionOf(question), 0n, MOST_COUNTED + 1);
  return ids.length > MOST_COUNTED
    ? { total: { count: MOST_COUNTED, exact: false } }
    : { total: { count: ids.length, exact: true }, ids };
}

async function keptCountOf(question: PetQuestion, index: PetIndex): Promise<number | undefined> {
  const { words, statuses, categories, tags, updatedSinceMs } = question;
  if (words.length > 0 || updatedSinceMs !== undefined) return undefined;
  const [status, category, tag] = [statuses[0], categories[0], tags[0]];
  if (statuses.length + categories.length + tags.length > 1) return undefined;
  if (status !== undefined) return (await countStatuses(index))[status];
  const key: readonly [CountKind, string] =
    category !== undefined ? ['category', category] : tag !== undefined ? ['tag', tag] : ['total', ''];
  return (await index.countsOf([key]))[0] ?? 0;
}

async function placesOf(
  question: PetQuestion,
  { after, limit, total, ids: counted }: FoundPart & Counted,
  index: PetIndex,
): Promise<readonly Place[]> {
  if (total.exact && total.count === 0) return [];
  if (question.sort === 'id') return placesById(await index.idsOf(selectionOf(question), after?.id ?? 0n, limit), 0n);
  if (question.sort === 'relevance') return placesByRelevance(question, after, limit, index);
  const selection = selectionOf(question);
  const areFew = total.exact && total.count <= MOST_COUNTED;
  if (!areFew) return index.walk(question.sort, selection, after, limit);
  // Some may have come since they were counted.
  const ids = counted ?? (await index.idsOf(selection, 0n, 2 * MOST_COUNTED));
  if (ids.length === 2 * MOST_COUNTED) return index.walk(question.sort, selection, after, limit);
  return index.placesOf(ids, question.sort, after, limit);
}

/** Class by class, each by id. */
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
 * In the order of the places, as far as a page goes. What was changed or removed in the meantime, and would not be found any more, is left out.
 *
 * @returns with at how many places it was looked
 */
async function petsAt(
  places: readonly Place[],
  question: PetQuestion,
  index: PetIndex,
): Promise<{ pets: readonly StoredPet[]; end: number }> {
  const selection = selectionOf(question);
  const size = createPortionSize();
  const met: StoredPet[] = [];
  for (let start = 0; start < places.length;) {
    const ids = places.slice(start, start + size.count()).map(({ id }) => id);
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
