import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite';
import type { KeptOrder, PetFindStore, PetIndex, Place } from '../../../domain/search/ports.ts';
import { selectsAll, type Selection } from '../../../domain/search/question.ts';
import type { StoredPet } from '../../../domain/pets/pet.ts';
import { MAX_INT64 } from '../../../domain/int64.ts';
import { prepareRow, prepareRows } from '../engine/database.ts';
import { conditionOf, createTokenMatches, type RowCondition } from '../engine/finding/token-query.ts';
import { toStoredPet, type PetRow } from '../../rows/pets.ts';
import { openPetCounts } from './pet-counts.ts';
import { NAME_KEY_MARK } from './pet-search.ts';

/** So many rows are looked at in one go, and so many pets by their tokens alone: some milliseconds of the event loop. */
const WINDOW_ROWS = 1000;
const WINDOW_OF_INDEX = 20_000;

/** Who looks at some pets, and has looked at so many times as many rows for them, has enough with a fifth. */
const ROWS_EACH = 4;
const ENOUGH = 1 / 5;

/** Statements for so many kinds of questions are kept. */
const MOST_STATEMENTS = 100;

/** The letter beyond that of name keys. */
const AFTER_NAME_KEYS = String.fromCharCode(NAME_KEY_MARK.charCodeAt(0) + 1);

/** By how many are met, and how many rows were looked at for them, one by one. */
type IsEnough = (met: number, looked: number) => boolean;

type Rows<Row> = (...parameters: SQLInputValue[]) => Row[];

/** Reads on the connection for lists, in steps: other requests get their turn in between. */
export function openPetFindStore(reader: DatabaseSync): PetFindStore {
  const counts = openPetCounts(reader);
  const index = new SqlitePetIndex(reader, counts);
  return { index: () => index, listLabels: counts.listLabels, listDays: counts.listDays };
}

type EndOfWindow = (startId: bigint) => readonly SQLOutputValue[] | undefined;

class SqlitePetIndex implements PetIndex {
  readonly #counts: Pick<PetIndex, 'countsOf'>;
  readonly #matchOf;
  readonly #walks;
  readonly #rowsOf;
  readonly #endOfRows: EndOfWindow;
  readonly #endOfIndexed: EndOfWindow;
  readonly #changedSince;
  readonly #inIndex;
  readonly #tokensOf;

  constructor(reader: DatabaseSync, counts: Pick<PetIndex, 'countsOf'>) {
    this.#counts = counts;
    this.#matchOf = createTokenMatches(reader);
    this.#walks = openWalks(reader);
    this.#rowsOf = keepStatements(reader);
    const endOfWindow = (rows: number) =>
      prepareRow(reader, `select pet_id from pet_search where pet_id > ? order by pet_id limit 1 offset ${rows - 1}`);
    this.#endOfRows = endOfWindow(WINDOW_ROWS);
    this.#endOfIndexed = endOfWindow(WINDOW_OF_INDEX);
    this.#changedSince = prepareRows<[id: bigint]>(
      reader,
      `select pet_id from pet_search where changed_at_ms >= ? limit ${WINDOW_ROWS + 1}`,
    );
    this.#inIndex = prepareRows<[id: bigint]>(
      reader,
      'select rowid from pet_token where pet_token match ? and rowid > ? and rowid <= ? order by rowid limit ?',
    );
    this.#tokensOf = prepareRows<[tokens: string]>(
      reader,
      'select tokens from json_each(?) join pet_search on pet_id = value',
    );
  }

  idsOf(selection: Selection, afterId: bigint, most: number): Promise<readonly bigint[]> {
    return this.#findIds(selection, afterId, most, () => false);
  }

  async placesOf(ids: readonly bigint[], order: KeptOrder, after: Place | undefined, most: number) {
    const [beyond, sort, parameters] =
      order === 'name'
        ? ['(name_key, pet_id) > (?, ?)', 'name_key, pet_id', [after?.name ?? '', after?.id ?? 0n]]
        : ['added_version < ?', 'added_version desc', [after?.rank ?? MAX_INT64]];
    const read = this.#rowsOf<PlaceRow>(
      `select added_version, name_key, pet_id from json_each(?) join pet_search on pet_id = value where ${beyond} order by ${sort} limit ?`,
    );
    return read(`[${ids.join()}]`, ...parameters, most).map((row) => placeOf(order, row));
  }

  async walk(order: KeptOrder, selection: Selection, after: Place | undefined, most: number) {
    const places: Place[] = [];
    const isAll = selectsAll(selection);
    const condition = conditionOfSelection(selection);
    for (let position = after; ;) {
      const { met, hasMore } = order === 'name' ? this.#walks.walkNames(position) : this.#walks.walkNewest(position);
      places.push(...(isAll ? met : this.#placesAmong(condition, met)));
      if (!hasMore || places.length >= most) return places.slice(0, most);
      position = met.at(-1) ?? position;
      await nextTurn();
    }
  }

  async petsOf(ids: readonly bigint[], selection: Selection): Promise<readonly StoredPet[]> {
    const condition = conditionOfSelection(selection);
    const read = this.#rowsOf<PetRow>(
      `select pet.id, version, text from json_each(?) join pet_search on pet_id = value join pet on pet.id = pet_id where ${condition.sql}`,
    );
    return read(`[${ids.join()}]`, ...condition.parameters).map(toStoredPet);
  }

  async lookAt(selection: Selection, most: number) {
    let isCut = false;
    const isEnough: IsEnough = (met, looked) => {
      isCut = looked >= ROWS_EACH * most && met >= ENOUGH * most;
      return isCut;
    };
    // One more than needed shows whether these are all.
    const ids = await this.#findIds(selection, 0n, most + 1, isEnough);
    const rows = this.#tokensOf(`[${ids.slice(0, most).join()}]`);
    return { tokens: rows.map(tokensIn), isAll: ids.length <= most && !isCut };
  }

  countsOf(...parameters: Parameters<PetIndex['countsOf']>): ReturnType<PetIndex['countsOf']> {
    return this.#counts.countsOf(...parameters);
  }

  /** The selected ids, ascending, until there are enough. */
  async #findIds(selection: Selection, afterId: bigint, most: number, isEnough: IsEnough): Promise<readonly bigint[]> {
    const { wanted, sinceMs } = selection;
    const condition = conditionOfSelection(selection);
    const changed = sinceMs === undefined ? undefined : this.#changedSince(sinceMs);
    if (changed !== undefined && changed.length <= WINDOW_ROWS) {
      const ids = changed.map(([id]) => id).filter((id) => id > afterId);
      return this.#among(condition, ids).slice(0, most);
    }
    const indexed = wanted === undefined ? undefined : this.#matchOf(wanted);
    if (indexed?.isNone) return [];
    if (indexed?.match === undefined) return this.#inRows(condition, afterId, most, isEnough);
    const { match, isWhole } = indexed;
    if (!isWhole || sinceMs !== undefined) return this.#amongIndexed(match, condition, afterId, most, isEnough);
    const read = (startId: bigint, endId: bigint, rest: number) => this.#byTokens(match, startId, endId, rest);
    return inWindows({ afterId, most, end: this.#endOfIndexed, read, isEnough: () => false });
  }

  #inRows(condition: RowCondition, afterId: bigint, most: number, isEnough: IsEnough): Promise<readonly bigint[]> {
    const rows = this.#rowsOf<[id: bigint]>(
      `select pet_id from pet_search where pet_id > ? and pet_id <= ? and ${condition.sql} order by pet_id limit ?`,
    );
    const read = (startId: bigint, endId: bigint, rest: number) =>
      rows(startId, endId, ...condition.parameters, rest).map(([id]) => id);
    return inWindows({ afterId, most, end: this.#endOfRows, read, isEnough });
  }

  /** Checks row by row what the index finds, for conditions that the index alone cannot decide. */
  async #amongIndexed(
    match: string,
    condition: RowCondition,
    afterId: bigint,
    most: number,
    isEnough: IsEnough,
  ): Promise<readonly bigint[]> {
    const ids: bigint[] = [];
    for (let [startId, looked] = [afterId, 0]; ;) {
      const last = this.#endOfIndexed(startId)?.[0] as bigint | undefined;
      const candidates = this.#byTokens(match, startId, last ?? MAX_INT64, WINDOW_ROWS);
      ids.push(...this.#among(condition, candidates));
      const isWhole = candidates.length < WINDOW_ROWS;
      if (ids.length >= most || (isWhole && last === undefined)) return ids.slice(0, most);
      if (isEnough(ids.length, (looked += candidates.length))) return ids;
      startId = (isWhole ? last : candidates.at(-1)) ?? startId;
      await nextTurn();
    }
  }

  #byTokens(match: string, startId: bigint, endId: bigint, most: number): readonly bigint[] {
    return this.#inIndex(match, startId, endId, most).map(([id]) => id);
  }

  #among(condition: RowCondition, ids: readonly bigint[]): readonly bigint[] {
    const read = this.#rowsOf<[id: bigint]>(
      `select pet_id from json_each(?) join pet_search on pet_id = value where ${condition.sql} order by pet_id`,
    );
    return read(`[${ids.join()}]`, ...condition.parameters).map(([id]) => id);
  }

  #placesAmong(condition: RowCondition, met: readonly Place[]): readonly Place[] {
    const ids = met.map(({ id }) => id);
    const chosen = new Set(this.#among(condition, ids));
    return met.filter(({ id }) => chosen.has(id));
  }
}

interface Windows {
  afterId: bigint;
  most: number;
  end: EndOfWindow;
  read: (startId: bigint, endId: bigint, most: number) => readonly bigint[];
  isEnough: IsEnough;
}

/** Reads ids from window to window, until there are enough, or no more. */
async function inWindows({ afterId, most, end, read, isEnough }: Windows): Promise<readonly bigint[]> {
  const ids: bigint[] = [];
  for (let [startId, looked] = [afterId, WINDOW_ROWS]; ; looked += WINDOW_ROWS) {
    const last = end(startId)?.[0] as bigint | undefined;
    ids.push(...read(startId, last ?? MAX_INT64, most - ids.length));
    if (last === undefined || ids.length >= most || isEnough(ids.length, looked)) return ids;
    startId = last;
    await nextTurn();
  }
}

type PlaceRow = [addedVersion: bigint, nameKey: string, id: bigint];

function placeOf(order: KeptOrder, [addedVersion, name, id]: PlaceRow): Place {
  return order === 'name' ? placeOfName(name, id) : { rank: addedVersion, name: '', id };
}

function placeOfName(name: string, id: bigint): Place {
  return { rank: 0n, name, id };
}

function tokensIn([tokens]: [tokens: string]): readonly string[] {
  return tokens.trim().split(' ');
}

function conditionOfSelection({ wanted, sinceMs }: Selection): RowCondition {
  const condition = wanted === undefined ? { sql: 'true', parameters: [] } : conditionOf(wanted);
  if (sinceMs === undefined) return condition;
  return { sql: `(${condition.sql}) and changed_at_ms >= ?`, parameters: [...condition.parameters, sinceMs] };
}

interface Step {
  met: readonly Place[];
  hasMore: boolean;
}

/** A step through all pets in an order, from the first after a place. */
function openWalks(reader: DatabaseSync) {
  const newest = prepareRows<PlaceRow>(
    reader,
    `select added_version, name_key, pet_id from pet_search where added_version < ? order by added_version desc limit ${WINDOW_ROWS}`,
  );
  const ofName = prepareRows<[id: bigint]>(
    reader,
    `select rowid from pet_token where pet_token match ? and rowid > ? order by rowid limit ${WINDOW_ROWS}`,
  );
  // In the order of the index: by the bytes of the token, and then by the id.
  const namesAfter = prepareRows<[term: string, id: bigint]>(
    reader,
    `select term, doc from pet_token_order where term > ? and term < '${AFTER_NAME_KEYS}' limit ${WINDOW_ROWS}`,
  );

  return {
    walkNewest: (after: Place | undefined): Step => {
      const met = newest(after?.rank ?? MAX_INT64).map((row) => placeOf('newest', row));
      return { met, hasMore: met.length === WINDOW_ROWS };
    },
    walkNames: (after: Place | undefined): Step => {
      const same = after === undefined ? [] : ofName(`"${NAME_KEY_MARK}${after.name}"`, after.id);
      if (after !== undefined && same.length > 0)
        return { met: same.map(([id]) => placeOfName(after.name, id)), hasMore: true };
      const next = namesAfter(`${NAME_KEY_MARK}${after?.name ?? ''}`);
      return { met: next.map(([term, id]) => placeOfName(term.slice(1), id)), hasMore: next.length === WINDOW_ROWS };
    },
  };
}

/** Statements by their text: what is asked for differs in few ways, though in many values. */
function keepStatements(reader: DatabaseSync) {
  const kept = new Map<string, Rows<never>>();
  return <Row extends readonly unknown[]>(sql: string): Rows<Row> => {
    const known = kept.get(sql);
    if (known !== undefined) return known;
    if (kept.size >= MOST_STATEMENTS) kept.clear();
    const made = prepareRows<Row>(reader, sql);
    kept.set(sql, made as Rows<never>);
    return made;
  };
}
