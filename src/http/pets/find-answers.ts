import type { Actor } from '../../domain/access.ts';
import { readPetQuestion, readWords } from '../../api/find-queries.ts';
import { petCoversText, petCoverViews, type PetCoverView } from '../../api/photos/photo-texts.ts';
import { flagOf, type Query } from '../../api/query-values.ts';
import { Failure } from '../../domain/failure.ts';
import type { PetFacets } from '../../domain/search/facets.ts';
import type { LabelCount, LabelKind } from '../../domain/search/counts.ts';
import type { SearchPage, PetSearch } from '../../domain/search/pet-search.ts';
import { parseInt64 } from '../../domain/int64.ts';
import type { PetPhotos } from '../../domain/photos/pet-photos.ts';
import { withPhotoOrigin, type StoredPet } from '../../domain/pets/pet.ts';
import { readLimit } from '../paging.ts';
import { cursorsOf } from './find-cursors.ts';

const DEFAULT_LIMIT = 50;

/** One page of what was asked for, as text. */
export interface FoundAnswer {
  text: string;
  limit: number;
  /** The cursor of the next page, where there is one. */
  next: string | undefined;
}

/** The same, and the pets that stand in it. */
export interface FoundPetsAnswer extends FoundAnswer {
  pets: readonly StoredPet[];
  /** None where they were not asked for. */
  covers: readonly PetCoverView[];
}

export type FindAnswers = ReturnType<typeof createFindAnswers>;

/** The answers of looking into the catalogue: for whoever asks, and for pages that bring them along. All throw Failure `invalid-input`. */
export function createFindAnswers({ petSearch, petPhotos }: { petSearch: PetSearch; petPhotos: PetPhotos }) {
  return {
    /** @param origin where the client reaches the service */
    async pets(actor: Actor, query: Query, origin: string): Promise<FoundPetsAnswer> {
      const question = readPetQuestion(query);
      const limit = readLimit(query['limit'], DEFAULT_LIMIT);
      const hasCovers = flagOf(query, 'covers');
      const cursors = cursorsOf(question, 5);
      const part = { limit, ...partOf(cursors.read(query['cursor'])) };
      const { pets, total, last } = await petSearch.search(actor, question, part);
      const next = last && cursors.write([last.rank, last.name, last.id, total.count, total.exact]);
      const texts = withPhotoOrigin(pets.map(({ text }) => text).join(), origin);
      const covers = hasCovers ? petCoverViews(await petPhotos.covers(pets), origin) : [];
      const coversField = hasCovers ? `"covers":${petCoversText(covers)},` : '';
      const text = `{"pets":[${texts}],${coversField}${JSON.stringify({ total, next }).slice(1)}`;
      return { text, limit, next, pets, covers };
    },

    async choices(actor: Actor, query: Query): Promise<Pick<FoundAnswer, 'text'> & Pick<PetFacets, 'categories'>> {
      // In which order pets come is nothing to their numbers.
      const question = readPetQuestion({ ...query, sort: undefined });
      const { statuses, categories, tags } = await petSearch.facets(actor, question);
      return { text: JSON.stringify({ statuses, categories, tags }), categories };
    },

    async labels(kind: LabelKind, query: Query): Promise<FoundAnswer> {
      const words = readWords(query);
      const limit = readLimit(query['limit'], DEFAULT_LIMIT);
      const cursors = cursorsOf([kind, words], 2);
      // One more than asked for tells whether there is a next page.
      const found = await petSearch.listLabels(kind, words, labelOf(cursors.read(query['cursor'])), limit + 1);
      const labels = found.slice(0, limit);
      const last = found.length > limit ? labels.at(-1) : undefined;
      const next = last && cursors.write([last.name, last.count]);
      return { text: JSON.stringify(labels.map(({ name, count }) => ({ name, count }))), limit, next };
    },
  };
}

/** What a cursor says of the part before. The mark of its question was right, but somebody may have made it. */
function partOf(values: readonly string[] | undefined): Pick<SearchPage, 'after' | 'total'> {
  if (values === undefined) return { after: undefined, total: undefined };
  const [rank = '', name = '', id = '', count = '', exact] = values;
  return {
    after: { rank: demandInt64(rank), name: demandPlain(name), id: demandInt64(id) },
    total: { count: Number(demandInt64(count)), exact: exact === 'true' },
  };
}

function labelOf(values: readonly string[] | undefined): LabelCount | undefined {
  if (values === undefined) return undefined;
  const [name = '', count = ''] = values;
  return { name: demandPlain(name, false), count: Number(demandInt64(count)) };
}

function demandInt64(text: string): bigint {
  const value = parseInt64(text);
  if (value === undefined) throw forged();
  return value;
}

/** As name keys are, or at least as every database takes it. */
function demandPlain(text: string, isKey = true): string {
  if (isKey ? !/^[\p{L}\p{N}-]*$/u.test(text) : text.includes('\0') || !text.isWellFormed()) throw forged();
  return text;
}

function forged(): Failure {
  return new Failure('invalid-input', 'The cursor is not one that this service gave. Begin again without a cursor.');
}
