import { CartesianGrid, Legend, Line, LineChart, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import { useFormatter, useTranslations } from 'use-intl';
import styles from './days-plot.module.css';
import type { Period } from './periods.ts';

interface DaysPlotProps {
  periods: readonly Period[];
  /** The label of a period on the axis. */
  nameOf: (period: Period) => string;
}

const AXIS = { stroke: 'var(--line-strong)', tick: { fill: 'var(--ink-soft)', fontSize: 13 } } as const;

/** Lines also differ in dash and marker, for readers who cannot distinguish the colours. */
const LINES = [
  { key: 'added', stroke: 'var(--available)', dash: '', mark: { r: 3.5, fill: 'var(--available)' } },
  { key: 'adopted', stroke: 'var(--sold)', dash: '7 4', mark: { r: 3.5, fill: 'var(--surface)' } },
] as const;

/** Additions and adoptions over time. It is loaded on demand, because it imports the chart library. */
export function DaysPlot({ periods, nameOf }: DaysPlotProps) {
  const t = useTranslations('dashboard');
  const format = useFormatter();
  const points = periods.map((period) => ({ ...period, name: nameOf(period) }));
  return (
    <div className={styles['plot']}>
      <ResponsiveContainer width="100%" height="100%">
        <LineChart data={points} margin={{ top: 8, right: 12, bottom: 4, left: 0 }} accessibilityLayer>
          <CartesianGrid stroke="var(--line)" vertical={false} />
          <XAxis dataKey="name" {...AXIS} tickLine={false} tickMargin={8} minTickGap={28} />
          <YAxis
            {...AXIS}
            axisLine={false}
            tickLine={false}
            allowDecimals={false}
            tickFormatter={(count: number) => format.number(count)}
            width="auto"
          />
          <Tooltip
            isAnimationActive={false}
            contentStyle={{
              background: 'var(--surface-raised)',
              border: '1px solid var(--line)',
              borderRadius: 'var(--radius-small)',
              color: 'var(--ink)',
            }}
          />
          <Legend formatter={inInk} />
          {LINES.map(({ key, stroke, dash, mark }) => (
            <Line
              key={key}
              dataKey={key}
              name={t(key)}
              stroke={stroke}
              strokeWidth={2.5}
              strokeDasharray={dash}
              dot={{ ...mark, stroke, strokeWidth: 2, strokeDasharray: '' }}
              isAnimationActive={false}
            />
          ))}
        </LineChart>
      </ResponsiveContainer>
    </div>
  );
}

/** The library would use the colour of the line, which is too light for text. */
function inInk(name: string) {
  return <span className={styles['legend']}>{name}</span>;
}
