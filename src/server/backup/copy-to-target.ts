import { setImmediate as nextIteration } from 'node:timers/promises';
import {
  DUMP_TABLES,
  countersText,
  UNUSED_COUNTERS,
  type Dump,
  type DumpCounters,
  type DumpTableName,
  type MoveMark,
} from '../../domain/dump.ts';
import { Failure, unusable } from '../../domain/failure.ts';
import { openInstallation, type Installation, type SourceInstallation } from './installation.ts';
import { copyPhotos, type PhotosReport } from './copy-photos.ts';
import type { InstallationPlace } from '../configuration/places.ts';
import { digestOf, readBatches } from './dump-rows.ts';

export interface MoveProgress {
  step: 'copying' | 'comparing';
  what: DumpTableName | 'photos';
  done: number;
  total: number;
}

/** Reports the progress of a move, and can stop it. */
export interface MoveWatch {
  /** Nothing has been copied before this call. */
  onBegin(move: { from: string; to: string; isResumed: boolean }): void;
  onProgress(progress: MoveProgress): void;
  /** Stops the move after the current batch. */
  signal: AbortSignal;
}

interface TableReport {
  name: DumpTableName;
  rows: number;
  /** SHA-256 of the rows in the source. */
  digest: string;
  isSame: boolean;
}

export interface MoveReport {
  tables: readonly TableReport[];
  photos: PhotosReport;
  /** Whether the counters of both sides are those that the source had when the move began. */
  areCountersSame: boolean;
  /** Whether servers may start on the target. */
  isFinished: boolean;
}

/** The move was stopped. The same move resumes it. */
export class MoveStopped extends Error {}

/** Whether the same move can resume after this error. */
export function canResume(error: unknown): boolean {
  return error instanceof MoveStopped || (error instanceof Failure && error.code === 'unavailable');
}

interface Move {
  source: SourceInstallation;
  target: Installation;
  counters: DumpCounters;
  isResumed: boolean;
  watch: MoveWatch;
}

/**
 * Copies an installation into one that is empty or has an interrupted copy of the same source; then compares both. The
 * source is not changed, but a database of PostgreSQL refuses changes afterwards.
 *
 * @throws Failure `not-found`, `unavailable`, `conflict` with a message for the operator
 * @throws MoveStopped
 */
export async function moveInstallation(
  from: InstallationPlace,
  to: InstallationPlace,
  watch: MoveWatch,
): Promise<MoveReport> {
  if ('dataDir' in from.database && 'dataDir' in to.database && from.database.dataDir === to.database.dataDir)
    throw sameInstallation();
  const source = await openInstallation(from, 'from');
  try {
    if ((await source.dump.findMark()) !== undefined)
      throw new Failure('conflict', 'The source is the target of an unfinished move. Finish that move first.');
    await requirePhotos(source);
    return await copyInto(source, to, watch);
  } finally {
    await source.close();
  }
}

/**
 * Checks that a copy can begin or resume, before preparations that take long.
 *
 * @throws Failure `conflict` if the target has other data, `unavailable`
 */
export async function requireTarget(to: InstallationPlace): Promise<void> {
  const target = await openInstallation(to, 'to');
  try {
    if ((await target.dump.findMark()) === undefined) await requireEmpty(target);
  } finally {
    await target.close();
  }
}

/** As `moveInstallation`, from an installation that is open already. */
export async function copyInto(
  source: SourceInstallation,
  to: InstallationPlace,
  watch: MoveWatch,
): Promise<MoveReport> {
  const target = await openInstallation(to, 'to');
  try {
    return await moveBetween(source, target, watch);
  } catch (error) {
    throw explainSystem(error);
  } finally {
    await target.close();
  }
}

async function moveBetween(source: SourceInstallation, target: Installation, watch: MoveWatch): Promise<MoveReport> {
  if (source.id === target.id) throw sameInstallation();
  const counters = await source.dump.readCounters();
  await requireOwnPhotos(source, target);
  const mark = { source: source.id, counters: countersText(counters) };
  const earlier = await target.dump.findMark();
  if (earlier === undefined) await requireEmpty(target);
  else requireSameMove(earlier, mark);
  const move = { source, target, counters, isResumed: earlier !== undefined, watch };
  if (!move.isResumed) await target.dump.begin(mark);
  watch.onBegin({ from: source.label, to: target.label, isResumed: move.isResumed });
  for (const { name } of DUMP_TABLES) await copyTable(name, move);
  await target.dump.writeCounters(counters);
  await target.dump.derive();
  const photos = await copyAllPhotos(move);
  const tables: TableReport[] = [];
  for (const { name } of DUMP_TABLES) tables.push(await compareTable(name, move));
  const areTablesSame = tables.every(({ isSame }) => isSame);
  const areCountersSame = await compareCounters(move);
  const isFinished = areTablesSame && areCountersSame && (await retireSource(move));
  if (isFinished) {
    await moveInstallationId(source, target);
    await target.dump.finish();
  }
  return { tables, photos, areCountersSame, isFinished };
}

async function copyTable(name: DumpTableName, move: Move): Promise<void> {
  const { source, target } = move;
  const total = await source.dump.count(name);
  let done = await target.dump.count(name);
  // Batches are written in the order of the keys, each in one transaction: all rows up to this key are in the target.
  const after = await target.dump.findLastKey(name);
  await step(move, { step: 'copying', what: name, done, total });
  for await (const rows of readBatches(source.dump, name, after)) {
    await target.dump.write(name, rows);
    done += rows.length;
    await step(move, { step: 'copying', what: name, done, total });
  }
}

async function copyAllPhotos(move: Move): Promise<PhotosReport> {
  const { source, target, isResumed } = move;
  const total = await source.dump.count('photo');
  const onProgress = (done: number) => step(move, { step: 'copying', what: 'photos', done, total });
  await onProgress(0);
  return copyPhotos({ source, target, isResumed, onProgress });
}

async function compareTable(name: DumpTableName, move: Move): Promise<TableReport> {
  const { source, target } = move;
  const [total, totalThere] = await Promise.all([source.dump.count(name), target.dump.count(name)]);
  let done = 0;
  const [here, there] = await Promise.all([
    digestOf(source.dump, name, (rows) => step(move, { step: 'comparing', what: name, done: (done += rows), total })),
    digestOf(target.dump, name, () => requireNotStopped(move.watch)),
  ]);
  const isSame = here.digest === there.digest && [total, totalThere, there.rows].every((count) => count === here.rows);
  return { name, rows: here.rows, digest: here.digest, isSame };
}

/** Runs last: any change of the source during the move shows in its counters. */
async function compareCounters({ source, target, counters }: Move): Promise<boolean> {
  const all = await Promise.all([source, target].map(({ dump }) => dump.readCounters()));
  return all.every((found) => countersText(found) === countersText(counters));
}

/**
 * Before the target is released: otherwise a server on the source could make changes that nothing moves.
 * @returns false if it has changed
 */
async function retireSource({ source, counters }: Move): Promise<boolean> {
  return source.retire === undefined || (await source.retire(counters));
}

async function step({ watch }: Move, progress: MoveProgress): Promise<void> {
  watch.onProgress(progress);
  await nextIteration();
  requireNotStopped(watch);
}

function requireNotStopped({ signal }: MoveWatch): void {
  if (signal.aborted) throw new MoveStopped();
}

async function requirePhotos({ dump, photos, label }: SourceInstallation): Promise<void> {
  if (photos !== undefined || (await dump.count('photo')) === 0) return;
  throw new Failure('not-found', `The photo folder of ${label} does not exist. Set it with --from-photos.`);
}

/** The target may have the photos of the source already: both may use the same bucket. */
async function requireOwnPhotos(source: SourceInstallation, target: Installation): Promise<void> {
  const id = await source.dump.findInstallationId();
  const idOfPhotos = await source.photos?.findInstallationId();
  if (id !== undefined && idOfPhotos !== undefined && id !== idOfPhotos)
    throw new Failure('conflict', `The photos of ${source.label} belong to another database. Check --from-photos.`);
  const allowed = [undefined, id, await target.dump.findInstallationId()];
  if (!allowed.includes(await target.photos?.findInstallationId()))
    throw new Failure('conflict', 'The photos of the target belong to another database. Check --to-photos.');
}

/** The photos first: a move that is interrupted between the two can still be resumed. */
async function moveInstallationId(source: SourceInstallation, target: Installation): Promise<void> {
  const id = await source.dump.findInstallationId();
  if (id === undefined) return;
  await target.photos?.setInstallationId(id);
  await target.dump.writeInstallationId(id);
}

async function requireEmpty({ dump, label }: Installation): Promise<void> {
  if (await isEmpty(dump)) return;
  throw new Failure(
    'conflict',
    `The target is not empty: ${label} contains Menagerie data. Choose a new data folder or a new database.`,
  );
}

async function isEmpty(dump: Dump): Promise<boolean> {
  for (const { name } of DUMP_TABLES) if ((await dump.count(name)) > 0) return false;
  return countersText(await dump.readCounters()) === countersText(UNUSED_COUNTERS);
}

function requireSameMove(earlier: MoveMark, mark: MoveMark): void {
  if (earlier.source !== mark.source)
    throw new Failure('conflict', 'The target has an unfinished copy of another source. Choose an empty target.');
  if (earlier.counters !== mark.counters) throw sourceChanged();
}

/** Errors of the system, such as a full disk, are not bugs. */
function explainSystem(error: unknown): unknown {
  const isOfSystem = error instanceof Error && ('errcode' in error || 'syscall' in error);
  return isOfSystem ? unusable(`The copy cannot continue (${error.message}).`) : error;
}

function sourceChanged(): Failure {
  return new Failure(
    'conflict',
    'The source has changed since the move into this target began. Stop what changes it, and move into an empty ' +
      'target.',
  );
}

function sameInstallation(): Failure {
  return new Failure('conflict', 'The source and the target are the same.');
}
