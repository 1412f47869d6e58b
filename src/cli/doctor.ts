import { SingleBar } from 'cli-progress';
import { CHECKS, type Severity } from '../domain/health/checks.ts';
import type { DatabaseServer } from '../domain/health/database-servers.ts';
import type { Finding } from '../domain/health/finding.ts';
import { isHealthy, type HealthProgress, type HealthReport } from '../domain/health/report.ts';
import { Doctor } from '../server/health/doctor.ts';
import { explainFailure } from '../server/log/explain-failure.ts';
import { INSTALLATION_FLAGS, readInstallationConfig } from './terminal/command.ts';
import { FAILED, plainText, print, printFailure, UsageError } from './terminal/output.ts';
import { readCommandLine } from './terminal/usage.ts';

const USAGE_LINE = 'Usage: menagerie doctor [--repair] [--quick] [--json] [--data-dir FOLDER] [--config FILE]';

const DOCTOR_HELP = `Check the database, the photos and the data folder for damage. Works on the database itself, whether or not the service is running.

${USAGE_LINE}

Flags:
  --repair            rebuild what is derived, and move damaged and unknown photos aside; nothing is deleted
  --quick             do not read every photo
  --json              print one JSON object; a check that is not possible has only healthy and message
  --data-dir FOLDER   data folder (default ./data; or MENAGERIE_DATA_DIR). With MENAGERIE_DATABASE_URL and MENAGERIE_PHOTOS_URL, the
                      database and the photos are there.
  --config FILE       config file of the service (default: menagerie.toml in the data folder; or MENAGERIE_CONFIG)

Exit codes: 0 without errors (warnings may remain), 1 with errors, 2 for invalid usage.

Examples:
  menagerie doctor --data-dir /srv/pets
  menagerie doctor --quick --json
`;

const LABELS: Readonly<Record<Severity, string>> = { ok: 'ok', warning: 'WARNING', error: 'ERROR' };

const LABEL_WIDTH = 9;

/** Maximum number of records that are listed for a finding; --json has more. */
const MAX_LISTED = 10;

export async function doctor(args: readonly string[]): Promise<void> {
  if (args.includes('--help')) return print(DOCTOR_HELP);
  const view = new ProgressView();
  try {
    const { isRepair, isQuick, isJson, config } = readCall(args);
    const onProgress = (progress: HealthProgress) => view.show(progress);
    const report = await new Doctor(config, { isRepair, isQuick, onProgress }).run();
    view.end();
    print(isJson ? `${JSON.stringify(toJson(report))}\n` : textOf(report));
    if (!isHealthy(report)) process.exitCode = FAILED;
  } catch (error) {
    view.end();
    printFailure(error);
    const hasJson = args.includes('--json') && !(error instanceof UsageError);
    if (hasJson) print(`${JSON.stringify({ healthy: false, message: explainFailure(error) })}\n`);
  }
}

const OPTIONS = {
  repair: { type: 'boolean' },
  quick: { type: 'boolean' },
  json: { type: 'boolean' },
  ...INSTALLATION_FLAGS,
} as const;

function readCall(args: readonly string[]) {
  const { values } = readCommandLine(args, OPTIONS, USAGE_LINE);
  return {
    isRepair: values.repair === true,
    isQuick: values.quick === true,
    isJson: values.json === true,
    config: readInstallationConfig(values),
  };
}

/** Shows a progress bar for each long check on a terminal, and nothing elsewhere. */
class ProgressView {
  #bar: SingleBar | undefined;
  #shown = '';

  show({ check, done, total }: HealthProgress): void {
    if (!process.stderr.isTTY) return;
    if (check !== this.#shown) this.end();
    this.#shown = check;
    if (total === 0) return;
    if (this.#bar === undefined) {
      const format = `${CHECKS[check].padEnd(48)} {bar} {value}/{total}`;
      this.#bar = new SingleBar({ format, stream: process.stderr, gracefulExit: false, clearOnComplete: true });
      this.#bar.start(total, done);
    }
    this.#bar.setTotal(total);
    this.#bar.update(done);
  }

  end(): void {
    this.#bar?.stop();
    this.#bar = undefined;
  }
}

function toJson(report: HealthReport) {
  const { startedAtMs, endedAtMs, isQuick, findings, servers, repaired, aside } = report;
  return {
    healthy: isHealthy(report),
    quick: isQuick,
    startedAt: new Date(startedAtMs).toISOString(),
    endedAt: new Date(endedAtMs).toISOString(),
    findings,
    servers: servers.map((server) => ({ ...server, role: server.role ?? null })),
    repaired,
    aside,
  };
}

function textOf({ findings, servers, repaired, aside }: HealthReport): string {
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const warnings = findings.filter(({ severity }) => severity === 'warning').length;
  return [
    ...findings.map(textOfFinding),
    '\n',
    ...servers.map(textOfServer),
    ...(servers.length > 0 ? ['\n'] : []),
    ...repaired.map(({ problem, count }) => `Repaired: ${problem} (${count}).\n`),
    ...(aside === null ? [] : [`Photos were moved to ${plainText(aside)}.\n`]),
    errors + warnings === 0 ? 'No problems found.\n' : `Errors: ${errors}. Warnings: ${warnings}.\n`,
  ].join('');
}

function textOfServer({ name, isReachable, role, timeline, lag }: DatabaseServer): string {
  const facts = [
    ...(isReachable ? [role ?? 'role unknown'] : ['does not respond']),
    ...(timeline === undefined ? [] : [`timeline ${timeline}`]),
    ...(lag === undefined ? [] : [`${lag.seconds.toFixed(1)} s and ${lag.bytes} bytes behind`]),
  ];
  return `${plainText(name)}: ${facts.join(', ')}\n`;
}

function textOfFinding({ check, severity, message, advice, subjects, count }: Finding): string {
  const indent = ' '.repeat(LABEL_WIDTH);
  const label = LABELS[severity].padEnd(LABEL_WIDTH);
  if (severity === 'ok') return `${label}${CHECKS[check]}\n`;
  const listed = subjects.slice(0, MAX_LISTED).map((subject) => `${indent}  ${plainText(subject)}\n`);
  const more = count - listed.length;
  const rest = listed.length > 0 && more > 0 ? `${indent}  and ${more} more\n` : '';
  return `${label}${plainText(message)}\n${listed.join('')}${rest}${indent}${advice}\n`;
}
