import { hash } from 'node:crypto';
import {
  everyStatement as everyCommonStatement,
  parametersOn,
  type Parameter,
  type Statement as CommonStatement,
} from '../../rows/statements.ts';

export type { Parameter } from '../../rows/statements.ts';

export function hasNul(parameter: Parameter): boolean {
  return typeof parameter === 'string' && parameter.includes('\0');
}

/** PostgreSQL cannot store texts with U+0000, and refuses to search for them. */
export function withoutNul(parameter: Parameter): Parameter {
  return Array.isArray(parameter) ? parameter.filter((each) => !hasNul(each)) : parameter;
}

/** Arrays of integers are sent in the format of PostgreSQL: `{1,2,3}`. */
export function toText(parameter: Parameter): unknown {
  if (typeof parameter === 'bigint') return parameter.toString();
  if (!Array.isArray(parameter)) return parameter;
  return typeof (parameter.find((value) => value !== null) ?? '') === 'string'
    ? parameter
    : `{${parameter.map((value) => value ?? 'null').join()}}`;
}

/** SQL, and the name under which a server prepares it. */
export interface Statement {
  /**
   * The same text has the same name in every process: on a connection shared by a proxy, another process may have
   * prepared it.
   */
  name: string;
  text: string;
}

/** Executes one statement and returns its rows, each an array of the columns. int8 is returned as bigint. */
export type Ask = <Row extends readonly unknown[]>(statement: Statement, ...parameters: Parameter[]) => Promise<Row[]>;

/** Like `Ask`, for a statement of both engines. */
export type CommonAsk = <Row extends readonly unknown[]>(
  statement: CommonStatement,
  ...parameters: readonly Parameter[]
) => Promise<Row[]>;

const statements = new Map<string, Statement>();

/** Declares a statement. All are declared when their module is loaded, so tests can examine all of them. */
export function statement(text: string): Statement {
  const made = { name: `menagerie_${hash('sha256', text, 'hex').slice(0, 16)}`, text };
  statements.set(made.name, made);
  return made;
}

const commonStatements = new Map<CommonStatement, Statement>();

/** Executes a statement of both engines. */
export function askCommon(ask: Ask): CommonAsk {
  return (common, ...parameters) => ask(named(common), ...parametersOn('postgres', common, parameters));
}

function named(common: CommonStatement): Statement {
  const known = commonStatements.get(common);
  if (known !== undefined) return known;
  const made = statement(common.postgres);
  commonStatements.set(common, made);
  return made;
}

export function everyStatement(): readonly Statement[] {
  for (const common of everyCommonStatement()) named(common);
  return [...statements.values()];
}
