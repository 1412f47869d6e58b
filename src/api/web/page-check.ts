import type { Static, TSchema } from 'typebox';
import { Check, Errors } from 'typebox/schema';
import { invalidInput, type FieldProblem } from '../../domain/failure.ts';
import { problemsIn } from '../field-problems.ts';

/**
 * Checks what stands in a form against the schema that the service checks it with; an empty list where all is well. The policy of a page forbids the code
 * that the service makes of a schema, and even to try whether it is forbidden; a form is checked quickly enough without.
 */
export function findProblems(schema: TSchema, value: unknown): readonly FieldProblem[] {
  return Check(schema, value) ? [] : problemsIn(schema, Errors(schema, value)[1]);
}

/** The same for what is read further. @throws Failure `invalid-input`, naming every wrong field */
export function checkInPage<T extends TSchema>(schema: T, value: unknown): Static<T> {
  const problems = findProblems(schema, value);
  if (problems.length > 0) throw invalidInput(problems);
  return value as Static<T>;
}
