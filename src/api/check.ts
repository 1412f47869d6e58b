import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/schema';
import { invalidInput } from '../domain/failure.ts';
import { problemsIn } from './field-problems.ts';

/** Checks a value against a schema. @throws Failure `invalid-input`, naming every wrong field */
export type Check<T extends TSchema> = (value: unknown) => Static<T>;

/** Compiles a schema once, into the fastest check that TypeBox can make of it. */
export function createCheck<T extends TSchema>(schema: T): Check<T> {
  const validator = Compile(schema);
  return (value) => {
    if (validator.Check(value)) return value;
    throw invalidInput(problemsIn(schema, validator.Errors(value)[1]));
  };
}
