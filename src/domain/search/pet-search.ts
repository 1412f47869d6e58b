import type { Actor, Permission } from '../access.ts';
import { Failure } from '../failure.ts';
import { organisationIn } from '../organisation/organisation.ts';
import { ownFieldsIn, type OwnField } from '../organisation/own-field.ts';
import type { SiteRecordStore } from '../organisation/ports.ts';
import type { Clock } from '../ports.ts';
import type { StoredPet } from '../pets/pet.ts';
import type { PetProfiles, ReadProfile } from '../pets/pet-profiles.ts';
import type { PetStore } from '../pets/ports.ts';
import { COATS, SEXES, SIZES, SPECIES } from '../pets/profile.ts';
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
import type { PetCriteria, SearchScope } from './criteria.ts';
import type { FacetChoices, PetFacets } from './facets.ts';
import type { MatchBlock } from './match-blocks.ts';
import type { Match, MatchPosition } from './matches.ts';
import type { SearchService } from './search-engine.ts';
import type { Completion } from './suggestions.ts';
import type { WordSynonyms } from './synonyms.ts';
import { wordsOf } from './words.ts';

/** A pet, and when it was last changed. */
export interface FoundPet extends StoredPet {
  changedAtMs: number;
  /** Present if the search asked for profiles, and the pet has one. */
  profile?: ReadProfile;
}

/** Which matches a search returns, and what of them. */
interface PageRequest {
  after: MatchPosition | undefined;
  limit: number;
  withProfiles?: boolean;
}

interface FoundPets {
  pets: readonly FoundPet[];
  total: number;
  /** The words that were searched for, if some were corrected. */
  correctedWords: readonly string[] | undefined;
  synonyms: readonly WordSynonyms[];
  /** The position of the last pet; undefined on the last page. */
  last: MatchPosition | undefined;
}

/** A search that completes the one that a user is typing. */
interface Suggestion {
  /** A word of names, or a label to filter by. */
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
  breeds: readonly Suggestion[];
}

/** A search is repeated this often if its pets change before they are read. */
const MAX_ATTEMPTS = 3;

const SEARCHABLE_TYPES: readonly OwnField['type'][] = ['choice', 'yes-no-unknown'];

const MAX_LABELS = 20;
const DEFAULT_DAYS = 30;
const MAX_DAYS = 366;

interface PetSearchDeps {
  search: SearchService;
  pets: Pick<PetStore, 'findMany'>;
  profiles: Pick<PetProfiles, 'findProfiles'>;
  statistics: StatisticsStore;
  siteRecords: Pick<SiteRecordStore, 'find'>;
  may: Permission;
  clock: Clock;
}

/**
 * Search, facets, labels and statistics. They require no permission, like reading pets. Drafts, and what only drafts
 * have, are found and counted only for actors who may change pets.
 */
export class PetSearch {
  readonly #deps: PetSearchDeps;

  constructor(deps: PetSearchDeps) {
    this.#deps = deps;
  }

  /**
   * At most `limit` pets after `after`. Total and pets are of the same state of the data, unless the pets change all
   * the time.
   *
   * @throws Failure `invalid-input`, `forbidden` as in `#scopeFor`
   */
  async search(
    actor: Actor,
    criteria: PetCriteria,
    { after, limit, withProfiles = false }: PageRequest,
  ): Promise<FoundPets> {
    const scope = await this.#scopeFor(actor, criteria);
    for (let attempt = 1; ; attempt++) {
      const { matches, hasMore, total, words, synonyms, version } = await this.#deps.search.search(
        criteria,
        scope,
        after,
        limit,
      );
      const { pets, end, isCurrent } = await this.#readPets(matches, version, scope, withProfiles ? actor : undefined);
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

  /** All matches by ascending id, in blocks of this number. @throws Failure as `search` */
  async blocks(actor: Actor, criteria: PetCriteria, length: number): Promise<readonly MatchBlock[]> {
    return this.#deps.search.blocks(criteria, await this.#scopeFor(actor, criteria), length);
  }

  /**
   * The number of matches for each value of a facet, if it were selected in addition. `published` is undefined for
   * actors who do not see drafts.
   *
   * @throws Failure as `search`
   */
  async facets(
    actor: Actor,
    criteria: PetCriteria,
  ): Promise<Omit<PetFacets, 'published'> & Partial<Pick<PetFacets, 'published'>>> {
    const { search, siteRecords } = this.#deps;
    const [scope, organisation, fields] = await Promise.all([
      this.#scopeFor(actor, criteria),
      siteRecords.find('organisation'),
      this.#searchableFields(actor),
    ]);
    const locations = (organisationIn(organisation).locations ?? []).map(({ id }) => id);
    const choices: FacetChoices = {
      facts: { species: SPECIES, sex: SEXES, size: SIZES, coat: COATS, location: locations },
      own: fields.map((field) => ({ key: field.key, values: valuesOf(field) })),
    };
    const { published, own, ...facets } = await search.facets(criteria, scope, choices);
    return {
      ...facets,
      own: own.filter(({ values }) => values.length > 0),
      ...(this.#seesDrafts(actor) && { published }),
    };
  }

  /**
   * At most `limit` suggestions of each kind for criteria with a text, those with the most pets first.
   *
   * @throws Failure as `search`
   */
  async suggest(actor: Actor, criteria: PetCriteria, limit: number): Promise<Suggestions> {
    const scope = await this.#scopeFor(actor, criteria);
    const { names, categories, tags, breeds, version } = await this.#deps.search.complete(criteria, scope, limit);
    const pets = await this.#deps.pets.findMany([...new Set(names.map(({ petId }) => petId))], version);
    const nameOf = new Map(pets.filter(isVisible(scope)).map(({ id, text }) => [id, nameIn(text)]));
    return {
      names: names.map((completion) => wordSuggestion(completion, nameOf.get(completion.petId))),
      categories: categories.map(labelSuggestion),
      tags: tags.map(labelSuggestion),
      breeds: breeds.map(labelSuggestion),
    };
  }

  /**
   * Lists categories or tags, most used first.
   * @param words each is the prefix of a word in the label; empty for all labels
   */
  listLabels(
    actor: Actor,
    kind: LabelKind,
    words: readonly string[],
    after: LabelCount | undefined,
    limit: number,
  ): Promise<readonly LabelCount[]> {
    return this.#deps.search.labels(kind, words, after, limit, this.#seesDrafts(actor));
  }

  /**
   * The current counts, and the counts of each day in a range of days in UTC: by default, the last 30. Those of
   * photos include drafts.
   *
   * @throws Failure `invalid-input` if the range is empty or longer than a year
   */
  async statistics(actor: Actor, sinceMs: number | undefined, untilMs: number | undefined): Promise<Statistics> {
    const { search, statistics, clock } = this.#deps;
    const lastMs = untilMs ?? Math.max(clock(), sinceMs ?? 0);
    const firstMs = sinceMs ?? lastMs - (DEFAULT_DAYS - 1) * DAY_MS;
    const [firstDay, lastDay] = [dayOf(firstMs), dayOf(lastMs)];
    const length = Math.floor(lastMs / DAY_MS) - Math.floor(firstMs / DAY_MS) + 1;
    if (firstDay === undefined || lastDay === undefined || length < 1 || length > MAX_DAYS)
      throw new Failure('invalid-input', `since must not be after until, nor more than ${MAX_DAYS} days before it.`);
    const withDrafts = this.#seesDrafts(actor);
    const [{ total, statuses }, categories, tags, photos, days] = await Promise.all([
      search.counts(withDrafts),
      search.labels('category', [], undefined, MAX_LABELS, withDrafts),
      search.labels('tag', [], undefined, MAX_LABELS, withDrafts),
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
      days: daysBetween(firstMs, lastMs, days, withDrafts),
    };
  }

  #seesDrafts(actor: Actor): boolean {
    return this.#deps.may(actor, 'write pets');
  }

  /**
   * @throws Failure `forbidden` for a search for drafts by an actor who does not see them; `invalid-input` for an own
   *   field that the actor does not see, or that has no choices
   */
  async #scopeFor(actor: Actor, { published, own }: PetCriteria): Promise<SearchScope> {
    const seesDrafts = this.#seesDrafts(actor);
    if (published === false && !seesDrafts)
      throw new Failure('forbidden', 'Only those who may change pets can search for drafts.');
    const scope = { withDrafts: seesDrafts && published !== true, todayMs: this.#deps.clock() };
    if (own.length === 0) return scope;
    const fields = await this.#searchableFields(actor);
    const unknown = own.find(({ key }) => !fields.some((field) => field.key === key));
    if (unknown === undefined) return scope;
    throw new Failure('invalid-input', `own: ${unknown.key} is not an own field with choices, or with yes and no.`);
  }

  /** The own fields that the actor sees, those with choices, or with yes and no. */
  async #searchableFields(actor: Actor): Promise<readonly OwnField[]> {
    const fields = ownFieldsIn(await this.#deps.siteRecords.find('own-fields'));
    const isStaff = this.#deps.may(actor, 'write pets');
    return fields.filter(({ type, isPublic }) => (isStaff || isPublic) && SEARCHABLE_TYPES.includes(type));
  }

  /**
   * Reads the pets of a page in the order of the matches, up to the maximum length of a page.
   *
   * @param reader of profiles; undefined for a search without them
   * @returns the pets, `end`, the number of matches read, and whether all of them are in the version of the index
   */
  async #readPets(matches: readonly Match[], indexVersion: bigint, scope: SearchScope, reader: Actor | undefined) {
    const matchOf = new Map(matches.map((match) => [match.id, match]));
    const size = new BatchSize();
    const pets: FoundPet[] = [];
    let isCurrent = true;
    for (let start = 0; start < matches.length;) {
      const ids = matches.slice(start, start + size.count).map(({ id }) => id);
      const found = await this.#readTogether(ids, indexVersion, reader);
      size.learn(found.map(wholeText));
      // A pet may have become a draft since.
      const byId = new Map(found.filter(isVisible(scope)).map((pet) => [pet.id, pet]));
      const inOrder = ids.map((id) => byId.get(id)).filter((pet) => pet !== undefined);
      isCurrent &&=
        inOrder.length === ids.length && inOrder.every(({ id, version }) => version === matchOf.get(id)?.version);
      pets.push(...inOrder.map((pet) => ({ ...pet, changedAtMs: matchOf.get(pet.id)?.changedAtMs ?? 0 })));
      const beyond = pets[countWithin(pets.map(wholeText), MAX_PAGE_CHARACTERS)];
      if (beyond !== undefined) {
        const end = start + ids.indexOf(beyond.id);
        return { pets: pets.slice(0, pets.indexOf(beyond)), end, isCurrent };
      }
      start += ids.length;
    }
    return { pets, end: matches.length, isCurrent };
  }

  /** Pets, with their profiles if there is a reader. A profile that is newer than its pet is left out. */
  async #readTogether(
    ids: readonly bigint[],
    noOlderThan: bigint,
    reader: Actor | undefined,
  ): Promise<readonly (StoredPet & { profile?: ReadProfile })[]> {
    const { pets, profiles } = this.#deps;
    if (reader === undefined) return pets.findMany(ids, noOlderThan);
    const [found, profileOf] = await Promise.all([
      pets.findMany(ids, noOlderThan),
      profiles.findProfiles(reader, ids, noOlderThan),
    ]);
    return found.map((pet) => {
      const profile = profileOf.get(pet.id);
      return profile === undefined || profile.version > pet.version ? pet : { ...pet, profile };
    });
  }
}

function valuesOf({ type, choices = [] }: OwnField): readonly string[] {
  return type === 'choice' ? choices.map(({ value }) => value) : ['true', 'false'];
}

function isVisible({ withDrafts }: SearchScope): (pet: StoredPet) => boolean {
  return ({ isDraft }) => withDrafts || !isDraft;
}

function wholeText({ text, profile }: { text: string; profile?: ReadProfile }): { text: string } {
  return { text: profile === undefined ? text : text + profile.text };
}

function nameIn(text: string): string {
  return (JSON.parse(text) as { name: string }).name;
}

/** Spelled as in the name of a pet: the index has words without case and accents. */
function wordSuggestion({ name: word, words, count }: Completion, petName = ''): Suggestion {
  const name = petName.match(/[\p{L}\p{M}\p{N}]+/gu)?.find((part) => wordsOf(part).join(' ') === word) ?? word;
  return { name, text: [...words, name].join(' '), count };
}

function labelSuggestion({ name, words, count }: Completion): Suggestion {
  return { name, text: words.join(' '), count };
}
