import type { Static, TSchema } from 'typebox';
import { Check as isValid, Compile, Errors } from 'typebox/schema';
import { Settings } from 'typebox/system';
import { invalidInput, type FieldProblem } from '../domain/failure.ts';

/** Checks a value against a schema. @throws Failure `invalid-input`, naming every wrong field */
type Check<T extends TSchema> = (value: unknown) => Static<T>;

/** Compiles a schema into the fastest check of TypeBox. */
export function createCheck<T extends TSchema>(schema: T): Check<T> {
  // Compiled on first use: compiling all takes 5 % of the time of a start.
  let compiled: ReturnType<typeof Compile<T>> | undefined;
  return (value) => {
    const validator = (compiled ??= Compile(schema));
    if (validator.Check(value)) return value;
    throw invalidInput(problemsIn(schema, validator.Errors(value)[1]));
  };
}

/**
 * Checks the value of a form in a page. The content security policy forbids compiled checks there, and even the attempt
 * to compile one.
 */
export function findProblems(schema: TSchema, value: unknown): readonly FieldProblem[] {
  return isValid(schema, value) ? [] : problemsIn(schema, Errors(schema, value)[1]);
}

/** Like `createCheck`, without compiling. @throws Failure `invalid-input`, naming every wrong field */
export function checkInPage<T extends TSchema>(schema: T, value: unknown): Static<T> {
  const problems = findProblems(schema, value);
  if (problems.length > 0) throw invalidInput(problems);
  return value as Static<T>;
}

/** Maximum number of problems in a response. */
const MAX_PROBLEMS = 50;

// An invalid value of a union has several errors; all of them are needed to name every invalid field.
Settings.Set({ maxErrors: 8 * MAX_PROBLEMS });

type SchemaError = ReturnType<typeof Errors>[1][number];

/** Every invalid field, with the message of its schema. */
function problemsIn(schema: TSchema, errors: readonly SchemaError[]): readonly FieldProblem[] {
  const problems = new Map<string, FieldProblem>();
  const deepest = errors.filter((error) => !isExplainedDeeper(error, errors));
  for (const error of deepest) {
    for (const problem of problemsOf(schema, error)) problems.set(problem.path, problem);
    if (problems.size >= MAX_PROBLEMS) break;
  }
  return [...problems.values()];
}

/** In a union (a tag is a string or an object), an error inside an alternative says more than that none matches. */
function isExplainedDeeper(
  { instancePath, schemaPath, keyword }: SchemaError,
  errors: readonly SchemaError[],
): boolean {
  const isOfChoice = keyword === 'anyOf' || schemaPath.includes('/anyOf/');
  if (!isOfChoice || keyword === 'required') return false;
  return errors.some((other) => other.instancePath.startsWith(`${instancePath}/`));
}

function problemsOf(schema: TSchema, error: SchemaError): FieldProblem[] {
  if (error.keyword === 'required') {
    return error.params.requiredProperties.map((name) => ({
      path: `${error.instancePath}/${name}`,
      message: 'is required',
    }));
  }
  if (error.keyword === 'additionalProperties') {
    const known = Object.keys((schemaAt(schema, error.schemaPath) as { properties?: object }).properties ?? {});
    return error.params.additionalProperties.map((name) => ({
      path: `${error.instancePath}/${name}`,
      message: `is unknown: use ${known.join(', ')}`,
    }));
  }
  return [{ path: error.instancePath, message: messageAt(schema, error.schemaPath) ?? error.message }];
}

/** The schema at a schema path (`#/properties/rules/items`). */
function schemaAt(schema: TSchema, schemaPath: string): unknown {
  const steps = schemaPath.split('/').slice(1);
  return steps.reduce((place: unknown, step) => (place as Record<string, unknown> | undefined)?.[step], schema);
}

/** The `message` of the innermost schema on a schema path (`#/properties/name/allOf/1`). */
function messageAt(schema: TSchema, schemaPath: string): string | undefined {
  let place: unknown = schema;
  let message: string | undefined;
  for (const step of ['', ...schemaPath.split('/').slice(1)]) {
    if (step !== '') place = (place as Record<string, unknown> | undefined)?.[step];
    if (step === 'properties' || step === 'items') message = undefined;
    const here = (place as { message?: unknown } | undefined)?.message;
    if (typeof here === 'string') message = here;
  }
  return message;
}
