/*
 * The columns of a row, declared once: statements select them in this order, and their rows are read in it. Rows that
 * most requests read have functions of their own, which take half the time.
 */

type Kind<Value> = Value extends boolean
  ? 'flag'
  : Value extends number
    ? 'number'
    : Value extends bigint
      ? 'bigint'
      : Value extends string
        ? 'text'
        : Value extends readonly string[]
          ? 'json' | 'words'
          : 'json';

/** How a field is read from its column. `?`: null is read as undefined. */
type Column<Value> = `${Kind<NonNullable<Value>>}${undefined extends Value ? '?' : ''}`;

/** A column has the name of its field in snake case, unless there is an expression for it. */
type Columns<T> = { readonly [Field in keyof T]-?: Column<T[Field]> | readonly [Column<T[Field]>, expression: string] };

const READERS: Readonly<Record<string, (value: unknown) => unknown>> = {
  // A number on SQLite.
  flag: Boolean,
  number: Number,
  words: (value) => String(value).split(' ').filter(Boolean),
  json: (value) => JSON.parse(String(value)),
};

/** @returns the columns for statements, and a function that reads a row of them */
export function rowOf<T>(columns: Columns<T>): { columns: string; read: (row: readonly unknown[]) => T } {
  const fields = Object.entries<string | readonly [string, string]>(columns).map(([name, column]) => {
    const [kind, expression] = typeof column === 'string' ? [column, snakeCase(name)] : column;
    return { name, expression, convert: READERS[kind.replace('?', '')], absent: kind.endsWith('?') ? undefined : null };
  });
  return {
    columns: fields.map(({ expression }) => expression).join(', '),
    read(row) {
      const record: Record<string, unknown> = {};
      let index = 0;
      for (const { name, convert, absent } of fields) {
        const value = row[index++];
        record[name] = value === null ? absent : convert === undefined ? value : convert(value);
      }
      return record as T;
    },
  };
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
