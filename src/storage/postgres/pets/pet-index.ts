import type { StoredPet } from '../../../domain/pets/pet.ts';
import type { KeptOrder, PetFindStore, PetIndex, Place } from '../../../domain/search/ports.ts';
import { selectsAll, type Selection, type Wanted } from '../../../domain/search/question.ts';
import { MAX_INT64 } from '../../../domain/int64.ts';
import type { NoOlderThan } from '../../../domain/ports.ts';
import type { Parameter, Ask } from '../engine/statements.ts';
import { copyRead, type CopyRead, type CopyReads } from '../engine/standby.ts';
import { openPetCounts } from './pet-counts.ts';
import { toStoredPet, type PetRow } from '../../rows/pets.ts';

/** So few rows are looked at before the index of tokens is asked; what is common is among them. So many at once, where it turns out to be common. */
const FIRST_WINDOW_ROWS = 2000;
const WINDOW_ROWS = 20_000;

/** What more pets have is met soon enough in the order of their ids. */
const MOST_BY_TOKEN = 5000;

/** By the row, not by the index of tokens: for rows that are looked at anyway. Null asks for nothing. */
const MATCHES = (query: number, since: number) =>
  `($${query}::tsquery is null or tokens @@ $${query}::tsquery) and ($${since}::int8 is null or changed_at_ms >= $${since}::int8)`;

const byTokens = copyRead('select pet_id from pet_search where tokens @@ $1::tsquery limit $2', 'pet_id');
const byChange = copyRead('select pet_id from pet_search where changed_at_ms >= $1::int8 limit $2', 'pet_id');
const byBoth = copyRead(
  'select pet_id from pet_search where tokens @@ $1::tsquery and changed_at_ms >= $2::int8 limit $3',
  'pet_id',
);
/** Who looks at some pets begins with so many times as many rows; where a fifth of them is met, it is enough. What is rarer, the index has soon. */
const FIRST_ROWS_EACH = 4;
const ENOUGH = 1 / 5;

const TOKENS = 'select tokens::text as tokens from pet_search where';
const firstTokens = copyRead(
  `select tokens::text as tokens from (select tokens, changed_at_ms from pet_search order by pet_id limit $3) as first
   where ${MATCHES(1, 2)} limit $4`,
  'tokens',
);
const tokensByTokens = copyRead(`${TOKENS} tokens @@ $1::tsquery limit $2`, 'tokens');
const tokensByChange = copyRead(`${TOKENS} changed_at_ms >= $1::int8 limit $2`, 'tokens');
const tokensByBoth = copyRead(`${TOKENS} tokens @@ $1::tsquery and changed_at_ms >= $2::int8 limit $3`, 'tokens');
const inOrderOfIds = copyRead('select pet_id from pet_search where pet_id > $1 order by pet_id limit $2', 'pet_id');
const endOfIds = copyRead(
  'select pet_id from pet_search where pet_id > $1 order by pet_id limit 1 offset $2',
  'pet_id',
);
const windowOfIds = copyRead(
  `select pet_id from pet_search where pet_id > $1 and pet_id <= $2 and ${MATCHES(3, 4)} order by pet_id limit $5`,
  'pet_id',
);
const amongIds = copyRead(
  `select id, version, text from pet join pet_search on pet_id = id where id = any($1::int8[]) and ${MATCHES(2, 3)}`,
  'id, version, text',
);

interface Walk {
  end: CopyRead;
  window: CopyRead;
  places: CopyRead;
  /** What stands for a place; before the first and beyond the last one, too. */
  keyOf: (place: Place) => Parameter[];
  first: Place;
  last: Place;
}

const COLUMNS = 'pet_id, name_key, added_version';
const NOWHERE: Place = { rank: 0n, name: '', id: 0n };

const WALKS: Readonly<Record<KeptOrder, Walk>> = {
  name: {
    end: copyRead(
      `select ${COLUMNS} from pet_search where (name_key, pet_id) > ($1, $2::int8) order by name_key, pet_id limit 1 offset ${WINDOW_ROWS - 1}`,
      COLUMNS,
    ),
    window: copyRead(
      `select ${COLUMNS} from pet_search where (name_key, pet_id) > ($1, $2::int8) and (name_key, pet_id) <= ($3, $4::int8)
         and ${MATCHES(5, 6)} order by name_key, pet_id limit $7`,
      COLUMNS,
    ),
    places: copyRead(
      `select ${COLUMNS} from pet_search where pet_id = any($1::int8[]) and (name_key, pet_id) > ($2, $3::int8) order by name_key, pet_id limit $4`,
      COLUMNS,
    ),
    keyOf: ({ name, id }) => [name, id],
    first: NOWHERE,
    // Beyond every letter and digit that there is.
    last: { ...NOWHERE, name: '\u{10FFFF}' },
  },
  newest: {
    end: copyRead(
      `select ${COLUMNS} from pet_search where added_version < $1 order by added_version desc limit 1 offset ${WINDOW_ROWS - 1}`,
      COLUMNS,
    ),
    window: copyRead(
      `select ${COLUMNS} from pet_search where added_version < $1 and added_version >= $2 and ${MATCHES(3, 4)} order by added_version desc limit $5`,
      COLUMNS,
    ),
    places: copyRead(
      `select ${COLUMNS} from pet_search where pet_id = any($1::int8[]) and added_version < $2 order by added_version desc limit $3`,
      COLUMNS,
    ),
    keyOf: ({ rank }) => [rank],
    first: { ...NOWHERE, rank: MAX_INT64 },
    last: NOWHERE,
  },
};

/** Every statement takes milliseconds, at most some ten, independent of the number of pets. */
export function openPetFindStore(ask: Ask, copies: CopyReads): PetFindStore {
  const counts = openPetCounts(ask);
  return { ...counts, index: (noOlderThan) => new PostgresPetIndex(copies, noOlderThan, counts) };
}

type PlaceRow = [id: bigint, name: string, addedVersion: bigint];

class PostgresPetIndex implements PetIndex {
  readonly #copies: CopyReads;
  readonly #noOlderThan: NoOlderThan;
  readonly #counts: Pick<PetIndex, 'countsOf'>;

  constructor(copies: CopyReads, noOlderThan: NoOlderThan, counts: Pick<PetIndex, 'countsOf'>) {
    this.#copies = copies;
    this.#noOlderThan = noOlderThan;
    this.#counts = counts;
  }

  async idsOf(selection: Selection, afterId: bigint, most: number): Promise<readonly bigint[]> {
    if (selectsAll(selection)) return this.#ids(inOrderOfIds, afterId, most);
    const ids: bigint[] = [];
    let rows = FIRST_WINDOW_ROWS;
    for (let startId = afterId; ;) {
      const [end] = await this.#ids(endOfIds, startId, rows - 1);
      const window = [startId, end ?? MAX_INT64, ...filterOf(selection), most - ids.length] as const;
      ids.push(...(await this.#ids(windowOfIds, ...window)));
      if (end === undefined || ids.length >= most) return ids;
      if (rows === FIRST_WINDOW_ROWS) {
        const few = await this.#findFew(selection);
        if (few !== undefined) return [...ids, ...few.filter((id) => id > end)].slice(0, most);
        rows = WINDOW_ROWS;
      }
      startId = end;
    }
  }

  async placesOf(ids: readonly bigint[], order: KeptOrder, after: Place | undefined, most: number) {
    const { places, keyOf, first } = WALKS[order];
    const rows = await this.#read<PlaceRow>(places, ids, ...keyOf(after ?? first), most);
    return rows.map((row) => placeOf(order, row));
  }

  async walk(order: KeptOrder, selection: Selection, after: Place | undefined, most: number) {
    const { end, window, keyOf, first, last } = WALKS[order];
    const found: Place[] = [];
    for (let position = after ?? first; ;) {
      const [endRow] = await this.#read<PlaceRow>(end, ...keyOf(position));
      const until = endRow === undefined ? last : placeOf(order, endRow);
      const range = [...keyOf(position), ...keyOf(until)];
      const rows = await this.#read<PlaceRow>(window, ...range, ...filterOf(selection), most - found.length);
      found.push(...rows.map((row) => placeOf(order, row)));
      if (endRow === undefined || found.length >= most) return found;
      position = until;
    }
  }

  async lookAt(selection: Selection, most: number) {
    const firstRows = FIRST_ROWS_EACH * most;
    // One more than needed shows whether these are all.
    const [[total = 0], first] = await Promise.all([
      this.countsOf([['total', '']]),
      this.#read<[tokens: string]>(firstTokens, ...filterOf(selection), firstRows, most + 1),
    ]);
    const isMore = total > firstRows;
    const met = isMore && first.length < ENOUGH * most ? await this.#readFew(selection, most + 1) : first;
    const isCut = isMore && met === first;
    return { tokens: met.slice(0, most).map(tokensIn), isAll: met.length <= most && !isCut };
  }

  async petsOf(ids: readonly bigint[], selection: Selection): Promise<readonly StoredPet[]> {
    const rows = await this.#read<PetRow>(amongIds, ids, ...filterOf(selection));
    if (rows.length === ids.length || this.#noOlderThan === undefined) return rows.map(toStoredPet);
    // The copy that returned the ids may have been newer than the one that was read now.
    const latest = await this.#copies.rows<PetRow>(amongIds, undefined, ids, ...filterOf(selection));
    return latest.map(toStoredPet);
  }

  countsOf(...parameters: Parameters<PetIndex['countsOf']>): ReturnType<PetIndex['countsOf']> {
    return this.#counts.countsOf(...parameters);
  }

  /** All selected ids, if they are few. */
  async #findFew({ wanted, sinceMs }: Selection): Promise<readonly bigint[] | undefined> {
    const most = MOST_BY_TOKEN + 1;
    const query = wanted && queryOf(wanted);
    const ids = await (query === undefined
      ? this.#ids(byChange, sinceMs ?? 0, most)
      : sinceMs === undefined
        ? this.#ids(byTokens, query, most)
        : this.#ids(byBoth, query, sinceMs, most));
    return ids.length < most ? ids.toSorted((a, b) => (a < b ? -1 : 1)) : undefined;
  }

  #readFew({ wanted, sinceMs }: Selection, most: number): Promise<[tokens: string][]> {
    const query = wanted && queryOf(wanted);
    if (query === undefined) return this.#read(tokensByChange, sinceMs ?? 0, most);
    return sinceMs === undefined
      ? this.#read(tokensByTokens, query, most)
      : this.#read(tokensByBoth, query, sinceMs, most);
  }

  #read<Row extends readonly unknown[]>(what: CopyRead, ...parameters: Parameter[]): Promise<Row[]> {
    return this.#copies.rows<Row>(what, this.#noOlderThan, ...parameters);
  }

  async #ids(what: CopyRead, ...parameters: Parameter[]): Promise<readonly bigint[]> {
    return (await this.#read<[id: bigint]>(what, ...parameters)).map(([id]) => id);
  }
}

function filterOf({ wanted, sinceMs }: Selection): readonly Parameter[] {
  return [wanted === undefined ? null : queryOf(wanted), sinceMs ?? null];
}

/** As PostgreSQL writes a tsvector: no token has a quote mark in it. */
function tokensIn([text]: [tokens: string]): readonly string[] {
  return text.slice(1, -1).split("' '");
}

function placeOf(order: KeptOrder, [id, name, addedVersion]: PlaceRow): Place {
  return order === 'name' ? { rank: 0n, name, id } : { rank: addedVersion, name: '', id };
}

/** As PostgreSQL asks of a tsvector (https://www.postgresql.org/docs/current/datatype-textsearch.html). */
function queryOf(wanted: Wanted): string {
  if (wanted.kind === 'token') return `'${wanted.token}'`;
  if (wanted.kind === 'prefix') return `'${wanted.prefix}':*`;
  if (wanted.kind === 'not') return `!(${queryOf(wanted.of)})`;
  return wanted.of.map((part) => `(${queryOf(part)})`).join(wanted.kind === 'any' ? ' | ' : ' & ');
}
