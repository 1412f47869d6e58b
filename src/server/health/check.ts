import type { CheckName } from '../../domain/health/checks.ts';
import type { FoundProblem } from '../../domain/health/finding.ts';
import type { DatabaseHealth } from '../../domain/health/ports.ts';
import type { PhotoStore } from '../../domain/pets/ports.ts';
import type { Clock } from '../../domain/ports.ts';
import type { StorePlaces } from '../config.ts';

/** The input of every check. */
export interface HealthContext {
  places: StorePlaces;
  /** Leaves out what reads every photo. */
  isQuick: boolean;
  clock: Clock;
  /** The subfolder of `aside` for photos that this repair moves. */
  asideFolder: string;
  onProgress: (done: number, total: number) => Promise<void>;
}

export interface DatabaseContext extends HealthContext {
  database: DatabaseHealth;
}

export interface PhotoContext extends DatabaseContext {
  photoStore: PhotoStore;
}

export interface HealthCheck<Context> {
  name: CheckName;
  find(context: Context): Promise<readonly FoundProblem[]>;
  /**
   * Repairs the problems that can be repaired. May be interrupted at any point: the same repair then completes it.
   *
   * @returns the problems that remain; undefined if they have to be looked for again
   */
  repair?(context: Context, found: readonly FoundProblem[]): Promise<readonly FoundProblem[] | undefined>;
}

/** A problem with the records that it affects; no problem without any. */
export function problemOf(problem: FoundProblem['problem'], subjects: readonly string[]): readonly FoundProblem[] {
  return subjects.length === 0 ? [] : [{ problem, count: subjects.length, subjects }];
}

export function subjectsOf(found: readonly FoundProblem[], problem: FoundProblem['problem']): readonly string[] {
  return found.find((each) => each.problem === problem)?.subjects ?? [];
}
