import { Failure } from '../../domain/failure.ts';
import type { CheckName } from '../../domain/health/checks.ts';
import type { DatabaseServer } from '../../domain/health/database-servers.ts';
import type { FoundProblem } from '../../domain/health/finding.ts';
import type { DatabaseHealth } from '../../domain/health/ports.ts';
import type { PhotoStore } from '../../domain/photos/ports.ts';
import type { Clock } from '../../domain/ports.ts';
import { isDamage } from '../../storage/sqlite/engine/files/troubles.ts';
import type { StorePlaces } from '../configuration/config.ts';

/** The input of every check. */
export interface HealthContext {
  places: StorePlaces;
  /** Leaves out what reads every photo. */
  isQuick: boolean;
  clock: Clock;
  /** Whether the service sends e-mail. Undefined for a command beside it, which does not know its flags. */
  sendsMail: boolean | undefined;
  /** The servers of the database; empty if it has none. */
  servers: readonly DatabaseServer[];
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

type Found = readonly FoundProblem[];

/**
 * The problems that the parts of a check find, one after the other. A part that does not complete is a problem, and
 * hides none of the others.
 */
export async function findAll(parts: readonly (() => Promise<Found | void> | Found)[]): Promise<Found> {
  const found: FoundProblem[] = [];
  for (const part of parts) {
    try {
      found.push(...((await part()) ?? []));
    } catch (error) {
      const other = interruption(error);
      // Several parts read the same table.
      if (!found.some(({ problem, detail }) => problem === other.problem && detail === other.detail)) found.push(other);
    }
  }
  return found;
}

/** The problem of a check that ended with an error. */
export function interruption(error: unknown): FoundProblem {
  const cause = error instanceof Failure ? (error.cause ?? error) : error;
  const detail = cause instanceof Error ? cause.message : String(cause);
  return isDamage(cause) || isDamageOfPostgres(cause) ? damage(detail) : notCompleted(detail);
}

export function damage(detail: string): FoundProblem {
  return { problem: 'database-damaged', count: 1, subjects: [], detail: detail.replace(/\s+/g, ' ') };
}

function notCompleted(detail: string): FoundProblem {
  return { problem: 'not-completed', count: 1, subjects: [], detail };
}

/** data_corrupted and index_corrupted. */
function isDamageOfPostgres(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'XX001' || error.code === 'XX002');
}

export function subjectsOf(found: readonly FoundProblem[], problem: FoundProblem['problem']): readonly string[] {
  return found.find((each) => each.problem === problem)?.subjects ?? [];
}
