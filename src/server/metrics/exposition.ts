import type { RegistryContentType } from '@prometheus-io/client';
import type { MetricsText } from '../../http/service/service-routes.ts';
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
  const hasMeasuredDelay = families.some(
    ({ name, values }) => name === MEAN_DELAY && Number.isFinite(values[0]?.value),
  );
  return families.filter(({ name }) => hasMeasuredDelay || !DELAY.test(name)).map(cpuSinceStart);
}

/** Since the last scrape. Without a measurement, they would be NaN and 292 years. */
const DELAY = /^nodejs_eventloop_lag_\w+_seconds$/;
const MEAN_DELAY = 'nodejs_eventloop_lag_mean_seconds';

/** The library counts from the first scrape. */
function cpuSinceStart(family: Family): Family {
  const kind = /^process_cpu_(?:(user|system)_)?seconds_total$/.exec(family.name);
  if (kind === null) return family;
  const { user, system } = process.cpuUsage();
  const micros = kind[1] === 'user' ? user : kind[1] === 'system' ? system : user + system;
  return { ...family, values: [{ labels: {}, value: micros / 1e6 }] };
}

/**
 * Returns the text of the metrics.
 *
 * @param accept the Accept header: clients that know OpenMetrics name it, as Prometheus does
 */
export async function expose(families: readonly Family[], accept = ''): Promise<MetricsText> {
  const { Registry } = await loadLibrary();
  const mediaType = /\bapplication\/openmetrics-text\b/i.test(accept)
    ? Registry.OPENMETRICS_CONTENT_TYPE
    : Registry.PROMETHEUS_CONTENT_TYPE;
  const registry = new Registry<RegistryContentType>(mediaType);
  for (const family of families) {
    // In OpenMetrics, the library removes the suffix `_total` from the name of this object, and reads the name again
    // from the result of `get`.
    const renamed = { ...family, get: () => renamed };
    registry.registerMetric(renamed as never);
  }
  return { mediaType, text: await registry.metrics() };
}
