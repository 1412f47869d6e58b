import type { TSchema } from 'typebox';
import type { Errors } from 'typebox/schema';
import { Settings } from 'typebox/system';
import type { FieldProblem } from '../domain/failure.ts';

/** Beyond these, more problems help nobody. */
const MAX_PROBLEMS = 50;

// A wrong value of a choice makes several errors; all of them are needed to name every wrong field.
Settings.Set({ maxErrors: 8 * MAX_PROBLEMS });

export type SchemaError = ReturnType<typeof Errors>[1][number];

/** Every wrong field, with what is wrong in the words of the schema. */
export function problemsIn(schema: TSchema, errors: readonly SchemaError[]): readonly FieldProblem[] {
  const problems = new Map<string, FieldProblem>();
  const deepest = errors.filter((error) => !isExplainedDeeper(error, errors));
  for (const error of deepest) {
    for (const problem of problemsOf(schema, error)) problems.set(problem.path, problem);
    if (problems.size >= MAX_PROBLEMS) break;
  }
  return [...problems.values()];
}

/** Of a choice (a tag is a string or an object), what is wrong inside says more than that nothing fits. */
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
  return [{ path: error.instancePath, message: messageAt(schema, error.schemaPath) ?? error.message }];
}

/** The `message` of the innermost schema for the value that a schema path (`#/properties/name/allOf/1`) speaks of. */
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
