import { hash } from 'node:crypto';
import type { Parameter } from './parameters.ts';

/** SQL that is sent, under the name by which a server remembers it. */
export interface Statement {
  /** The same text has the same name in every process: connections that a proxy hands around may have been prepared by another. */
  name: string;
  text: string;
}

/** Executes one statement and returns its rows, each an array of the columns. int8 is returned as bigint. */
export type Ask = <Row extends readonly unknown[]>(statement: Statement, ...parameters: Parameter[]) => Promise<Row[]>;

const statements = new Map<string, Statement>();

/** Every statement is made where its file is read, none while the service runs: so all of them can be looked at. */
export function statement(text: string): Statement {
  const made = { name: `menagerie_${hash('sha256', text, 'hex').slice(0, 16)}`, text };
  statements.set(made.name, made);
  return made;
}

/** All that has been made so far. */
export function everyStatement(): readonly Statement[] {
  return [...statements.values()];
}
