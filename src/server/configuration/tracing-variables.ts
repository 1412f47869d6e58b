import type { TracingSettings } from '../../services/tracing/otlp-tracing.ts';
import { explainFileError, readText } from './config-file.ts';
import type { Environment } from './setting-sources.ts';

const PREFIX = 'OTEL_EXPORTER_OTLP_';
const FILES = ['CERTIFICATE', 'CLIENT_KEY', 'CLIENT_CERTIFICATE'].flatMap((name) => [
  `${PREFIX}TRACES_${name}`,
  `${PREFIX}${name}`,
]);

/**
 * The variables of OpenTelemetry (https://opentelemetry.io/docs/specs/otel/protocol/exporter/). An empty one counts as
 * unset.
 */
export function readTracing(environment: Environment, problems: string[]): TracingSettings | undefined {
  const [name, endpoint] =
    [`${PREFIX}TRACES_ENDPOINT`, `${PREFIX}ENDPOINT`]
      .map((variable) => [variable, environment[variable]?.trim() ?? ''] as const)
      .find(([, value]) => value !== '') ?? [];
  if (endpoint === undefined) return undefined;
  if (!/^https?:/i.test(endpoint) || !URL.canParse(endpoint))
    problems.push(`${name} must be a URL such as http://localhost:4318.`);
  const ratio = Number(environment['OTEL_TRACES_SAMPLER_ARG'] || '1');
  if (!(ratio >= 0 && ratio <= 1)) problems.push('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1.');
  for (const variable of FILES) requireFile(variable, environment[variable] ?? '', problems);
  return { ratio };
}

/** The exporter would only report it when it sends traces. */
function requireFile(variable: string, path: string, problems: string[]): void {
  if (path === '') return;
  try {
    readText(path);
  } catch (error) {
    problems.push(`The file of ${variable} cannot be read: ${explainFileError(error)}.`);
  }
}
