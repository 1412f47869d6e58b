import { readPet, readPetPatch } from '../api/read-pet.ts';
import { readProfileEdit } from '../api/read-profile.ts';
import type { SentPet, SentPetPatch } from '../api/records/sent-pet.ts';
import type { SentProfile } from '../api/records/profile.ts';
import { Failure, type FieldProblem } from '../domain/failure.ts';
import { profileProblems } from '../domain/pets/profile-rules.ts';
import { PET_TABLE, petColumnOf } from './pet-table.ts';
import { profilePatchOf } from './profile-cells.ts';
import type { Site } from './profiles/site.ts';
import { invalidFields, isOfCell, type RowProblem, type SourceRow } from './source-row.ts';

/* Checks the rows of pets as the service does, so that a dry run reports the same problems. */

/** Compiled on the command line; the content security policy of pages forbids that. @throws Failure `invalid-input` */
export interface PetChecks {
  pet: (value: unknown) => SentPet;
  patch: (value: unknown) => SentPetPatch;
  profile: (value: unknown) => SentProfile;
}

interface CellRules {
  checks: PetChecks;
  site: Site;
  /** The fields without which a row is not stored. */
  required: readonly string[];
  /** Whether all fields are required. */
  isStrict: boolean;
}

/**
 * The row with the cells that can be stored, and the problems of the others. Undefined if the row cannot be stored.
 */
export function readableRow(
  row: SourceRow,
  rules: CellRules,
): { readable: SourceRow | undefined; problems: readonly RowProblem[] } {
  const problems = [...row.problems];
  let readable = withoutCells(row, row.problems, rules);
  while (readable !== undefined) {
    const found = [
      ...petProblems(readable, rules.checks),
      ...profileProblemsOf(profilePatchOf(readable), rules.checks, rules.site),
    ];
    if (found.length === 0) break;
    problems.push(...found);
    readable = withoutCells(readable, found, rules);
  }
  return { readable, problems };
}

/** The row without the cells that have these problems; undefined if it is not stored without them. */
function withoutCells(
  row: SourceRow,
  problems: readonly RowProblem[],
  { required, isStrict }: CellRules,
): SourceRow | undefined {
  const columns = problems.map((problem) => (isOfCell(problem) ? (problem.column ?? '') : ''));
  const unreadable = new Set(columns.map(PET_TABLE.fieldOf));
  const isNeeded = (field: string) => isStrict || !row.fields.has(field) || required.includes(field);
  if ([...unreadable].some(isNeeded)) return undefined;
  return {
    ...row,
    fields: new Set([...row.fields].filter((field) => !unreadable.has(field))),
    value: Object.fromEntries(Object.entries(row.value).filter(([field]) => !unreadable.has(field))),
    problems: [],
  };
}

/** The problems of the six fields. A row without a name changes an existing pet. */
function petProblems({ fields, value }: SourceRow, checks: PetChecks): readonly RowProblem[] {
  const problems = problemsIn(() => {
    if (fields.has('name')) readPet(checks.pet(value));
    else readPetPatch(checks.patch({ ...value, id: undefined }), 0n);
    return [];
  });
  return invalidFields(problems, petColumnOf, value);
}

/** @param patch undefined if the row has no profile */
function profileProblemsOf(
  patch: SourceRow['value'] | undefined,
  checks: PetChecks,
  site: Site,
): readonly RowProblem[] {
  if (patch === undefined) return [];
  const problems = problemsIn(() => {
    const edit = readProfileEdit(checks.profile(patch));
    return profileProblems(edit, { ...site, nowMs: Date.now() });
  });
  return invalidFields(problems, petColumnOf, patch);
}

/** @param find returns problems, or throws a failure with them */
function problemsIn(find: () => readonly FieldProblem[]): readonly FieldProblem[] {
  try {
    return find();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return error.details.problems ?? [];
  }
}
