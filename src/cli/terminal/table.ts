import Table from 'cli-table3';
import { plainText } from './output.ts';

/** Without borders, a table is easier to read and to copy. */
const NO_BORDERS = Object.fromEntries(
  [
    'top',
    'top-mid',
    'top-left',
    'top-right',
    'bottom',
    'bottom-mid',
    'bottom-left',
    'bottom-right',
    'left',
    'left-mid',
    'mid',
    'mid-mid',
    'right',
    'right-mid',
  ].map((place) => [place, '']),
);

export function tableOf(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const table = new Table({
    head: headings.map((heading) => heading.toUpperCase()),
    chars: { ...NO_BORDERS, middle: '  ' },
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
  });
  table.push(...rows.map((row) => row.map(plainText)));
  return `${table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')}\n`;
}

/** In UTC, to the minute. */
export function momentOf(ms: number | undefined): string {
  return ms === undefined ? '-' : new Date(ms).toISOString().slice(0, 16).replace('T', ' ');
}
