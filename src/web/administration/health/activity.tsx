import { useQuery } from '@tanstack/react-query';
import { useFormatter, useTranslations } from 'use-intl';
import { FormError } from '../../account/entry/form-error.tsx';
import { Section } from '../../account/section.tsx';
import { LinePlot, type Line } from '../../dashboard/line-plot.tsx';
import { Plot } from '../../dashboard/plot.tsx';
import { useByteSize } from '../../design/byte-size.ts';
import { useDateTimeFormats } from '../../design/date-time.tsx';
import { activityQuery, type ActivityView } from '../admin-queries.ts';
import styles from './activity.module.css';
import { NodeField, useNodes } from './nodes.tsx';

type Series = Exclude<keyof ActivityView, 'node' | 'since'>;

/** The charts of the health page, each with the series of its lines. */
const CHARTS = {
  requests: ['requests', 'errors'],
  p99: ['p99Ms'],
  memory: ['memoryBytes'],
  queues: ['waitingChanges', 'waitingPhotos', 'waitingPasswords', 'waitingSearches'],
} as const satisfies Readonly<Record<string, readonly Series[]>>;

type Chart = keyof typeof CHARTS;

const MINUTE_MS = 60_000;

/** A line needs two points. */
const MIN_MINUTES = 2;

export function Activity() {
  const t = useTranslations('administration.health.activity');
  const { exactDateTime } = useDateTimeFormats();
  const { data, error } = useQuery(activityQuery);
  const nodes = useNodes(data);
  const activity = nodes.shown;
  if (activity === undefined) return <FormError error={error} />;
  const since = exactDateTime(activity.since);
  const minutes = activity.requests.length;
  return (
    <Section title={t('title')} lead={t('lead', { node: activity.node, since })} actions={<NodeField {...nodes} />}>
      <FormError error={error} />
      {minutes < MIN_MINUTES ? (
        <p className="soft">{t('empty', { since })}</p>
      ) : (
        <div className={styles['charts']}>
          {(Object.keys(CHARTS) as Chart[]).map((chart) => (
            <MinutePlot key={chart} chart={chart} activity={activity} />
          ))}
        </div>
      )}
    </Section>
  );
}

function MinutePlot({ chart, activity }: { chart: Chart; activity: ActivityView }) {
  const t = useTranslations('administration.health.activity');
  const format = useFormatter();
  const textOf = useTextOf(chart);
  const title = t(`charts.${chart}`);
  const lines: readonly Line[] = CHARTS[chart].map((series) => ({
    name: t(`series.${series}`),
    values: activity[series],
  }));
  const startMs = Date.parse(activity.since);
  const times = activity.requests.map((_, index) => new Date(startMs + index * MINUTE_MS));
  const names = times.map((time) => format.dateTime(time, { timeStyle: 'short' }));
  const highest = Math.max(0, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const at = names[Math.max(0, ...lines.map(({ values }) => values.indexOf(highest)))] ?? '';
  return (
    <Plot
      title={title}
      summary={t(highest === 0 ? 'nothing' : 'highest', { value: textOf(highest), at })}
      table={{
        head: [t('minute'), ...lines.map(({ name }) => name)],
        rows: times.map((time, index) => [
          format.dateTime(time, { dateStyle: 'short', timeStyle: 'short' }),
          ...lines.map(({ values }) => values[index] ?? ''),
        ]),
      }}
      fileName={`menagerie-${chart}`}
    >
      <LinePlot title={title} names={names} lines={lines} textOf={textOf} />
    </Plot>
  );
}

function useTextOf(chart: Chart): (value: number) => string {
  const format = useFormatter();
  const byteSize = useByteSize();
  if (chart === 'memory') return byteSize;
  if (chart === 'p99')
    return (value) => format.number(value, { style: 'unit', unit: 'millisecond', maximumFractionDigits: 1 });
  return (value) => format.number(value);
}
