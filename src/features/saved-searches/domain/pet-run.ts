/*
 * For a search, changes of a pet that follow each other closely are one: a name that is corrected, a profile that is
 * filled in.
 */

/** A pet that does not change for this long has the values that its author wants. */
export const QUIET_MS = 15 * 60_000;

/** A pet that a program changes again and again is not waited for any longer. */
const LONGEST_WAIT_MS = 60 * 60_000;

/** The last changes of a pet, with less than a quiet time between them, as a search sees them. */
export interface PetRun {
  /** The first change that is not settled. */
  version: bigint;
  firstMs: number;
  lastVersion: bigint;
  lastMs: number;
  /** Whether the pet matches before the first change, and after the last one. */
  before: boolean;
  after: boolean;
  /** Whether the pet was a new match when the run began. */
  wasNew: boolean;
  /** Whether the pet matches before or after one of the changes. */
  hasMatched: boolean;
}

interface ComparedChange {
  version: bigint;
  changedAtMs: number;
  before: boolean;
  after: boolean;
}

/** @param run of the same pet, before the change */
export function runAfter(run: PetRun | undefined, { version, changedAtMs, before, after }: ComparedChange): PetRun {
  const last = { lastVersion: version, lastMs: changedAtMs, after };
  const begun = { ...last, version, firstMs: changedAtMs, before, wasNew: false, hasMatched: before || after };
  if (run === undefined) return begun;
  if (!isSettled(run, changedAtMs)) return { ...run, ...last, hasMatched: run.hasMatched || after };
  return isNewMatch(run) ? { ...begun, version: run.version, wasNew: true, hasMatched: true } : begun;
}

/** Whether the pet matches, and did not before. */
export function isNewMatch({ before, after, wasNew }: PetRun): boolean {
  return after && (wasNew || !before);
}

/** Whether the next changes can make a difference to what this one has changed. */
export function isOpen(run: PetRun, nowMs: number): boolean {
  return (run.wasNew || run.before !== run.after) && !isSettled(run, nowMs);
}

/**
 * The last version that need not be compared again: before each run that is open, and within none that the next changes
 * may continue, because the rest of it would begin with another state of the pet.
 *
 * @param version the last one that was compared
 */
export function seenVersionOf(runs: readonly PetRun[], version: bigint, nowMs: number): bigint {
  let seen = version;
  for (const run of runs) if (isOpen(run, nowMs) && run.version <= seen) seen = run.version - 1n;
  const active = runs.filter(({ lastMs }) => nowMs < lastMs + QUIET_MS);
  for (const run of active.toSorted((a, b) => (a.lastVersion > b.lastVersion ? -1 : 1)))
    if (run.version <= seen && seen < run.lastVersion) seen = run.version - 1n;
  return seen;
}

/** When the pet is quiet, if it does not change again. */
export function settledAtMs({ firstMs, lastMs }: PetRun): number {
  return Math.min(lastMs + QUIET_MS, firstMs + LONGEST_WAIT_MS);
}

/** A time in the future comes from a clock that was set back since; it is not waited for. */
function isSettled(run: PetRun, nowMs: number): boolean {
  return nowMs >= settledAtMs(run) || nowMs < run.lastMs - QUIET_MS;
}
