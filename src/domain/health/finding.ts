import { CHECKS, type CheckName, type ProblemKind, type Severity } from './checks.ts';
import { DATABASE_PROBLEMS } from './database-problems.ts';
import { PHOTO_PROBLEMS } from './photo-problems.ts';
import { PLACE_PROBLEMS } from './place-problems.ts';

/** Every problem that a check can find. */
export const PROBLEMS = {
  'not-completed': {
    severity: 'error',
    canRepair: false,
    message: 'This check did not complete: {detail}',
    advice: 'Fix the cause, and check again.',
  },
  ...PLACE_PROBLEMS,
  ...DATABASE_PROBLEMS,
  ...PHOTO_PROBLEMS,
} as const satisfies Record<string, ProblemKind>;

export type Problem = keyof typeof PROBLEMS;

export const PROBLEM_NAMES = Object.keys(PROBLEMS) as readonly Problem[];

export interface FoundProblem {
  problem: Problem;
  /** Number of affected records or files. */
  count: number;
  /** The affected records or files; not necessarily all. */
  subjects: readonly string[];
  detail?: string;
}

/** The result of a check: one for each problem, or a single one with the severity `ok`. */
export interface Finding extends Omit<FoundProblem, 'problem'> {
  check: CheckName;
  /** Null without a problem. */
  problem: Problem | null;
  severity: Severity;
  message: string;
  /** Instructions for the operator. Empty without a problem. */
  advice: string;
  canRepair: boolean;
}

const MAX_SUBJECTS = 100;

export function findingsOf(check: CheckName, found: readonly FoundProblem[]): readonly Finding[] {
  return found.length === 0 ? [cleanFinding(check)] : found.map((each) => findingOf(check, each));
}

function cleanFinding(check: CheckName): Finding {
  const message = `${CHECKS[check]}: no problems found.`;
  return { check, problem: null, severity: 'ok', message, advice: '', canRepair: false, count: 0, subjects: [] };
}

function findingOf(check: CheckName, found: FoundProblem): Finding {
  const { severity, canRepair, message, advice }: ProblemKind = PROBLEMS[found.problem];
  const filled = (text: string) =>
    text.replace('{count}', String(found.count)).replace('{detail}', () => found.detail ?? '');
  const subjects = found.subjects.slice(0, MAX_SUBJECTS);
  return { ...found, subjects, check, severity, message: filled(message), advice: filled(advice), canRepair };
}
