import Table from 'cli-table3';

/** No lines: what stands in a terminal is easier to read, and to cut out, without. */
const NO_LINES = Object.fromEntries(
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

/** Rows under their headings, for people. */
export function tableOf(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const table = new Table({
    head: headings.map((heading) => heading.toUpperCase()),
    chars: { ...NO_LINES, middle: '  ' },
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
  });
  table.push(...rows.map((row) => row.map(plainText)));
  return `${table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')}\n`;
}

/** What people wrote about themselves is shown, not carried out: control characters move cursors, forge rows, turn text around. */
export function plainText(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '\uFFFD');
}

/** A moment as people read it, to the minute, in UTC. */
export function momentOf(ms: number | undefined): string {
  return ms === undefined ? '-' : new Date(ms).toISOString().slice(0, 16).replace('T', ' ');
}
