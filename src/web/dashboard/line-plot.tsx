import { useState, type PointerEvent } from 'react';
import styles from './line-plot.module.css';
import { axisOf } from './periods.ts';

export interface Line {
  name: string;
  /** One for each point; null if there is none. */
  values: readonly (number | null)[];
}

interface LinePlotProps {
  title: string;
  /** The names of all points. Some are shown on the axis. */
  names: readonly string[];
  /** At most four. They also differ in dash, for readers who cannot distinguish the colours. */
  lines: readonly Line[];
  /** The text of a value. */
  textOf: (value: number) => string;
}

/** Named points, so that their labels do not overlap. The style sheet hides every other one on narrow screens. */
const MAX_NAMES = 8;

/** More circles would cover the line. */
const MAX_CIRCLES = 60;

/** Lines over time. */
export function LinePlot({ title, names, lines, textOf }: LinePlotProps) {
  const [chosen, setChosen] = useState<number>();
  const last = names.length - 1;
  const ticks = axisOf(Math.max(0, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0))));
  const left = (index: number) => `${last === 0 ? 50 : (index / last) * 100}%`;
  const follow = ({ currentTarget, clientX }: PointerEvent<HTMLElement>) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    setChosen(Math.max(0, Math.min(last, Math.round(((clientX - left) / width) * last))));
  };
  const step = Math.ceil(names.length / MAX_NAMES);
  return (
    <div className={styles['chart']}>
      <Ticks ticks={ticks} textOf={textOf} />
      <div className={styles['plot']} onPointerMove={follow}>
        <Drawing lines={lines} ticks={ticks} left={left} />
        <Values
          title={title}
          names={names}
          lines={lines}
          textOf={textOf}
          at={Math.min(chosen ?? last, last)}
          left={left}
          onChange={setChosen}
        />
      </div>
      <div className={styles['names']} aria-hidden>
        {names.map(
          (name, index) =>
            (last - index) % step === 0 && (
              <span key={`${index} ${name}`} style={{ left: left(index) }}>
                {name}
              </span>
            ),
        )}
      </div>
      {lines.length > 1 && <Legend lines={lines} />}
    </div>
  );
}

interface ValuesProps extends LinePlotProps {
  at: number;
  left: (index: number) => string;
  onChange: (at: number) => void;
}

/**
 * The values of one point. An invisible slider covers the plot: with it, keyboards, touch and screen readers reach each
 * point.
 */
function Values({ title, names, lines, textOf, at, left, onChange }: ValuesProps) {
  const name = names[at];
  if (name === undefined) return null;
  const values = lines.map(({ name, values }) => {
    const value = values[at] ?? null;
    return `${name}: ${value === null ? '-' : textOf(value)}`;
  });
  return (
    <>
      <div className={styles['marker']} style={{ left: left(at) }} />
      <div
        className={styles['values']}
        data-side={at > names.length / 2 ? 'start' : 'end'}
        style={{ left: left(at) }}
        aria-hidden
      >
        <strong>{name}</strong>
        {values.map((value) => (
          <span key={value}>{value}</span>
        ))}
      </div>
      <input
        type="range"
        className={styles['slider']}
        aria-label={title}
        aria-valuetext={`${name}. ${values.join(', ')}`}
        max={names.length - 1}
        value={at}
        onChange={({ currentTarget }) => onChange(currentTarget.valueAsNumber)}
      />
    </>
  );
}

function Ticks({ ticks, textOf }: { ticks: readonly number[] } & Pick<LinePlotProps, 'textOf'>) {
  return (
    <div className={styles['ticks']} aria-hidden>
      {ticks.toReversed().map((tick) => (
        <span key={tick}>{textOf(tick)}</span>
      ))}
    </div>
  );
}

interface DrawingProps {
  lines: readonly Line[];
  ticks: readonly number[];
  left: (index: number) => string;
}

/** Everything is relative to the size of the plot, which the script does not know. */
function Drawing({ lines, ticks, left }: DrawingProps) {
  const highest = ticks.at(-1) ?? 1;
  const top = (value: number) => `${100 - (value / highest) * 100}%`;
  return (
    <svg className={styles['drawing']} aria-hidden>
      {ticks.map((tick) => (
        <line key={tick} className={styles['grid']} x1="0" x2="100%" y1={top(tick)} y2={top(tick)} />
      ))}
      {lines.map(({ name, values }, place) => (
        <g key={name} className={styles['line']} data-line={place} data-fine={values.length > MAX_CIRCLES}>
          <svg viewBox="0 0 100 100" preserveAspectRatio="none" width="100%" height="100%">
            <path d={pathOf(values, left, top)} />
          </svg>
          {values.length <= MAX_CIRCLES &&
            values.map(
              (value, index) => value !== null && <circle key={left(index)} r="3.5" cx={left(index)} cy={top(value)} />,
            )}
        </g>
      ))}
    </svg>
  );
}

/** A missing value makes a gap in the line. A value between two gaps is a dot. */
function pathOf(values: Line['values'], left: (index: number) => string, top: (value: number) => string): string {
  let path = '';
  let isInGap = true;
  for (const [index, value] of values.entries()) {
    if (value !== null) {
      const point = `${parseFloat(left(index)).toFixed(2)} ${parseFloat(top(value)).toFixed(2)}`;
      path += isInGap ? `M${point}L${point}` : `L${point}`;
    }
    isInGap = value === null;
  }
  return path;
}

function Legend({ lines }: Pick<LinePlotProps, 'lines'>) {
  return (
    <div className={styles['legend']} aria-hidden>
      {lines.map(({ name, values }, place) => (
        <span key={name}>
          <svg className={styles['line']} data-line={place} width="32" height="10">
            <path d="M0 5L32 5" />
            {values.length <= MAX_CIRCLES && <circle r="3.5" cx="16" cy="5" />}
          </svg>
          {name}
        </span>
      ))}
    </div>
  );
}
