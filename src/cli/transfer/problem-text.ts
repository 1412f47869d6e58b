import type { RowProblem } from '../../transfer/rows.ts';

export function problemText({ column, message }: RowProblem): string {
  return column === undefined || column === '' ? message : `column ${column} ${message}`;
}
