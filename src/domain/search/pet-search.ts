import { Failure } from '../failure.ts';
import type { Clock } from '../ports.ts';
import type { StoredPet } from '../pets/pet.ts';
import type { PetStore } from '../pets/ports.ts';
import { countWithin, BatchSize, MAX_PAGE_CHARACTERS } from '../batches.ts';
import {
  DAY_MS,
  dayOf,
  daysBetween,
  statusCounts,
  type LabelCount,
  type LabelKind,
  type Statistics,
  type StatisticsStore,
} from './counts.ts';
import type { PetCriteria } from './criteria.ts';
import type { MatchBlock } from './match-blocks.ts';
import type { Match, MatchPosition, PetFacets } from './matches.ts';
import type { SearchService } from './search-engine.ts';
import type { Completion } from './suggestions.ts';
import type { WordSynonyms } from './synonyms.ts';
import { traitsOfText } from './index-source.ts';
import { wordsOf } from './words.ts';

/** A pet, and when it was last changed. */
export interface FoundPet extends StoredPet {
  changedAtMs: number;
}

interface FoundPets {
  pets: readonly FoundPet[];
  /** The number of all matches. */
  total: number;
  /** The words that were searched for, if some were corrected. */
  correctedWords: readonly string[] | undefined;
  /** The words that have synonyms. */
  synonyms: readonly WordSynonyms[];
  /** The position of the last pet; undefined on the last page. */
  last: MatchPosition | undefined;
}

/** A search that completes the one that a user is typing. */
interface Suggestion {
  /** A word of names, or a category or tag to filter by. */
  name: string;
  /** The text to search for, which contains the word of names. Empty for a filter only. */
  text: string;
  /** The number of pets that this search matches. */
  count: number;
}

interface Suggestions {
  names: readonly Suggestion[];
  categories: readonly Suggestion[];
  tags: readonly Suggestion[];
}

/** A search is repeated this often if its pets change before they are read. */
const MAX_ATTEMPTS = 3;

const MAX_LABELS = 20;
const DEFAULT_DAYS = 30;
const MAX_DAYS = 366;

interface PetSearchDeps {
  search: SearchService;
  pets: Pick<PetStore, 'findMany'>;
  statistics: StatisticsStore;
  clock: Clock;
}

/** Search, facets, labels and statistics. They require no permission, like reading pets. */
export class PetSearch {
  readonly #deps: PetSearchDeps;

  constructor(deps: PetSearchDeps) {
    this.#deps = deps;
  }

  /**
   * At most `limit` pets after `after`. Total and pets are of the same state of the data, unless the pets change all
   * the time.
   */
  async search(
    criteria: PetCriteria,
    { after, limit }: { after: MatchPosition | undefined; limit: number },
  ): Promise<FoundPets> {
    for (let attempt = 1; ; attempt++) {
      const { matches, hasMore, total, words, synonyms, version } = await this.#deps.search.search(
        criteria,
        after,
        limit,
      );
      const { pets, end, isCurrent } = await this.#readPets(matches, version);
      if (!isCurrent && attempt < MAX_ATTEMPTS) continue;
      return {
        pets,
        total,
        correctedWords: words.every((word, place) => word === criteria.words[place]) ? undefined : words,
        synonyms,
        last: hasMore || end < matches.length ? matches[end - 1] : undefined,
      };
    }
  }

  /** All matches by ascending id, in blocks of this number. */
  blocks(criteria: PetCriteria, length: number): Promise<readonly MatchBlock[]> {
    return this.#deps.search.blocks(criteria, length);
  }

  /** The number of matches for each status, category and tag, if it were selected in addition. */
  facets(criteria: PetCriteria): Promise<PetFacets> {
    return this.#deps.search.facets(criteria);
  }

  /** At most `limit` suggestions of each kind for criteria with a text, those with the most pets first. */
  async suggest(criteria: PetCriteria, limit: number): Promise<Suggestions> {
    const { names, categories, tags, version } = await this.#deps.search.complete(criteria, limit);
    const pets = await this.#deps.pets.findMany([...new Set(names.map(({ petId }) => petId))], version);
    const nameOf = new Map(pets.map(({ id, text }) => [id, traitsOfText(text).name]));
    return {
      names: names.map((completion) => wordSuggestion(completion, nameOf.get(completion.petId))),
      categories: categories.map(labelSuggestion),
      tags: tags.map(labelSuggestion),
    };
  }

  /**
   * Lists categories or tags, most used first.
   * @param words each is the prefix of a word in the label; empty for all labels
   */
  listLabels(
    kind: LabelKind,
    words: readonly string[],
    after: LabelCount | undefined,
    limit: number,
  ): Promise<readonly LabelCount[]> {
    return this.#deps.search.labels(kind, words, after, limit);
  }

  /**
   * The current counts, and the counts of each day in a range of days in UTC: by default, the last 30.
   *
   * @throws Failure `invalid-input` if the range is empty or longer than a year
   */
  async statistics(sinceMs: number | undefined, untilMs: number | undefined): Promise<Statistics> {
    const { search, statistics, clock } = this.#deps;
    const lastMs = untilMs ?? Math.max(clock(), sinceMs ?? 0);
    const firstMs = sinceMs ?? lastMs - (DEFAULT_DAYS - 1) * DAY_MS;
    const [firstDay, lastDay] = [dayOf(firstMs), dayOf(lastMs)];
    const length = Math.floor(lastMs / DAY_MS) - Math.floor(firstMs / DAY_MS) + 1;
    if (firstDay === undefined || lastDay === undefined || length < 1 || length > MAX_DAYS)
      throw new Failure('invalid-input', `since must not be after until, nor more than ${MAX_DAYS} days before it.`);
    const [{ total, statuses }, categories, tags, photos, days] = await Promise.all([
      search.counts(),
      search.labels('category', [], undefined, MAX_LABELS),
      search.labels('tag', [], undefined, MAX_LABELS),
      statistics.countPhotos(),
      statistics.listDays(firstDay, lastDay),
    ]);
    return {
      total,
      statuses: statusCounts(statuses),
      withoutStatus: statuses.none,
      categories,
      tags,
      photos,
      days: daysBetween(firstMs, lastMs, days),
    };
  }

  /**
   * Reads the pets of a page in the order of the matches, up to the maximum length of a page.
   *
   * @returns the pets, `end`, the number of matches read, and whether all of them are in the version of the index
   */
  async #readPets(matches: readonly Match[], indexVersion: bigint) {
    const matchOf = new Map(matches.map((match) => [match.id, match]));
    const size = new BatchSize();
    const pets: FoundPet[] = [];
    let isCurrent = true;
    for (let start = 0; start < matches.length;) {
      const ids = matches.slice(start, start + size.count).map(({ id }) => id);
      const found = await this.#deps.pets.findMany(ids, indexVersion);
      size.learn(found);
      const byId = new Map(found.map((pet) => [pet.id, pet]));
      const inOrder = ids.map((id) => byId.get(id)).filter((pet) => pet !== undefined);
      isCurrent &&=
        inOrder.length === ids.length && inOrder.every(({ id, version }) => version === matchOf.get(id)?.version);
      pets.push(...inOrder.map((pet) => ({ ...pet, changedAtMs: matchOf.get(pet.id)?.changedAtMs ?? 0 })));
      const beyond = pets[countWithin(pets, MAX_PAGE_CHARACTERS)];
      if (beyond !== undefined) {
        const end = start + ids.indexOf(beyond.id);
        return { pets: pets.slice(0, pets.indexOf(beyond)), end, isCurrent };
      }
      start += ids.length;
    }
    return { pets, end: matches.length, isCurrent };
  }
}

/** Spelled as in the name of a pet: the index has words without case and accents. */
function wordSuggestion({ name: word, words, count }: Completion, petName = ''): Suggestion {
  const name = petName.match(/[\p{L}\p{M}\p{N}]+/gu)?.find((part) => wordsOf(part).join(' ') === word) ?? word;
  return { name, text: [...words, name].join(' '), count };
}

function labelSuggestion({ name, words, count }: Completion): Suggestion {
  return { name, text: words.join(' '), count };
}
