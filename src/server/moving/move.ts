import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  ARCHIVE_TABLES,
  countersText,
  UNUSED_COUNTERS,
  type Archive,
  type ArchiveCounters,
  type ArchiveTableName,
  type MoveMark,
} from '../../domain/archive.ts';
import { Failure } from '../../domain/failure.ts';
import { openInstallation, type Installation } from './installation.ts';
import { copyPictures, type PicturesReport } from './pictures.ts';
import type { InstallationPlace } from './places.ts';
import { digestOf, readParts } from './rows.ts';

export interface MoveProgress {
  step: 'copying' | 'comparing';
  what: ArchiveTableName | 'pictures';
  done: number;
  total: number;
}

/** What somebody sees of a move that takes its time, and how it can be stopped. */
export interface MoveWatch {
  /** After the first call, things are being changed. */
  onBegin(move: { from: string; to: string; isResumed: boolean }): void;
  onProgress(progress: MoveProgress): void;
  /** Between two parts it stops when told to. */
  signal: AbortSignal;
}

export interface TableReport {
  name: ArchiveTableName;
  rows: number;
  /** Of what is stored in the source. */
  digest: string;
  isSame: boolean;
}

export interface MoveReport {
  tables: readonly TableReport[];
  pictures: PicturesReport;
  /** The counters, too, are the same on both sides, and the source's are what they were when the move began. */
  areCountersSame: boolean;
  /** Servers may start on the target. */
  isFinished: boolean;
}

/** Somebody has stopped the move. The next one goes on from where it was. */
export class MoveStopped extends Error {}

/** Will the same move come further when it is tried again? */
export function canGoOn(error: unknown): boolean {
  return error instanceof MoveStopped || (error instanceof Failure && error.code === 'unavailable');
}

interface Move {
  source: Installation;
  target: Installation;
  counters: ArchiveCounters;
  isResumed: boolean;
  watch: MoveWatch;
}

/**
 * Copies a whole installation into one that is empty, or into which the same move was begun; then compares both. The source is only read.
 *
 * @throws Failure `not-found`, `unavailable`, `conflict` with a sentence that says what stands in the way
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
    if ((await source.archive.findMark()) !== undefined)
      throw new Failure('conflict', 'Something is still being moved into the source. Finish that move first.');
    await demandPictures(source);
    const target = await openInstallation(to, 'to');
    try {
      return await moveBetween(source, target, watch);
    } catch (error) {
      throw explainSystem(error);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function moveBetween(source: Installation, target: Installation, watch: MoveWatch): Promise<MoveReport> {
  if (source.id === target.id) throw sameInstallation();
  const counters = await source.archive.readCounters();
  await requireOwnPhotos(source, target);
  const mark = { source: source.id, counters: countersText(counters) };
  const earlier = await target.archive.findMark();
  if (earlier === undefined) await demandEmpty(target);
  else demandSame(earlier, mark);
  const move = { source, target, counters, isResumed: earlier !== undefined, watch };
  if (!move.isResumed) await target.archive.begin(mark);
  watch.onBegin({ from: source.told, to: target.told, isResumed: move.isResumed });
  for (const { name } of ARCHIVE_TABLES) await copyTable(name, move);
  await target.archive.writeCounters(counters);
  await target.archive.derive();
  const pictures = await copyAllPictures(move);
  const tables: TableReport[] = [];
  for (const { name } of ARCHIVE_TABLES) tables.push(await compareTable(name, move));
  const areCountersSame = await compareCounters(move);
  const isFinished = areCountersSame && tables.every(({ isSame }) => isSame);
  if (isFinished) {
    await moveInstallationId(source, target);
    await target.archive.finish();
  }
  return { tables, pictures, areCountersSame, isFinished };
}

async function copyTable(name: ArchiveTableName, move: Move): Promise<void> {
  const { source, target } = move;
  const total = await source.archive.count(name);
  let done = await target.archive.count(name);
  // Parts are written in the order of the keys, each whole or not at all: up to here, everything is there.
  const after = await target.archive.findLastKey(name);
  await step(move, { step: 'copying', what: name, done, total });
  for await (const rows of readParts(source.archive, name, after)) {
    await target.archive.write(name, rows);
    done += rows.length;
    await step(move, { step: 'copying', what: name, done, total });
  }
}

async function copyAllPictures(move: Move): Promise<PicturesReport> {
  const { source, target, isResumed } = move;
  const total = await source.archive.count('photo');
  const onPicture = (done: number) => step(move, { step: 'copying', what: 'pictures', done, total });
  await onPicture(0);
  return copyPictures({ source, target, isResumed, onPicture });
}

async function compareTable(name: ArchiveTableName, move: Move): Promise<TableReport> {
  const { source, target } = move;
  const [total, totalThere] = await Promise.all([source.archive.count(name), target.archive.count(name)]);
  let done = 0;
  const [here, there] = await Promise.all([
    digestOf(source.archive, name, (rows) =>
      step(move, { step: 'comparing', what: name, done: (done += rows), total }),
    ),
    digestOf(target.archive, name, () => demandGoingOn(move.watch)),
  ]);
  const isSame = here.digest === there.digest && [total, totalThere, there.rows].every((count) => count === here.rows);
  return { name, rows: here.rows, digest: here.digest, isSame };
}

/** At the very end: a change of the source since then is seen by its counters, whichever table it was in. */
async function compareCounters({ source, target, counters }: Move): Promise<boolean> {
  const all = await Promise.all([source, target].map(({ archive }) => archive.readCounters()));
  return all.every((found) => countersText(found) === countersText(counters));
}

async function step({ watch }: Move, progress: MoveProgress): Promise<void> {
  watch.onProgress(progress);
  await nextTurn();
  demandGoingOn(watch);
}

function demandGoingOn({ signal }: MoveWatch): void {
  if (signal.aborted) throw new MoveStopped();
}

async function demandPictures({ archive, photos, told }: Installation): Promise<void> {
  if (photos !== undefined || (await archive.count('photo')) === 0) return;
  throw new Failure(
    'not-found',
    `There is no folder with the pictures of ${told}. Say where they are with --from-photos.`,
  );
}

/** The target may have the photos of the source already: both may use the same bucket. */
async function requireOwnPhotos(source: Installation, target: Installation): Promise<void> {
  const id = await source.archive.findInstallationId();
  const idOfPhotos = await source.photos?.findInstallationId();
  if (id !== undefined && idOfPhotos !== undefined && id !== idOfPhotos)
    throw new Failure('conflict', `The photos of ${source.told} belong to another database. Check --from-photos.`);
  const allowed = [undefined, id, await target.archive.findInstallationId()];
  if (!allowed.includes(await target.photos?.findInstallationId()))
    throw new Failure('conflict', 'The photos of the target belong to another database. Check --to-photos.');
}

/** The photos first: a move that is interrupted between the two is still allowed to go on. */
async function moveInstallationId(source: Installation, target: Installation): Promise<void> {
  const id = await source.archive.findInstallationId();
  if (id === undefined) return;
  await target.photos?.setInstallationId(id);
  await target.archive.writeInstallationId(id);
}

async function demandEmpty({ archive, told }: Installation): Promise<void> {
  if (await isEmpty(archive)) return;
  throw new Failure(
    'conflict',
    `The target is not empty: ${told} has data of Menagerie. Move into a new data folder or a new database.`,
  );
}

async function isEmpty(archive: Archive): Promise<boolean> {
  for (const { name } of ARCHIVE_TABLES) if ((await archive.count(name)) > 0) return false;
  return countersText(await archive.readCounters()) === countersText(UNUSED_COUNTERS);
}

function demandSame(earlier: MoveMark, mark: MoveMark): void {
  if (earlier.source !== mark.source)
    throw new Failure('conflict', 'The target has an unfinished move from another source. Move into an empty one.');
  if (earlier.counters !== mark.counters) throw changedMeanwhile();
}

/** A full disk, a lost file system: no bug. */
function explainSystem(error: unknown): unknown {
  const isOfSystem = error instanceof Error && ('errcode' in error || 'syscall' in error);
  return isOfSystem ? new Failure('unavailable', `The move cannot go on (${error.message}).`) : error;
}

function changedMeanwhile(): Failure {
  return new Failure(
    'conflict',
    'The source has changed since the move into this target was begun. Stop what changes it, and move into an empty target.',
  );
}

function sameInstallation(): Failure {
  return new Failure('conflict', 'The source and the target are the same.');
}
