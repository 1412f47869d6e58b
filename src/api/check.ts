import type { Static, TSchema } from 'typebox';
import { Check as isValid, Compile, Errors } from 'typebox/schema';
import { Settings } from 'typebox/system';
import { invalidInput, type FieldProblem } from '../domain/failure.ts';
import { nearestName } from './words/nearest-name.ts';

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
 * Like `createCheck`, for a body or options of our own: refuses unknown fields in all objects, because a typing error
 * must not mean that the field is absent. Schemas of Petstore's bodies allow them with `additionalProperties`.
 *
 * @param record the schema of the record in responses, whose other fields are ignored: it can be sent as it was read
 */
export function createStrictCheck<T extends TSchema>(schema: T, record?: TSchema): Check<T> {
  let check: Check<T> | undefined;
  return (value) => (check ??= createCheck(closed(schema, record) as T))(value);
}

interface ObjectSchema {
  properties?: Readonly<Record<string, TSchema>>;
  additionalProperties?: unknown;
  items?: TSchema;
  anyOf?: readonly TSchema[];
}

function closed(schema: TSchema, record: TSchema = {}): TSchema {
  const { properties, additionalProperties, items, anyOf } = schema as ObjectSchema;
  const { anyOf: alternatives, ...read } = record as ObjectSchema;
  const [other = read] = alternatives ?? [];
  const { properties: readOnly = {}, items: readItems } = other as ObjectSchema;
  if (anyOf) return { ...schema, anyOf: anyOf.map((each) => closed(each, other)) };
  if (items) return { ...schema, items: closed(items, readItems) };
  if (!properties || (additionalProperties ?? false) !== false) return schema;
  const known = Object.entries(properties).map(([name, each]) => [name, closed(each, readOnly[name])]);
  const ignored = Object.keys(readOnly).filter((name) => !Object.hasOwn(properties, name));
  return {
    ...schema,
    properties: { ...Object.fromEntries(ignored.map((name) => [name, IGNORED])), ...Object.fromEntries(known) },
    additionalProperties: false,
  };
}

/** Any value. Not suggested for a misspelt field. */
const IGNORED = { title: 'Ignored' };

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
  // Lists the unknown fields. There is one error for each.
  if (error.keyword === 'additionalProperties') return [];
  if (error.keyword === 'boolean') return [unknownField(schema, error)];
  return [{ path: error.instancePath, message: messageAt(schema, error.schemaPath) ?? error.message }];
}

/** Maximum characters of an unknown name in a message. */
const MAX_SHOWN = 50;

/** Maximum names in a message that suggests all. */
const MAX_SUGGESTED = 12;

function unknownField(schema: TSchema, { instancePath, schemaPath }: SchemaError): FieldProblem {
  const end = instancePath.lastIndexOf('/') + 1;
  const shown = instancePath.slice(end, end + MAX_SHOWN).toWellFormed();
  const { properties = {} } = schemaAt(schema, schemaPath.slice(0, schemaPath.lastIndexOf('/'))) as ObjectSchema;
  const known = Object.keys(properties).filter((name) => properties[name] !== IGNORED);
  return { path: instancePath.slice(0, end) + shown, message: `is unknown${suggestion(shown, known)}` };
}

function suggestion(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  if (nearest !== undefined) return ` (did you mean ${nearest}?)`;
  return known.length === 0 || known.length > MAX_SUGGESTED ? '' : `: use ${known.join(', ')}`;
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
