import { useState, type PointerEvent } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import styles from './days-plot.module.css';
import { axisOf, type Period } from './periods.ts';

interface DaysPlotProps {
  title: string;
  periods: readonly Period[];
  /** The label of a period on the axis. */
  nameOf: (period: Period) => string;
}

/** They also differ in dash and marker, for readers who cannot distinguish the colours. */
const LINES = ['added', 'adopted'] as const;

/** Named periods, so that their labels do not overlap. The style sheet hides every other one on narrow screens. */
const MAX_NAMES = 8;

/** Additions and adoptions over time. */
export function DaysPlot({ title, periods, nameOf }: DaysPlotProps) {
  const [chosen, setChosen] = useState<number>();
  const last = periods.length - 1;
  const ticks = axisOf(Math.max(0, ...periods.flatMap(({ added, adopted }) => [added, adopted])));
  const left = (index: number) => `${last === 0 ? 50 : (index / last) * 100}%`;
  const follow = ({ currentTarget, clientX }: PointerEvent<HTMLElement>) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    setChosen(Math.max(0, Math.min(last, Math.round(((clientX - left) / width) * last))));
  };
  const named = periods.map(nameOf);
  const step = Math.ceil(periods.length / MAX_NAMES);
  return (
    <div className={styles['chart']}>
      <Ticks ticks={ticks} />
      <div className={styles['plot']} onPointerMove={follow}>
        <Drawing periods={periods} ticks={ticks} left={left} />
        <Values
          title={title}
          names={named}
          periods={periods}
          at={Math.min(chosen ?? last, last)}
          left={left}
          onChange={setChosen}
        />
      </div>
      <div className={styles['names']} aria-hidden>
        {named.map(
          (name, index) =>
            (last - index) % step === 0 && (
              <span key={name} style={{ left: left(index) }}>
                {name}
              </span>
            ),
        )}
      </div>
      <Legend />
    </div>
  );
}

interface ValuesProps {
  title: string;
  periods: readonly Period[];
  names: readonly string[];
  at: number;
  left: (index: number) => string;
  onChange: (at: number) => void;
}

/**
 * The values of one period. An invisible slider covers the plot: with it, keyboards, touch and screen readers reach
 * each period.
 */
function Values({ title, periods, names, at, left, onChange }: ValuesProps) {
  const t = useTranslations('dashboard');
  const format = useFormatter();
  const [name, period] = [names[at], periods[at]];
  if (period === undefined) return null;
  const values = LINES.map((line) => `${t(line)}: ${format.number(period[line])}`);
  return (
    <>
      <div className={styles['marker']} style={{ left: left(at) }} />
      <div
        className={styles['values']}
        data-side={at > periods.length / 2 ? 'start' : 'end'}
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
        max={periods.length - 1}
        value={at}
        onChange={({ currentTarget }) => onChange(currentTarget.valueAsNumber)}
      />
    </>
  );
}

function Ticks({ ticks }: { ticks: readonly number[] }) {
  const format = useFormatter();
  return (
    <div className={styles['ticks']} aria-hidden>
      {ticks.toReversed().map((tick) => (
        <span key={tick}>{format.number(tick)}</span>
      ))}
    </div>
  );
}

interface DrawingProps {
  periods: readonly Period[];
  ticks: readonly number[];
  left: (index: number) => string;
}

/** Everything is relative to the size of the plot, which the script does not know. */
function Drawing({ periods, ticks, left }: DrawingProps) {
  const highest = ticks.at(-1) ?? 1;
  const top = (value: number) => `${100 - (value / highest) * 100}%`;
  const points = (line: (typeof LINES)[number]) =>
    periods.map((period, index) => `${parseFloat(left(index))},${parseFloat(top(period[line]))}`).join(' ');
  return (
    <svg className={styles['drawing']} aria-hidden>
      {ticks.map((tick) => (
        <line key={tick} className={styles['grid']} x1="0" x2="100%" y1={top(tick)} y2={top(tick)} />
      ))}
      {LINES.map((line) => (
        <g key={line} className={styles['line']} data-line={line}>
          <svg viewBox="0 0 100 100" preserveAspectRatio="none" width="100%" height="100%">
            <polyline points={points(line)} />
          </svg>
          {periods.map((period, index) => (
            <circle key={period.from} r="3.5" cx={left(index)} cy={top(period[line])} />
          ))}
        </g>
      ))}
    </svg>
  );
}

function Legend() {
  const t = useTranslations('dashboard');
  return (
    <div className={styles['legend']} aria-hidden>
      {LINES.map((line) => (
        <span key={line}>
          <svg className={styles['line']} data-line={line} width="32" height="10">
            <polyline points="0,5 32,5" />
            <circle r="3.5" cx="16" cy="5" />
          </svg>
          {t(line)}
        </span>
      ))}
    </div>
  );
}
