import { createHash } from 'node:crypto';
import { JsonText, recordText, type Written } from '../../api/records/record-text.ts';
import { INCLUDED, readPetCriteria, readWords } from '../../api/queries/search-queries.ts';
import type {
  FoundPets,
  LabelCount as LabelRecord,
  PetFacets as FacetsRecord,
  ProfileOfPet,
  Statistics,
} from '../../api/records/search.ts';
import { petCoverText, petCoverViews, type PetCover } from '../../api/records/photo.ts';
import { choiceOf, flagOf, timeOf, type Query } from '../../api/queries/query-values.ts';
import type { Actor } from '../../domain/access.ts';
import { Failure } from '../../domain/failure.ts';
import type { LabelCount, LabelKind } from '../../domain/search/counts.ts';
import type { MatchPosition } from '../../domain/search/matches.ts';
import type { FoundPet, PetSearch } from '../../domain/search/pet-search.ts';
import { parseInt64 } from '../../domain/int64.ts';
import type { PetPhotos } from '../../domain/pets/pet-photos.ts';
import { profileFactsText } from '../../domain/pets/profile.ts';
import { withPhotoOrigin } from '../../domain/pets/pet.ts';
import type { NetworkTurns, TurnClient } from '../pipeline/network-turns.ts';
import { readLimit } from '../pipeline/paging.ts';

const DEFAULT_LIMIT = 50;

/** A page of results as text. */
export interface FoundResponse {
  text: string;
  limit: number;
  /** The cursor of the next page, if there is one. */
  next: string | undefined;
}

interface FoundPetsResponse extends FoundResponse {
  pets: readonly FoundPet[];
  /** Empty unless requested. */
  covers: readonly PetCover[];
  /** The profiles as JSON, of the pets that have one; empty unless requested. */
  profiles: readonly { petId: bigint; text: string }[];
}

interface SearchResponsesDeps {
  petSearch: PetSearch;
  petPhotos: PetPhotos;
  searchTurns: NetworkTurns;
}

const namesOf = (values: readonly { name: string }[]) => values.map(({ name }) => name);

/**
 * Search results, for the routes and for pages that contain them. Each search takes a turn.
 *
 * Every method throws Failure `invalid-input`, `too-many-requests`, `unavailable`; `timed-out` if the client has
 * disconnected.
 */
export class SearchResponses {
  readonly #petSearch: PetSearch;
  readonly #petPhotos: PetPhotos;
  readonly #turns: NetworkTurns;

  constructor({ petSearch, petPhotos, searchTurns }: SearchResponsesDeps) {
    this.#petSearch = petSearch;
    this.#petPhotos = petPhotos;
    this.#turns = searchTurns;
  }

  /** @param origin the origin at which the client reaches the service */
  async pets(actor: Actor, query: Query, client: TurnClient, origin: string): Promise<FoundPetsResponse> {
    const criteria = readPetCriteria(query);
    const limit = readLimit(query['limit'], DEFAULT_LIMIT);
    const hasCovers = flagOf(query, 'covers');
    const included = choiceOf(query, 'include', INCLUDED);
    const cursors = cursorsOf(criteria, 5);
    const after = positionIn(cursors.read(query['cursor']));
    const { pets, total, correctedWords, synonyms, last } = await this.#turns.take(client, () =>
      this.#petSearch.search(actor, criteria, { after, limit, withProfiles: included !== undefined }),
    );
    const next = last && cursors.write([last.rank, last.addedVersion, last.intakeDay, last.nameKey, last.id]);
    const texts = pets.map(({ text }) => withPhotoOrigin(text, origin)).join();
    const covers = hasCovers ? petCoverViews(await this.#petPhotos.covers(pets), origin) : [];
    const profiles = profilesOf(pets, included);
    const text = recordText<FoundPets>({
      pets: new JsonText(`[${texts}]`),
      covers: hasCovers ? new JsonText(`[${covers.map(petCoverText).join()}]`) : undefined,
      profiles: included && new JsonText(`[${profiles.map(profileOfPetText).join()}]`),
      total,
      correctedText: correctedWords?.join(' '),
      synonyms: synonyms.length === 0 ? undefined : synonyms,
      next,
    });
    return { text, limit, next, pets, covers, profiles };
  }

  async facets(
    actor: Actor,
    query: Query,
    client: TurnClient,
  ): Promise<{ text: string; known: Readonly<Record<'species' | 'category' | 'goodWith', readonly string[]>> }> {
    const criteria = readPetCriteria(query);
    const found = await this.#turns.take(client, () => this.#petSearch.facets(actor, criteria));
    const { statuses, categories, tags, breeds, facts, ages, goodWith, own, published } = found;
    const record = {
      statuses,
      categories,
      tags,
      breeds,
      species: facts.species,
      sexes: facts.sex,
      ages,
      sizes: facts.size,
      coats: facts.coat,
      goodWith,
      locations: facts.location,
      own,
      published,
    } satisfies Written<FacetsRecord>;
    const known = { species: namesOf(facts.species), category: namesOf(categories), goodWith: namesOf(goodWith) };
    return { text: JSON.stringify(record), known };
  }

  async statistics(actor: Actor, query: Query, client: TurnClient): Promise<string> {
    const [since, until] = [timeOf(query, 'since'), timeOf(query, 'until')];
    const { total, statuses, withoutStatus, categories, tags, photos, days } = await this.#turns.take(client, () =>
      this.#petSearch.statistics(actor, since, until),
    );
    const record = { total, statuses, withoutStatus, categories, tags, photos, days } satisfies Written<Statistics>;
    return JSON.stringify(record);
  }

  async labels(actor: Actor, kind: LabelKind, query: Query, client: TurnClient): Promise<FoundResponse> {
    const words = readWords(query);
    const limit = readLimit(query['limit'], DEFAULT_LIMIT);
    const cursors = cursorsOf([kind, words], 2);
    // One label more than requested shows whether there is a next page.
    const after = labelOf(cursors.read(query['cursor']));
    const found = await this.#turns.take(client, () =>
      this.#petSearch.listLabels(actor, kind, words, after, limit + 1),
    );
    const labels = found.slice(0, limit);
    const last = found.length > limit ? labels.at(-1) : undefined;
    const next = last && cursors.write([last.name, last.count]);
    return {
      text: JSON.stringify(labels.map(({ name, count }) => ({ name, count }) satisfies LabelRecord)),
      limit,
      next,
    };
  }
}

/** The profiles of pets, or only their facts. */
function profilesOf(
  pets: readonly FoundPet[],
  included: (typeof INCLUDED)[number] | undefined,
): FoundPetsResponse['profiles'] {
  return pets.flatMap(({ id: petId, profile }) => {
    if (profile === undefined || included === undefined) return [];
    const text = included === 'facts' ? profileFactsText(profile.text) : profile.text;
    return text === '{}' ? [] : [{ petId, text }];
  });
}

function profileOfPetText({ petId, text }: FoundPetsResponse['profiles'][number]): string {
  return recordText<ProfileOfPet>({ petId, profile: new JsonText(text) });
}

/** Reads the end of the previous page. The cursor belongs to these criteria, but may be forged. */
function positionIn(values: readonly string[] | undefined): MatchPosition | undefined {
  if (values === undefined) return undefined;
  const [rank = '', addedVersion = '', intakeDay = '', nameKey = '', id = ''] = values;
  return {
    rank: Number(requireInt64(rank)),
    addedVersion: Number(requireInt64(addedVersion)),
    intakeDay: Number(requireInt64(intakeDay)),
    nameKey: requirePlain(nameKey),
    id: requireInt64(id),
  };
}

function labelOf(values: readonly string[] | undefined): LabelCount | undefined {
  if (values === undefined) return undefined;
  const [name = '', count = ''] = values;
  return { name: requirePlain(name, false), count: Number(requireInt64(count)) };
}

function requireInt64(text: string): bigint {
  const value = parseInt64(text);
  if (value === undefined) throw forged();
  return value;
}

/** Name keys have only letters, digits and hyphens. Other texts must be storable in every database. */
function requirePlain(text: string, isKey = true): string {
  if (isKey ? !/^[\p{L}\p{N}-]*$/u.test(text) : text.includes('\0') || !text.isWellFormed()) throw forged();
  return text;
}

function forged(): Failure {
  return new Failure('invalid-input', 'Invalid cursor. Start again without a cursor.');
}

type Value = string | number | boolean | bigint;

/** The cursors of one list. They are opaque to clients, and contain the end of a page. */
interface Cursors {
  /** The values of a cursor; undefined without a cursor. @throws Failure `invalid-input` */
  read(cursor: unknown): readonly string[] | undefined;
  write(values: readonly Value[]): string;
}

/** @param criteria all values that determine the records and their order. Each cursor has a digest of them. */
function cursorsOf(criteria: unknown, length: number): Cursors {
  const text = JSON.stringify(criteria, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}` : value));
  const digest = createHash('sha256').update(text).digest('base64url').slice(0, 12);
  return {
    read(cursor) {
      if (cursor === undefined) return undefined;
      const [of, ...values] = typeof cursor === 'string' ? decode(cursor) : [];
      if (of === digest && values.length === length) return values;
      throw new Failure('invalid-input', 'The cursor does not belong to this request. Start again without a cursor.');
    },
    write: (values) => Buffer.from(JSON.stringify([digest, ...values.map(String)])).toString('base64url'),
  };
}

function decode(cursor: string): readonly string[] {
  try {
    const values: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    return Array.isArray(values) && values.every((value) => typeof value === 'string') ? values : [];
  } catch {
    return [];
  }
}
