import type { MetricType } from '@prometheus-io/client';
import type { Distribution } from '../../domain/activity.ts';

type Labels = Readonly<Record<string, string | number>>;

interface Sample {
  labels: Labels;
  value: number;
  /** Differs from that of the family for the series of a histogram. */
  metricName?: string;
}

/** A metric with its series, as the library reads it. */
export interface Family {
  name: string;
  help: string;
  type: MetricType;
  values: readonly Sample[];
}

type Values = number | readonly (readonly [Labels, number])[];

export function counter(name: string, help: string, values: Values): Family {
  return { name, help, type: 'counter', values: samplesOf(values) };
}

export function gauge(name: string, help: string, values: Values): Family {
  return { name, help, type: 'gauge', values: samplesOf(values) };
}

export function histogram(name: string, help: string, values: readonly (readonly [Labels, Distribution])[]): Family {
  return { name, help, type: 'histogram', values: values.flatMap((value) => histogramSamples(name, value)) };
}

function samplesOf(values: Values): readonly Sample[] {
  if (typeof values === 'number') return [{ labels: {}, value: values }];
  return values.map(([labels, value]) => ({ labels, value }));
}

function histogramSamples(name: string, [labels, { bounds, counts, sum }]: readonly [Labels, Distribution]): Sample[] {
  let total = 0;
  const buckets = [...counts].map((count, index) => {
    total += count;
    return { metricName: `${name}_bucket`, labels: { ...labels, le: bounds[index] ?? '+Inf' }, value: total };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: total },
  ];
}
