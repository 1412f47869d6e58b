import type { RegistryContentType } from '@prometheus-io/client';
import type { MetricsText } from '../../http/metrics-page.ts';
import type { Family } from './families.ts';

/** Loaded by the first scrape, because it takes 50 ms, and many installations are not monitored. */
const loadLibrary = () => import('@prometheus-io/client');

let defaults: Promise<{ getMetricsAsJSON: () => Promise<readonly Family[]> }> | undefined;

/** CPU time, memory, file descriptors, event loop delay and garbage collection of this process. */
export async function processFamilies(): Promise<readonly Family[]> {
  defaults ??= loadLibrary().then(({ Registry, collectDefaultMetrics }) => {
    const register = new Registry();
    collectDefaultMetrics({ register });
    return register as unknown as { getMetricsAsJSON: () => Promise<readonly Family[]> };
  });
  const families = await (await defaults).getMetricsAsJSON();
  return families.map(startTimeOfNode);
}

/** The library omits the start time of workers. That of the primary process shows when the node was restarted. */
function startTimeOfNode(family: Family): Family {
  return family.name === 'process_start_time_seconds' ? { ...family, aggregator: 'min' } : family;
}

/**
 * Aggregates the metrics of the processes of a node.
 *
 * @param accept the Accept header: clients that know OpenMetrics name it, as Prometheus does
 */
export async function expose(families: readonly (readonly Family[])[], accept = ''): Promise<MetricsText> {
  const { Registry } = await loadLibrary();
  const mediaType = /\bapplication\/openmetrics-text\b/i.test(accept)
    ? Registry.OPENMETRICS_CONTENT_TYPE
    : Registry.PROMETHEUS_CONTENT_TYPE;
  const registry = new Registry<RegistryContentType>(mediaType);
  for (const family of Registry.aggregate(families as Family[][]).getMetricsAsArray()) {
    // In OpenMetrics, the library removes the suffix `_total` from the name of this object, and reads the name again from the result of `get`.
    const renamed = { ...family, get: () => renamed };
    registry.registerMetric(renamed as never);
  }
  return { mediaType, text: await registry.metrics() };
}

/** The counters of processes that have ended. Without them, the sums of the node would decrease, which Prometheus takes for a restart from zero. */
export async function sumCounters(families: readonly (readonly Family[])[]): Promise<readonly Family[]> {
  const { Registry } = await loadLibrary();
  const counters = families.map((each) => each.filter(({ type }) => type === 'counter' || type === 'histogram'));
  return Registry.aggregate(counters).getMetricsAsArray() as unknown as readonly Family[];
}
