import { spellingKey } from '../../domain/text.ts';
import { shellWord } from '../../server/log/explain-failure.ts';
import type { ColumnMap, Table } from '../../transfer/columns.ts';
import { UsageError } from '../terminal/output.ts';

/**
 * Reads the values of `--map`. The names of columns may contain the equals sign, those of known columns do not.
 *
 * @throws UsageError
 */
export function readColumnMap(texts: readonly string[], { columns }: Table): ColumnMap {
  return new Map(
    texts.map((text) => {
      const [name, column] = [text.slice(0, text.lastIndexOf('=')), text.slice(text.lastIndexOf('=') + 1).trim()];
      const known = ['', ...columns].find((each) => each.toLowerCase() === column.toLowerCase());
      if (!text.includes('=') || known === undefined)
        throw new UsageError(`--map must be 'NAME=COLUMN', where COLUMN is ${columns.join(', ')} or empty.`);
      return [spellingKey(name), known] as const;
    }),
  );
}

/** The flag that maps a column of the file, for a shell. */
export function mapFlag(name: string, column: string): string {
  return `--map ${shellWord(`${name}=${column}`)}`;
}
