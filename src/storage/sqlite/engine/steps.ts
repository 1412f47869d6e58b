import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { parametersOn, type Parameter, type Statement } from '../../rows/statements.ts';
import { WriteWatch, type Reads, type Steps } from '../../rows/steps.ts';
import { openDatabase, prepare, prepareRow } from './database.ts';

/** Executes a statement of both engines. */
export type Ask = <R extends readonly unknown[]>(statement: Statement, ...parameters: readonly Parameter[]) => R[];

/** Each statement is prepared once, when it is first executed. */
function preparedOn(db: DatabaseSync): (statement: Statement) => StatementSync {
  const prepared = new Map<Statement, StatementSync>();
  return (statement) => {
    const known = prepared.get(statement);
    if (known !== undefined) return known;
    const made = prepare(db, statement.sqlite);
    made.setReturnArrays(true);
    prepared.set(statement, made);
    return made;
  };
}

export function askOn(db: DatabaseSync): Ask {
  const preparedFor = preparedOn(db);
  return (statement, ...parameters) => preparedFor(statement).all(...bound(statement, parameters)) as never;
}

function bound(statement: Statement, parameters: readonly Parameter[]): SQLInputValue[] {
  return parametersOn('sqlite', statement, parameters).map(toValue);
}

/** Runs the steps of a change inside the transaction of the connection. @throws FailureAfterWrite */
export function runSteps<T>(steps: Steps<T>, ask: Ask): T {
  const watch = new WriteWatch();
  try {
    let next = steps.next([]);
    while (next.done !== true) {
      const rows = ask(next.value.statement, ...next.value.parameters);
      watch.notice(next.value, rows);
      next = steps.next(rows);
    }
    return next.value;
  } catch (error) {
    throw watch.errorOf(error);
  }
}

/** Reads row by row. */
function askUntilOn(db: DatabaseSync): Reads['askUntil'] {
  const preparedFor = preparedOn(db);
  return <R extends readonly unknown[]>(
    isLast: (row: R) => boolean,
    statement: Statement,
    ...parameters: readonly Parameter[]
  ) => {
    const rows: R[] = [];
    for (const row of preparedFor(statement).iterate(...bound(statement, parameters))) {
      rows.push(row as never);
      if (isLast(row as never)) break;
    }
    return rows;
  };
}

export interface SyncReads extends Reads {
  finder<V>(find: Statement, toValue: (row: never) => V): (key: string) => V | undefined;
}

/** A few milliseconds of the event loop. */
const WINDOW_ROWS = 1000;

export function openReads(db: DatabaseSync): SyncReads {
  return {
    ask: askOn(db),
    askUntil: askUntilOn(db),
    windowRows: WINDOW_ROWS,
    finder(find, toValue) {
      const findRow = prepareRow(db, find.sqlite);
      return (key) => {
        const row = findRow(key);
        return row && toValue(row as never);
      };
    },
  };
}

/** Runs work on a connection that may write, also before the writer is ready. */
export async function withConnection<T>(reader: DatabaseSync, work: (reads: Reads) => Promise<T>): Promise<T> {
  const path = reader.location();
  if (path === null) return work(openReads(reader));
  const db = openDatabase(path);
  try {
    return await work(openReads(db));
  } finally {
    db.close();
  }
}

/** SQLite has no arrays. Integers beyond 2^53 stay exact. */
function toValue(parameter: Parameter): SQLInputValue {
  if (typeof parameter !== 'object' || parameter === null) return parameter;
  return `[${parameter.map((each) => (typeof each === 'bigint' ? each : JSON.stringify(each))).join()}]`;
}
