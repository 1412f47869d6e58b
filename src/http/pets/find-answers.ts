import { createHash } from 'node:crypto';
import type { Actor } from '../../domain/access.ts';
import { JsonText, recordText, type Written } from '../../api/answers.ts';
import { readPetQuestion, readWords } from '../../api/find-queries.ts';
import type { FoundPets, LabelCount as LabelRecord, PetChoices } from '../../api/records/found-pets.ts';
import { petCoverText, petCoverViews, type PetCover } from '../../api/records/photo.ts';
import { flagOf, type Query } from '../../api/query-values.ts';
import { Failure } from '../../domain/failure.ts';
import type { PetFacets } from '../../domain/search/facets.ts';
import type { LabelCount, LabelKind } from '../../domain/search/counts.ts';
import type { PetSearch, SearchPage } from '../../domain/search/pet-search.ts';
import { parseInt64 } from '../../domain/int64.ts';
import type { PetPhotos } from '../../domain/photos/pet-photos.ts';
import { withPhotoOrigin, type StoredPet } from '../../domain/pets/pet.ts';
import { readLimit } from '../paging.ts';

const DEFAULT_LIMIT = 50;

/** One page of results, as text. */
export interface FoundAnswer {
  text: string;
  limit: number;
  /** The cursor of the next page, if there is one. */
  next: string | undefined;
}

/** The same with the pets on the page. */
export interface FoundPetsAnswer extends FoundAnswer {
  pets: readonly StoredPet[];
  /** Empty unless requested. */
  covers: readonly PetCover[];
}

export interface FindAnswersDeps {
  petSearch: PetSearch;
  petPhotos: PetPhotos;
}

/** The results of search, for the routes and for pages that contain them. All methods throw Failure `invalid-input`. */
export class FindAnswers {
  readonly #petSearch: PetSearch;
  readonly #petPhotos: PetPhotos;

  constructor({ petSearch, petPhotos }: FindAnswersDeps) {
    this.#petSearch = petSearch;
    this.#petPhotos = petPhotos;
  }

  /** @param origin where the client reaches the service */
  async pets(actor: Actor, query: Query, origin: string): Promise<FoundPetsAnswer> {
    const question = readPetQuestion(query);
    const limit = readLimit(query['limit'], DEFAULT_LIMIT);
    const hasCovers = flagOf(query, 'covers');
    const cursors = cursorsOf(question, 5);
    const part = { limit, ...partOf(cursors.read(query['cursor'])) };
    const { pets, total, last } = await this.#petSearch.search(actor, question, part);
    const next = last && cursors.write([last.rank, last.name, last.id, total.count, total.exact]);
    const texts = withPhotoOrigin(pets.map(({ text }) => text).join(), origin);
    const covers = hasCovers ? petCoverViews(await this.#petPhotos.covers(pets), origin) : [];
    const text = recordText<FoundPets>({
      pets: new JsonText(`[${texts}]`),
      covers: hasCovers ? new JsonText(`[${covers.map(petCoverText).join()}]`) : undefined,
      total,
      next,
    });
    return { text, limit, next, pets, covers };
  }

  async choices(actor: Actor, query: Query): Promise<Pick<FoundAnswer, 'text'> & Pick<PetFacets, 'categories'>> {
    // The order of pets does not change their number.
    const question = readPetQuestion({ ...query, sort: undefined });
    const { statuses, categories, tags } = await this.#petSearch.facets(actor, question);
    return { text: JSON.stringify({ statuses, categories, tags } satisfies Written<PetChoices>), categories };
  }

  async labels(kind: LabelKind, query: Query): Promise<FoundAnswer> {
    const words = readWords(query);
    const limit = readLimit(query['limit'], DEFAULT_LIMIT);
    const cursors = cursorsOf([kind, words], 2);
    // One label more than requested shows whether there is a next page.
    const found = await this.#petSearch.listLabels(kind, words, labelOf(cursors.read(query['cursor'])), limit + 1);
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

/** The end of the previous page. The cursor has the mark of its question, but may be forged. */
function partOf(values: readonly string[] | undefined): Pick<SearchPage, 'after' | 'total'> {
  if (values === undefined) return { after: undefined, total: undefined };
  const [rank = '', name = '', id = '', count = '', exact] = values;
  return {
    after: { rank: requireInt64(rank), name: requirePlain(name), id: requireInt64(id) },
    total: { count: Number(requireInt64(count)), exact: exact === 'true' },
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

/** Name keys have only letters, digits and hyphens; other texts must be what every database accepts. */
function requirePlain(text: string, isKey = true): string {
  if (isKey ? !/^[\p{L}\p{N}-]*$/u.test(text) : text.includes('\0') || !text.isWellFormed()) throw forged();
  return text;
}

function forged(): Failure {
  return new Failure('invalid-input', 'The cursor is not one that this service gave. Begin again without a cursor.');
}

type Value = string | number | boolean | bigint;

/** Cursors of one question. They are opaque for clients, and contain where a page ended. */
interface Cursors {
  /** The values of a cursor; undefined if there is none. @throws Failure `invalid-input` */
  read(cursor: unknown): readonly string[] | undefined;
  write(values: readonly Value[]): string;
}

/** @param question everything that determines the records and their order */
function cursorsOf(question: unknown, length: number): Cursors {
  const text = JSON.stringify(question, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}` : value));
  const mark = createHash('sha256').update(text).digest('base64url').slice(0, 12);
  return {
    read(cursor) {
      if (cursor === undefined) return undefined;
      const [of, ...values] = typeof cursor === 'string' ? decode(cursor) : [];
      if (of === mark && values.length === length) return values;
      throw new Failure(
        'invalid-input',
        'The cursor is not one that this service gave for this question. Begin again without a cursor.',
      );
    },
    write: (values) => Buffer.from(JSON.stringify([mark, ...values.map(String)])).toString('base64url'),
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
