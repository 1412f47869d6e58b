import type { TSchema } from 'typebox';
import { Settings } from 'typebox/system';
import { Failure, type FieldProblem } from '../../domain/failure.ts';
import { createCheck } from '../check.ts';

/**
 * Checks what stands in a form by the schema that the service checks it with, and tells every wrong field; none where all is well. For pages: their
 * policy forbids the code that schemas are compiled to, and a form is checked quickly enough without.
 */
export function createBrowserCheck(schema: TSchema): (value: unknown) => readonly FieldProblem[] {
  Settings.Set({ useAcceleration: false });
  const check = createCheck(schema);
  return (value) => {
    try {
      check(value);
      return [];
    } catch (error) {
      if (error instanceof Failure) return error.details.problems ?? [];
      throw error;
    }
  };
}
