export interface Row {
  label: string;
  value: number;
  low?: number;
  high?: number;
  /** Text to the right of the bar. */
  text: string;
  wanted?: number;
  reachFor?: number;
  isMissed?: boolean;
  isOther?: boolean;
}

interface Place {
  title: string;
  axis: string;
  rows: readonly Row[];
  max: number;
  index: number;
  top: number;
  titleTop: number;
  height: number;
}

const LABEL_WIDTH = 470;
const TEXT_WIDTH = 190;
const BAR = 15;
/** Colours for red-green colour blindness (Okabe and Ito). Missed bars also have stripes. */
const COLOURS = { good: '#56B4E9', missed: '#E69F00', other: '#BBBBBB', mark: '#111111' };
const STRIPES = { symbol: 'rect', dashArrayX: [1, 0], dashArrayY: [2, 5], rotation: -Math.PI / 4, color: '#7a4f00' };

/** A panel of horizontal bars, with marks for the required value and the target. */
export function barPanel({ title, axis, rows, max, index, top, titleTop, height }: Place) {
  const hasMarks = rows.some(({ wanted }) => wanted !== undefined);
  const legend = hasMarks ? '    ┃ required   ◇ target' : '';
  return {
    title: { text: `${title}${legend}`, left: 24, top: titleTop, textStyle: { fontSize: 15, color: '#111' } },
    grid: { left: LABEL_WIDTH, right: TEXT_WIDTH, top, height },
    xAxis: {
      type: 'value',
      gridIndex: index,
      min: 0,
      max,
      name: axis,
      nameLocation: 'middle',
      nameGap: 24,
      nameTextStyle: { color: '#444' },
      axisLabel: { color: '#444', showMaxLabel: false },
      splitLine: { lineStyle: { color: '#e6e6e6' } },
    },
    yAxis: {
      type: 'category',
      gridIndex: index,
      inverse: true,
      data: rows.map(({ label }) => label),
      axisTick: { show: false },
      axisLine: { lineStyle: { color: '#888' } },
      axisLabel: { color: '#111', fontSize: 13, width: LABEL_WIDTH - 40, overflow: 'truncate' },
    },
    series: [bars(rows, max, index), ...marks(rows, index), spreads(rows, max, index), texts(rows, max, index)],
  };
}

function onAxes(index: number) {
  return { xAxisIndex: index, yAxisIndex: index, silent: true };
}

function bars(rows: readonly Row[], max: number, index: number): object {
  return {
    ...onAxes(index),
    type: 'bar',
    barWidth: BAR,
    data: rows.map(({ value, isMissed = false, isOther = false }) => ({
      value: Math.min(value, max),
      itemStyle: {
        color: isOther ? COLOURS.other : isMissed ? COLOURS.missed : COLOURS.good,
        ...(isMissed && { decal: STRIPES }),
      },
    })),
  };
}

function marks(rows: readonly Row[], index: number): object[] {
  const shared = { ...onAxes(index), type: 'scatter', z: 4 };
  return [
    {
      ...shared,
      symbol: 'rect',
      symbolSize: [4, BAR + 9],
      itemStyle: { color: COLOURS.mark },
      data: rows.flatMap(({ wanted }, row) => (wanted === undefined ? [] : [[wanted, row]])),
    },
    {
      ...shared,
      symbol: 'diamond',
      symbolSize: 13,
      itemStyle: { color: '#fff', borderColor: COLOURS.mark, borderWidth: 1.8 },
      data: rows.flatMap(({ reachFor }, row) => (reachFor === undefined ? [] : [[reachFor, row]])),
    },
  ];
}

/** The part of the render API of ECharts that is used here. */
interface Pen {
  value(dimension: number): number;
  coord(point: readonly [x: number, row: number]): [x: number, y: number];
}

function spreads(rows: readonly Row[], max: number, index: number): object {
  return {
    ...onAxes(index),
    type: 'custom',
    z: 3,
    data: rows.flatMap(({ low, high }, row) =>
      low === undefined || high === undefined ? [] : [[Math.min(low, max), row, Math.min(high, max)]],
    ),
    renderItem: (_: unknown, pen: Pen) => {
      const [x1, y] = pen.coord([pen.value(0), pen.value(1)]);
      const [x2] = pen.coord([pen.value(2), pen.value(1)]);
      return { type: 'line', shape: { x1, y1: y, x2, y2: y }, style: { stroke: '#333', lineWidth: 1.2 } };
    },
  };
}

/** In a column of their own: at the ends of bars, they would overlap the marks. */
function texts(rows: readonly Row[], max: number, index: number): object {
  return {
    ...onAxes(index),
    type: 'scatter',
    symbolSize: 0,
    data: rows.map(({ text, isMissed = false }, row) => ({
      value: [max, row],
      label: {
        show: true,
        position: 'right',
        distance: 14,
        formatter: text,
        color: '#111',
        fontSize: 13,
        fontWeight: isMissed ? 'bold' : 'normal',
      },
    })),
  };
}
