import { readPet, readPetPatch } from '../api/read-pet.ts';
import { readProfileEdit } from '../api/read-profile.ts';
import type { SentPet, SentPetPatch } from '../api/records/sent-pet.ts';
import type { SentProfile } from '../api/records/profile.ts';
import { Failure, type FieldProblem } from '../domain/failure.ts';
import { profileProblems } from '../domain/pets/profile-rules.ts';
import { petColumnOf } from './pet-table.ts';
import type { Site } from './profile-cells.ts';
import { invalidFields, type RowProblem, type SourceRow } from './source-row.ts';

/* Checks the rows of pets as the service does, so that a dry run reports the same problems. */

/** Compiled on the command line; the content security policy of pages forbids that. @throws Failure `invalid-input` */
export interface PetChecks {
  pet: (value: unknown) => SentPet;
  patch: (value: unknown) => SentPetPatch;
  profile: (value: unknown) => SentProfile;
}

/** The problems of the six fields. A row without a name changes an existing pet. */
export function petProblems({ fields, value }: SourceRow, checks: PetChecks): readonly RowProblem[] {
  const problems = problemsIn(() => {
    if (fields.has('name')) readPet(checks.pet(value));
    else readPetPatch(checks.patch({ ...value, id: undefined }), 0n);
    return [];
  });
  return invalidFields(problems, petColumnOf, value);
}

/** @param patch undefined if the row has no profile */
export function profileProblemsOf(
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
