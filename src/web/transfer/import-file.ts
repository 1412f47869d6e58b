import { checkInPage } from '../../api/check.ts';
import { SentRole } from '../../api/records/account.ts';
import { SentPet, SentPetPatch } from '../../api/records/sent-pet.ts';
import { SentProfile } from '../../api/records/profile.ts';
import { SentUser } from '../../api/records/user.ts';
import { PetImport } from '../../transfer/pet-import.ts';
import type { Match } from '../../transfer/pet-matching.ts';
import type { PhotoSource } from '../../transfer/photo-source.ts';
import type { ColumnMap, Header, Table } from '../../transfer/columns.ts';
import { petTable } from '../../transfer/pet-table.ts';
import { NO_SITE, readSite, type Site } from '../../transfer/profiles/site.ts';
import { ProblemGroups, type Import, type Outcome, type RowResult } from '../../transfer/row-result.ts';
import {
  answersOfCountry,
  type Answers,
  type Conventions,
  type Question,
} from '../../transfer/profiles/conventions.ts';
import { formatOf, readRows, surveyRows } from '../../transfer/rows.ts';

import type { LeftOut } from '../../transfer/profiles/left-out.ts';
import type { SourceRow } from '../../transfer/source-row.ts';
import { decode } from '../../transfer/source-text.ts';
import { UnusableFile, type NamedColumns } from '../../transfer/unusable-file.ts';
import { UserImport } from '../../transfer/user-import.ts';
import { storeUser } from '../../transfer/user-requests.ts';
import { USER_TABLE } from '../../transfer/user-table.ts';
import { client } from '../service/client.ts';
import { findColumnMap } from './column-maps.ts';
import { openZip } from './open-zip.ts';

/*
 * Checks and imports files in the browser, like `menagerie pets import` and `menagerie users import`. The file is read
 * several times, never as a whole.
 */

export type Records = 'pets' | 'users';

/** What an import of the file would do. */
export interface Checked {
  work: Import;
  table: Table;
  map: ColumnMap;
  conventions: Conventions;
  questions: readonly Question[];
  /** Undefined for JSON. */
  header: Header | undefined;
  total: number;
  counts: Counts;
  leftOut: ReadonlyMap<LeftOut, number>;
  /** The stored pets of rows that are left out. */
  stillStored: readonly bigint[];
  /** The number of new pets that would not be published. */
  drafts: number;
  /** Undefined without a ZIP file. */
  photos: PhotoTally | undefined;
  /** The first rows that are not skipped, and what happens to them. */
  rows: readonly { row: SourceRow; result: RowResult }[];
  problems: ProblemGroups;
}

export type Counts = Readonly<Record<Outcome, number>>;

export const NO_COUNTS: Counts = { created: 0, updated: 0, skipped: 0, failed: 0, incomplete: 0, unknown: 0 };

const PREVIEW_ROWS = 5;
const SHOWN_PROBLEMS = 50;

/** Longer work without a pause would freeze the page. */
const BUSY_MS = 12;

/** Users are matched by username. */
function importOf(records: Records, { match, site, photos, isStrict }: PetImportSettings): Import {
  if (records === 'users') {
    const checks = {
      user: (value: unknown) => checkInPage(SentUser, value),
      role: (value: unknown) => checkInPage(SentRole, value),
    };
    return new UserImport({ checks, store: (user, isDryRun) => storeUser(client, user, isDryRun) });
  }
  const checks = {
    pet: (value: unknown) => checkInPage(SentPet, value),
    patch: (value: unknown) => checkInPage(SentPetPatch, value),
    profile: (value: unknown) => checkInPage(SentProfile, value),
  };
  return new PetImport({ client, match, site, checks, photos, isStrict, isPublishing: false });
}

interface PetImportSettings {
  match: Match;
  site: Site;
  photos: PhotoSource | undefined;
  isStrict: boolean;
}

/** By ID, here or in another system, if the file has one. */
function defaultMatch(columns: Columns | undefined): Match {
  return (['id', 'externalId'] as const).find((column) => columns?.columns.includes(column) ?? true) ?? 'none';
}

/** The columns of a file as they are imported, which the user can change. */
export interface Columns extends NamedColumns {
  /** The names whose columns were chosen because they are similar. */
  similar: ReadonlySet<string>;
  /** Whether all names are those of a known program. */
  areKnown: boolean;
  table: Table;
}

/** The columns of a file with the choices of the user; undefined for JSON. @throws UnusableFile */
async function columnsOf(file: File, table: Table, signal: AbortSignal): Promise<Columns | undefined> {
  const first = await readColumns(file, table, { signal });
  if (first === undefined) return undefined;
  const map = findColumnMap(table, first.names);
  return map.size === 0 ? first : readColumns(file, table, { signal, map });
}

async function readColumns(file: File, table: Table, options: ReadOptions): Promise<Columns | undefined> {
  let columns: Columns | undefined;
  const onHeader = (header: Header) => {
    const { similar, recognized } = header;
    const areKnown = recognized !== undefined && recognized.known === recognized.total;
    columns = { ...header, similar: new Set(similar.keys()), areKnown, table };
  };
  const rows = rowsOf(file, table, { ...options, onHeader });
  try {
    await rows.next();
    return columns;
  } catch (error) {
    // With other columns, the file may be usable.
    if (!(error instanceof UnusableFile) || error.header === undefined) throw error;
    return { ...error.header, similar: new Set(), areKnown: false, table };
  } finally {
    await rows.return();
  }
}

export interface ImportSettings {
  records: Records;
  /** By default by ID, or nothing if the file has none. */
  match: Match | undefined;
  zip: File | undefined;
  /** Whether a pet is not stored if one of its cells cannot be. */
  isStrict: boolean;
  answers: Answers;
}

interface CheckEvents {
  /** Called with the columns and the match, before the rows are read. */
  onColumns: (columns: Columns | undefined, match: Match) => void;
  onQuestions: (questions: readonly Question[]) => void;
  signal: AbortSignal;
}

/** @throws UnusableFile, MenagerieError, NetworkError */
export async function checkFile(
  file: File,
  { records, match: chosenMatch, zip, isStrict, answers }: ImportSettings,
  { onColumns, onQuestions, signal }: CheckEvents,
): Promise<Checked> {
  const source = zip && (await openZip(zip, signal));
  const site = records === 'pets' ? await readSite(client) : NO_SITE;
  const table = records === 'pets' ? petTable(site) : USER_TABLE;
  const columns = await columnsOf(file, table, signal);
  const match = chosenMatch ?? defaultMatch(columns);
  onColumns(columns, match);
  const work = importOf(records, { match, site, photos: source, isStrict });
  const map = columns === undefined ? new Map<string, string>() : findColumnMap(table, columns.names);
  const { conventions, questions } = await surveyRows(decode(chunksOf(file)), {
    ...optionsOf(file, table),
    map,
    answers,
    assumed: answersOfCountry(site.country),
  });
  onQuestions(questions);
  let header: Header | undefined;
  let total = 0;
  for await (const row of rowsOf(file, table, { map, conventions, signal, onHeader: (found) => (header = found) })) {
    total++;
    work.addRow(row);
  }
  await work.prepare(signal);
  const tally = new Tally();
  const photos = source && new PhotoTally(source);
  const rows: { row: SourceRow; result: RowResult }[] = [];
  for await (const row of rowsOf(file, table, { map, conventions, signal })) {
    const result = await work.tryRow(row);
    tally.add(result);
    photos?.add(row);
    if (rows.length < PREVIEW_ROWS && result.outcome !== 'skipped') rows.push({ row, result });
  }
  return {
    work,
    table,
    map,
    conventions,
    questions,
    header,
    total,
    rows,
    photos,
    counts: tally.counts,
    leftOut: tally.leftOut,
    stillStored: tally.stillStored,
    drafts: tally.drafts,
    problems: tally.problems,
  };
}

/** Counts the rows that name photos in a ZIP file, and collects the names that are not in it. */
export class PhotoTally {
  rows = 0;
  readonly missing = new Set<string>();
  readonly #source: PhotoSource;

  constructor(source: PhotoSource) {
    this.#source = source;
  }

  add({ value }: SourceRow): void {
    const entries: readonly unknown[] = [value['photoUrls']].flat();
    const names = entries.filter((entry) => typeof entry === 'string').filter((entry) => this.#source.has(entry));
    const missing = names.filter((name) => this.#source.problemOf(name)?.fault === 'missing');
    for (const name of missing) this.missing.add(name);
    if (missing.length < names.length) this.rows++;
  }
}

/** Counts results, and keeps the first problems. */
export class Tally {
  counts: Counts = NO_COUNTS;
  drafts = 0;
  readonly stillStored: bigint[] = [];
  readonly problems = new ProblemGroups(SHOWN_PROBLEMS);
  readonly leftOut = new Map<LeftOut, number>();

  add(result: RowResult): void {
    if (result.leftOut !== undefined) this.leftOut.set(result.leftOut, (this.leftOut.get(result.leftOut) ?? 0) + 1);
    if (result.isDraft) this.drafts++;
    if (result.outcome === 'skipped' && result.id !== undefined) this.stillStored.push(result.id);
    this.counts = { ...this.counts, [result.outcome]: this.counts[result.outcome] + 1 };
    this.problems.add(result);
  }
}

interface ReadOptions {
  map?: ColumnMap;
  conventions?: Conventions;
  signal?: AbortSignal;
  onHeader?: (header: Header) => void;
}

/**
 * The rows, also of columns with similar names: the page shows them first.
 * @throws UnusableFile, and the reason of the signal
 */
export async function* rowsOf(
  file: File,
  table: Table,
  { signal, ...options }: ReadOptions,
): AsyncGenerator<SourceRow, void, void> {
  let busySinceMs = performance.now();
  for await (const row of readRows(decode(chunksOf(file)), { ...optionsOf(file, table), ...options })) {
    yield row;
    if (performance.now() - busySinceMs < BUSY_MS) continue;
    await new Promise((resolve) => setTimeout(resolve));
    signal?.throwIfAborted();
    busySinceMs = performance.now();
  }
}

function optionsOf(file: File, table: Table) {
  return { format: formatOf(file.name) === 'ndjson' ? ('ndjson' as const) : undefined, table };
}

/** Not every browser can iterate over a stream. */
async function* chunksOf(file: File): AsyncGenerator<Uint8Array> {
  const reader = file.stream().getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
