import { hash } from 'node:crypto';

/** A parameter of a statement. Arrays of integers are sent in the format of PostgreSQL: `{1,2,3}`. */
export type Parameter = string | number | bigint | null | readonly (string | number | bigint | null)[];

export function hasNul(parameter: Parameter): boolean {
  return typeof parameter === 'string' && parameter.includes('\0');
}

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

const statements = new Map<string, Statement>();

/** Declares a statement. All are declared when their module is loaded, so tests can examine all of them. */
export function statement(text: string): Statement {
  const made = { name: `menagerie_${hash('sha256', text, 'hex').slice(0, 16)}`, text };
  statements.set(made.name, made);
  return made;
}

/** All declared statements. */
export function everyStatement(): readonly Statement[] {
  return [...statements.values()];
}
