import { SingleBar } from 'cli-progress';
import { Failure } from '../../domain/failure.ts';
import type { ColumnMap, Header, Table } from '../../transfer/columns.ts';
import type { SimilarLabel } from '../../transfer/label-spellings.ts';
import type { Answers, Conventions, Question } from '../../transfer/profiles/conventions.ts';
import type { Recognized } from '../../transfer/programs/program.ts';
import type { Import, RowResult } from '../../transfer/row-result.ts';
import type { SourceRow } from '../../transfer/source-row.ts';
import { UnusableFile } from '../../transfer/unusable-file.ts';
import { FAILED, printError, UsageError } from '../terminal/output.ts';
import { stopOnSignal } from '../terminal/progress.ts';
import { ImportReport } from './import-report.ts';
import { ResultFile } from './result-file.ts';
import type { SourceFile } from './source-file.ts';
import { spellingKey } from '../../domain/text.ts';
import { shellWord } from '../../server/log/explain-failure.ts';

interface ImportCall {
  source: SourceFile;
  table: Table;
  /** The kind of records, in the plural. */
  records: 'pets' | 'users';
  work: Import;
  map: ColumnMap;
  /** The conventions of the cells, such as the unit of weights. */
  answers?: Answers;
  /** Answers that apply without being given. They are printed. */
  assumed?: Answers;
  /** The program that wrote the file, or `none`. */
  from?: string | undefined;
  isDryRun: boolean;
  resultPath: string | undefined;
  /** Whether the names of nearly all matched records may change. */
  mayRename?: boolean;
  /** Adds locations to the organisation. @returns how to import with them */
  createLocations?: ((names: readonly string[]) => Promise<Pick<ImportCall, 'table' | 'work'>>) | undefined;
  /** The page with all drafts. */
  draftsUrl?: string;
  /** A sentence about rows without a key; undefined if they are intended. */
  keylessText?: (count: number) => string | undefined;
}

/** The column in the example of a map. */
const NAME_COLUMNS = { pets: 'name', users: 'username' } as const;

const MAX_PRINTED_LABELS = 20;

/**
 * Runs an import with progress, reports its results, and sets the exit code. The first SIGINT ends it after the current
 * batch.
 */
export async function runImport(given: ImportCall): Promise<void> {
  const { isDryRun, resultPath, records } = given;
  const stop = stopOnSignal();
  const report = new ImportReport(records);
  try {
    const conventions = await surveySource(given);
    const total = await matchRows(given, conventions, stop.signal);
    reportKeylessRows(given);
    reportSimilarLabels(given.work.similarLabels);
    reportNewNames(given);
    requireSameRecords(given);
    const call = await withLocations(given, conventions, stop.signal);
    try {
      if (!stop.signal.aborted) await record(resultsOf(call, conventions, stop.signal), { report, total, resultPath });
    } finally {
      report.print({ isDryRun, total, isCancelled: stop.signal.aborted });
      reportDrafts(report.drafts, given);
    }
  } catch (error) {
    if (!(error instanceof UnusableFile)) throw error;
    printError(`${error.message}${mapHint(error, records)} Nothing was changed.`);
    process.exitCode = FAILED;
  } finally {
    stop.forget();
  }
}

async function withLocations(call: ImportCall, conventions: Conventions, signal: AbortSignal): Promise<ImportCall> {
  const { createLocations, work } = call;
  const { locations } = work.newNames;
  if (createLocations === undefined || locations.length === 0 || signal.aborted) return call;
  const changed = { ...call, ...(await createLocations(locations)) };
  await matchRows(changed, conventions, signal);
  return changed;
}

function reportNewNames({ work: { newNames }, createLocations, isDryRun }: ImportCall): void {
  const { categories, locations } = newNames;
  if (isDryRun && categories.length > 0) printError(`New categories: ${someOf(categories)}`);
  if (locations.length === 0) return;
  const hint = createLocations === undefined ? '. Add --create-locations to create them, as an administrator.' : '';
  printError(`New locations: ${someOf(locations)}${hint}`);
}

function someOf(names: readonly string[]): string {
  const more = names.length - MAX_PRINTED_LABELS;
  return names.slice(0, MAX_PRINTED_LABELS).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function reportDrafts(count: number, { draftsUrl = '' }: ImportCall): void {
  if (count === 0) return;
  const drafts = count === 1 ? '1 draft: only staff see it' : `${count} drafts: only staff see them`;
  printError(`${drafts} until ${count === 1 ? 'it is' : 'they are'} published, for example at ${draftsUrl}`);
}

function mapHint({ fault, header }: UnusableFile, records: ImportCall['records']): string {
  const name = header?.names[0];
  if (fault !== 'no-known-column' || name === undefined) return '';
  return ` Add ${mapFlag(name, NAME_COLUMNS[records])} to map a column.`;
}

/** @throws UnusableFile; Failure `invalid-input` if something must be said with a flag */
async function surveySource({ source, table, map, from, answers = {}, assumed }: ImportCall): Promise<Conventions> {
  const { conventions, questions } = await source.survey({
    table,
    map,
    answers,
    assumed,
    from,
    onHeader: reportHeader,
  });
  const open = questions.filter((question) => question.assumed === undefined);
  if (open.length > 0) throw new Failure('invalid-input', `${open.map(questionText).join(' ')} Nothing was changed.`);
  for (const question of questions) printError(assumedText(question));
  return conventions;
}

function assumedText({ about, name, example, assumed }: Question): string {
  const what = about === 'dates' ? `Dates such as ${example}` : `Weights without a unit, such as ${example},`;
  return `${what} in the column "${name}" are read as ${assumed}, as in the country of the organisation. Add --${about} to change that.`;
}

function questionText({ about, name, example }: Question): string {
  return about === 'dates'
    ? `The column "${name}" has the date ${example}, and no date that says whether the day or the month comes first. Add --dates day-first or --dates month-first.`
    : `The column "${name}" has the weight ${example} without a unit. Add --weights kg or --weights lb.`;
}

/** @returns the number of rows @throws UnusableFile before anything was changed */
async function matchRows(call: ImportCall, conventions: Conventions, signal: AbortSignal): Promise<number> {
  const { source, table, map, from, work } = call;
  let total = 0;
  for await (const row of source.rows({ table, map, from, conventions })) {
    if (signal.aborted) return total;
    total++;
    work.addRow(row);
  }
  try {
    await work.prepare(signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return total;
}

function reportKeylessRows({ work: { keylessRows }, keylessText }: ImportCall): void {
  const text = keylessRows === 0 ? undefined : keylessText?.(keylessRows);
  if (text !== undefined) printError(text);
}

/** @throws Failure `invalid-input` if the rows are probably those of other records */
function requireSameRecords({ work: { renames }, records, isDryRun, mayRename = false }: ImportCall): void {
  if (renames === 0 || mayRename) return;
  const message =
    `The names of nearly all matched ${records} differ from those in the file (${renames}), which are probably others ` +
    'with the same IDs. Add --rename to change the names, or match the rows in another way (--match).';
  if (!isDryRun) throw new Failure('invalid-input', `${message} Nothing was changed.`);
  printError(message);
}

async function record(
  results: AsyncIterable<RowResult>,
  { report, total, resultPath }: { report: ImportReport; total: number; resultPath: string | undefined },
): Promise<void> {
  const file = resultPath === undefined ? undefined : await ResultFile.open(resultPath);
  const bar = startBar(total);
  try {
    for await (const result of results) {
      report.add(result);
      await file?.add(result);
      bar?.increment();
    }
  } finally {
    bar?.stop();
    await file?.close();
  }
}

async function* resultsOf(
  { source, table, map, from, work, isDryRun }: ImportCall,
  conventions: Conventions,
  signal: AbortSignal,
): AsyncGenerator<RowResult> {
  const rows: AsyncGenerator<SourceRow> = source.rows({ table, map, from, conventions });
  if (!isDryRun) {
    yield* work.run(rows, signal);
    return;
  }
  for await (const row of rows) {
    if (signal.aborted) return;
    yield await work.tryRow(row);
  }
}

/** Only on a terminal. */
function startBar(total: number): SingleBar | undefined {
  if (!process.stderr.isTTY) return undefined;
  const bar = new SingleBar({ stream: process.stderr, format: '{bar} {value}/{total}', gracefulExit: false });
  bar.start(total, 0);
  return bar;
}

function reportHeader({ similar, ignored, rowsAbove, recognized }: Header): void {
  if (recognized !== undefined) printError(recognizedText(recognized));
  if (similar.size > 0) printError(similarText(similar));
  if (rowsAbove > 0) printError(`Ignored rows above the column names: ${rowsAbove}`);
  if (ignored.length > 0) printError(`Ignored columns: ${ignored.join(', ')}`);
}

function recognizedText({ program, known, total }: Recognized): string {
  return `This looks like an export of ${program.name}: ${known} of ${total} columns are known.`;
}

function similarText(similar: ReadonlyMap<string, string>): string {
  const names = Array.from(similar, ([name, column]) => `"${name}" as ${column}`).join(', ');
  const [first = ''] = similar.keys();
  return `Columns with similar names are read: ${names}. Add ${mapFlag(first, '')} to ignore one.`;
}

function reportSimilarLabels(labels: readonly SimilarLabel[]): void {
  for (const { column, name, row, other, otherRow } of labels.slice(0, MAX_PRINTED_LABELS)) {
    const owner = otherRow === undefined ? 'stored pets have' : `row ${otherRow} has`;
    printError(
      `row ${row}: column ${column} has "${name}", which differs only in case or spaces from "${other}", which ${owner}`,
    );
  }
  if (labels.length > MAX_PRINTED_LABELS)
    printError(
      `${labels.length - MAX_PRINTED_LABELS} more categories and tags differ from others only in case or spaces.`,
    );
}

/**
 * Reads the values of `--map`. The names of columns may contain the equals sign, those of known columns do not.
 *
 * @throws UsageError
 */
export function readColumnMap(texts: readonly string[], { columns }: Table): ColumnMap {
  return new Map(
    texts.map((text) => {
      const [name, column] = [text.slice(0, text.lastIndexOf('=')), text.slice(text.lastIndexOf('=') + 1).trim()];
      const known = ['', ...columns].find((each) => each.toLowerCase() === column.toLowerCase());
      if (!text.includes('=') || known === undefined)
        throw new UsageError(`--map must be 'NAME=COLUMN', where COLUMN is ${columns.join(', ')} or empty.`);
      return [spellingKey(name), known] as const;
    }),
  );
}

/** The flag that maps a column of the file, for a shell. */
function mapFlag(name: string, column: string): string {
  return `--map ${shellWord(`${name}=${column}`)}`;
}
