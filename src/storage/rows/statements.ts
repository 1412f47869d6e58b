/*
 * Statements that are written once for both engines, in the dialect of PostgreSQL: `$1` becomes `?1` on SQLite, and
 * casts (`::int8`), which it does not need, are left out. `Dialect` has the other differences.
 */

/** A parameter of a statement. PostgreSQL gets a list as an array, SQLite as JSON. */
export type Parameter = string | number | bigint | null | readonly (string | number | bigint | null)[];

export type Engine = 'postgres' | 'sqlite';

/** The texts for the engines. One of them may leave out the last parameters. */
export type Statement = Readonly<Record<Engine, string>> & {
  /** It changes nothing. */
  readonly isRead: boolean;
};

export interface Dialect {
  either: (postgres: string, sqlite: string) => string;
  /** A condition on the column by which `Reads.finder` finds a record: one key on SQLite, a batch on PostgreSQL. */
  isKey: (column: string) => string;
  /** A condition on a column: the value is one of a list, the parameter. */
  isOneOf: (column: string, parameter: string, type: 'text' | 'int8') => string;
  /** A list as a table with the column `value`. */
  each: (parameter: string, type: 'text' | 'int8') => string;
  /**
   * A condition on a column: the value is one of those selected. Where statistics are stale, PostgreSQL would execute
   * `in (select ...)` once for each row.
   */
  isAmong: (column: string, select: string) => string;
  /** A condition on two texts: they are equal if the case of ASCII letters is ignored, whatever the locale. */
  areAlike: (a: string, b: string) => string;
  /** After `as` in a `with` clause whose rows are read more than once. */
  once: string;
  /** The larger of two numbers. */
  greatest: (a: string, b: string) => string;
}

const POSTGRES = dialect((postgres) => postgres);
const SQLITE = dialect((_postgres, sqlite) => sqlite);

function dialect(either: Dialect['either']): Dialect {
  const isOneOf: Dialect['isOneOf'] = (column, parameter, type) =>
    `${column} ${either(`= any(${parameter}::${type}[])`, `in (select value from json_each(${parameter}))`)}`;
  return {
    either,
    isKey: (column) => either(isOneOf(column, '$1', 'text'), `${column} = $1`),
    isOneOf,
    each: (list, type) => either(`unnest(${list}::${type}[]) as list (value)`, `json_each(${list})`),
    isAmong: (column, select) => `${column} ${either(`= any(array(${select}))`, `in (${select})`)}`,
    once: either('', 'materialized '),
    areAlike: (a, b) => either(`${folded(a)} = ${folded(b)}`, `${a} = ${b} collate nocase`),
    greatest: (a, b) => `${either('greatest', 'max')}(${a}, ${b})`,
  };
}

function folded(text: string): string {
  return `translate(${text}, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')`;
}

const parameterCounts = new Map<Statement, Readonly<Record<Engine, number>>>();

/** Declares a statement. All are declared when their module is loaded, so tests can examine all of them. */
export function statement(text: string | ((sql: Dialect) => string)): Statement {
  const textOn = (sql: Dialect) => (typeof text === 'string' ? text : text(sql));
  const sqlite = textOn(SQLITE)
    .replaceAll('$', '?')
    .replaceAll(/::\w+(?:\[\])?/g, '');
  const made = { postgres: textOn(POSTGRES), sqlite, isRead: sqlite.startsWith('select') };
  parameterCounts.set(made, { postgres: countParameters(made.postgres), sqlite: countParameters(made.sqlite) });
  return made;
}

/**
 * A statement that deletes at most `$2` records that ended at `$1` or before, oldest first, and returns their keys.
 * @param time the column of the end, which has an index: without one, every change would wait for a whole scan
 */
export function forgetOldest(table: string, key: string, time: string): Statement {
  const oldest = `select ${key} from ${table} where ${time} <= $1 order by ${time} limit $2`;
  return statement((sql) => `delete from ${table} where ${sql.isAmong(key, oldest)} returning ${key}`);
}

export function everyStatement(): readonly Statement[] {
  return [...parameterCounts.keys()];
}

/** The parameters that the text for the engine has. @throws Error if their number is wrong: SQLite would bind nulls */
export function parametersOn(
  engine: Engine,
  statement: Statement,
  parameters: readonly Parameter[],
): readonly Parameter[] {
  const counts = parameterCounts.get(statement);
  const { length } = parameters;
  if (counts === undefined || Math.max(counts.postgres, counts.sqlite) !== length)
    throw new Error(`The statement does not have ${length} parameters: ${statement[engine]}`);
  return counts[engine] === length ? parameters : parameters.slice(0, counts[engine]);
}

function countParameters(text: string): number {
  return Math.max(0, ...[...text.matchAll(/[$?](\d+)/g)].map(([, number]) => Number(number)));
}
