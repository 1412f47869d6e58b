import { hash } from 'node:crypto';
import type { Parameter } from './parameters.ts';

/** SQL, and the name under which a server prepares it. */
export interface Statement {
  /** The same text has the same name in every process: on a connection shared by a proxy, another process may have prepared it. */
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
