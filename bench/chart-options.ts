import { barPanel, type Row } from './chart-panels.ts';
import type { PeerFigure, PeerRate } from './measurements/peers.ts';
import { explainMachine, type Report } from './report.ts';
import type { Result } from './results.ts';

/* Options of ECharts for the chart: three panels, one below the other. */

const WIDTH = 1240;
const ROW = 30;
const HEAD = 96;
/** Space for the title of a panel, its axis and a margin. */
const PANEL_EXTRA = 92;

interface Panel {
  title: string;
  axis: string;
  rows: readonly Row[];
  max: number;
}

export function chartSize(report: Report): { width: number; height: number } {
  const heights = panelsOf(report).map(({ rows }) => rows.length * ROW + PANEL_EXTRA);
  return { width: WIDTH, height: heights.reduce((sum, height) => sum + height, HEAD + 24) };
}

export function chartOptions(report: Report): object {
  let top = HEAD;
  const parts = panelsOf(report).map((panel, index) => {
    const height = panel.rows.length * ROW;
    const part = barPanel({ ...panel, index, top: top + 38, height, titleTop: top });
    top += height + PANEL_EXTRA;
    return part;
  });
  const date = report.machine.date.slice(0, 10);
  const rounds = `median of ${report.rounds} rounds of ${report.seconds} s; the thin line is the range`;
  const titles = [
    { text: 'Menagerie, measured', left: 24, top: 14, textStyle: { fontSize: 22, color: '#111' } },
    {
      text: `${date}, ${report.quick ? 'quick' : 'full'} run, ${rounds}\n${explainMachine(report.machine)}`,
      left: 24,
      top: 46,
      textStyle: { fontSize: 12.5, fontWeight: 'normal', color: '#444', lineHeight: 17 },
    },
  ];
  return {
    animation: false,
    backgroundColor: '#fff',
    textStyle: { fontFamily: 'Helvetica, Arial, sans-serif' },
    title: [...titles, ...parts.map(({ title }) => title)],
    grid: parts.map(({ grid }) => grid),
    xAxis: parts.map(({ xAxis }) => xAxis),
    yAxis: parts.map(({ yAxis }) => yAxis),
    series: parts.flatMap(({ series }) => series),
  };
}

function panelsOf({ results, peers = [] }: Report): Panel[] {
  const higher = results.filter(({ claim, measured }) => measured?.isRatio === true && !isLimit(claim)).map(ratioRow);
  const lower = results.filter(({ claim, measured }) => measured !== undefined && isLimit(claim)).map(limitRow);
  const panels = [
    { title: 'Ratios: longer is better', axis: 'ratio', rows: higher, max: maxOf(higher) },
    {
      title: 'Fraction of the limit: shorter is better',
      axis: '1 is the limit',
      rows: lower,
      max: maxOf(lower),
    },
    { title: 'Other servers', axis: 'bare node:http = 1', rows: peerRows(peers), max: 1.1 },
  ];
  return panels.filter(({ rows }) => rows.length > 0);
}

function isLimit(claim: Result['claim']): boolean {
  return claim !== undefined && 'atMost' in claim;
}

/** A longer bar is cut off; its text has the value. */
function maxOf(rows: readonly Row[]): number {
  return Math.min(2.1, Math.max(1.1, ...rows.map(({ value }) => Math.ceil(value * 11) / 10)));
}

function ratioRow({ title, measured, claim, verdict }: Result): Row {
  const { median = 0, min = 0, max = 0 } = measured ?? {};
  const marks = claim !== undefined && 'atLeast' in claim && { wanted: claim.atLeast, reachFor: claim.reachFor };
  const isMissed = verdict === 'MISSED';
  const text = `${median.toFixed(2)}${isMissed ? '  missed' : ''}`;
  return { label: title, value: median, low: min, high: max, text, isMissed, ...marks };
}

function limitRow({ title, measured, claim, verdict }: Result): Row {
  const { median = 0, min = 0, max = 0, unit = '' } = measured ?? {};
  const { atMost, reachFor } = claim !== undefined && 'atMost' in claim ? claim : { atMost: 1, reachFor: 1 };
  const isMissed = verdict === 'MISSED';
  const value = unit === '' ? `× ${median.toFixed(2)}` : `${median.toFixed(0)} ${unit}`;
  const text = `${value} of ${atMost}${isMissed ? '  missed' : ''}`;
  const scaled = { value: median / atMost, low: min / atMost, high: max / atMost };
  return { label: title, ...scaled, text, isMissed, wanted: 1, reachFor: reachFor / atMost };
}

/** First all reads, then all writes, to keep compared bars together. */
function peerRows(peers: readonly PeerFigure[]): Row[] {
  return [
    ...peers.map(({ name, reads }) => peerRow(name, 'pet by id', reads)),
    ...peers.flatMap(({ name, writes }) => (writes === undefined ? [] : [peerRow(name, 'new pet', writes)])),
  ];
}

function peerRow(name: string, what: string, { perSecond, multiple }: PeerRate): Row {
  return {
    label: `${what}: ${name}`,
    value: multiple,
    text: `${multiple.toFixed(multiple < 0.1 ? 3 : 2)}   ${Math.round(perSecond).toLocaleString('en')} /s`,
    isOther: name !== 'Menagerie',
  };
}
