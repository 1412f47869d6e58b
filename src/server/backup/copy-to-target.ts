import { setImmediate as nextIteration } from 'node:timers/promises';
import {
  DUMP_TABLES,
  countersText,
  UNUSED_COUNTERS,
  type Dump,
  type DumpTableName,
} from '../../storage/rows/dump/dump-tables.ts';
import { Failure, unusable } from '../../domain/failure.ts';
import type { InstallationPlace } from '../configuration/places.ts';
import { copyPhotos, type PhotosReport } from './copy-photos.ts';
import { digestOf, readBatches } from './dump-rows.ts';
import { openInstallation, type Installation, type Source } from './installation.ts';

interface RestoreProgress {
  step: 'copying' | 'comparing';
  what: DumpTableName | 'photos';
  done: number;
  total: number;
}

/** Reports the progress of a restore, and can stop it. */
export interface RestoreWatch {
  /** Nothing has been copied before this call. */
  onBegin(restore: { from: string; to: string; isResumed: boolean }): void;
  onProgress(progress: RestoreProgress): void;
  /** Stops the restore after the current batch. */
  signal: AbortSignal;
}

export interface RestoreReport {
  rows: number;
  photos: PhotosReport;
  /** Whether the target is the same as the source, so that servers may start on it. */
  isFinished: boolean;
}

/** A backup or restore was stopped. The same restore resumes it. */
export class CopyStopped extends Error {}

/** Whether the same restore can resume after this error. */
export function canResume(error: unknown): boolean {
  return error instanceof CopyStopped || (error instanceof Failure && error.code === 'unavailable');
}

interface Copy {
  source: Source;
  target: Installation;
  isResumed: boolean;
  watch: RestoreWatch;
}

/**
 * Checks that a copy can begin or resume, before preparations that take long.
 *
 * @throws Failure `conflict` if the target has other data, `unavailable`
 */
export async function requireTarget(to: InstallationPlace): Promise<void> {
  const target = await openInstallation(to, 'target');
  try {
    if ((await target.dump.findMark()) === undefined) await requireEmpty(target);
  } finally {
    await target.close();
  }
}

/**
 * Copies data into an installation that is empty or has an interrupted copy of the same source; then compares both.
 *
 * @throws Failure `unavailable`, `conflict` with a message for the operator
 * @throws CopyStopped
 */
export async function copyInto(source: Source, to: InstallationPlace, watch: RestoreWatch): Promise<RestoreReport> {
  const target = await openInstallation(to, 'target');
  try {
    return await copyBetween(source, target, watch);
  } catch (error) {
    throw explainSystem(error);
  } finally {
    await target.close();
  }
}

async function copyBetween(source: Source, target: Installation, watch: RestoreWatch): Promise<RestoreReport> {
  const copy = { source, target, isResumed: await isBegun(source, target), watch };
  if (!copy.isResumed) await target.dump.begin(source.label);
  watch.onBegin({ from: source.label, to: target.label, isResumed: copy.isResumed });
  for (const { name } of DUMP_TABLES) await copyTable(name, copy);
  await target.dump.writeCounters(await source.dump.readCounters());
  await target.dump.derive();
  const photos = await copyAllPhotos(copy);
  const rows = await compareAll(copy);
  if (rows === undefined) return { rows: 0, photos, isFinished: false };
  await copyInstallationId(source, target);
  await target.dump.finish();
  return { rows, photos, isFinished: true };
}

/** Whether the target has an unfinished copy of this source. @throws Failure `conflict` for a target that is refused */
async function isBegun(source: Source, target: Installation): Promise<boolean> {
  const earlier = await target.dump.findMark();
  try {
    await requireOwnPhotos(source, target);
    if (earlier === source.label) return true;
    if (earlier === undefined || earlier === '') await requireEmpty(target);
    else
      throw new Failure('conflict', 'The target has an unfinished restore of another backup. Choose an empty target.');
    return false;
  } catch (error) {
    // A new target that is refused is usable.
    if (earlier === '') await target.dump.finish();
    throw error;
  }
}

async function copyTable(name: DumpTableName, copy: Copy): Promise<void> {
  const { source, target } = copy;
  const total = await source.dump.count(name);
  let done = await target.dump.count(name);
  // Batches are written in the order of the keys, each in one transaction: all rows up to this key are in the target.
  const after = await target.dump.findLastKey(name);
  await step(copy, { step: 'copying', what: name, done, total });
  for await (const rows of readBatches(source.dump, name, after)) {
    await target.dump.write(name, rows);
    done += rows.length;
    await step(copy, { step: 'copying', what: name, done, total });
  }
}

async function copyAllPhotos(copy: Copy): Promise<PhotosReport> {
  const { source, target, isResumed } = copy;
  const total = await source.dump.count('photo');
  const onProgress = (done: number) => step(copy, { step: 'copying', what: 'photos', done, total });
  await onProgress(0);
  return copyPhotos({ source, target, isResumed, onProgress });
}

/** @returns the number of rows; undefined if the target differs, because another program has written to it */
async function compareAll(copy: Copy): Promise<number | undefined> {
  let rows = 0;
  for (const { name } of DUMP_TABLES) {
    const found = await compareTable(name, copy);
    if (found === undefined) return undefined;
    rows += found;
  }
  // Last: a change during the comparison shows in the counters.
  const [here, there] = await Promise.all([copy.source, copy.target].map(({ dump }) => dump.readCounters()));
  return here && there && countersText(here) === countersText(there) ? rows : undefined;
}

async function compareTable(name: DumpTableName, copy: Copy): Promise<number | undefined> {
  const { source, target } = copy;
  const total = await source.dump.count(name);
  let done = 0;
  const [here, there] = await Promise.all([
    digestOf(source.dump, name, (rows) => step(copy, { step: 'comparing', what: name, done: (done += rows), total })),
    digestOf(target.dump, name, () => requireNotStopped(copy.watch)),
  ]);
  return here.digest === there.digest && here.rows === total ? total : undefined;
}

async function step({ watch }: Copy, progress: RestoreProgress): Promise<void> {
  watch.onProgress(progress);
  await nextIteration();
  requireNotStopped(watch);
}

function requireNotStopped({ signal }: RestoreWatch): void {
  if (signal.aborted) throw new CopyStopped();
}

/** The target may have the photos of the source already: a restored database may keep its bucket. */
async function requireOwnPhotos(source: Source, target: Installation): Promise<void> {
  const allowed = [undefined, await source.dump.findInstallationId(), await target.dump.findInstallationId()];
  if (!allowed.includes(await target.photos?.findInstallationId()))
    throw new Failure(
      'conflict',
      'The photos of the target belong to another database. Choose an empty place for the photos.',
    );
}

/** The photos first: a restore that is interrupted between the two can still be resumed. */
async function copyInstallationId(source: Source, target: Installation): Promise<void> {
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

/** Errors of the system, such as a full disk, are not bugs. */
function explainSystem(error: unknown): unknown {
  const isOfSystem = error instanceof Error && ('errcode' in error || 'syscall' in error);
  return isOfSystem ? unusable(`The copy cannot continue (${error.message}).`) : error;
}
