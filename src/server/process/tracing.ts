import type { Tracing } from '../../domain/tracing.ts';
import type { Config } from '../configuration/config.ts';
import type { Logger } from '../log/log.ts';
import { VERSION } from '../system/version.ts';

/** Loads the OpenTelemetry SDK, if it is configured: otherwise, it would take 200 ms of a start. */
export async function startTracing({ tracing }: Config, log: Logger): Promise<Tracing | undefined> {
  if (tracing === undefined) return undefined;
  const { OtlpTracing } = await import('../../services/tracing/otlp-tracing.ts');
  const onTrouble = (reason: string) => log.warn({ reason }, 'sending traces failed');
  return new OtlpTracing({ ...tracing, version: VERSION, onTrouble });
}
