import closeWithGrace from 'close-with-grace';
import type { AccessMode } from '../domain/access.ts';
import { Failure } from '../domain/failure.ts';
import {
  explainOwnEnvironment,
  isLoopback,
  ownServiceVariables,
  readOwnConfig,
  type Config,
} from '../server/configuration/config.ts';
import { explainFailure, operatorCommand } from '../server/log/explain-failure.ts';
import { createLog, type Logger } from '../server/log/log.ts';
import { NoAdministrator, placeOf, startService, type Service } from '../server/service.ts';
import { FirstStart, type FirstStartEnd } from '../server/setup/first-start.ts';
import { settingsHelp } from '../server/configuration/settings-help.ts';
import { VERSION } from '../server/system/version.ts';
import { FAILED, USAGE, print, printError, printProblems } from './terminal/output.ts';

const HELP = `Start the service.

Usage: menagerie serve [FLAGS]

Each flag is also an environment variable (--data-dir is MENAGERIE_DATA_DIR) and a key of the config file (data-dir).
The flag wins, then the variable. "menagerie config" prints the values in effect.

Flags:
${settingsHelp()}

Examples:
  menagerie serve --port 9000 --data-dir /srv/pets
  menagerie serve --access secured --trusted-proxies 1 --public-url https://pets.example.org
  menagerie serve --ephemeral
`;

const ACCESS_SUMMARIES: Readonly<Record<AccessMode, string>> = {
  open: 'open (no credentials, this machine only)',
  secured: 'secured (permissions by role)',
  sandbox: 'sandbox (no credentials: anyone who can reach the service can change and delete everything)',
};

/** Time for pending writes after the timeout of requests. */
const LAST_STEPS_MS = 4000;

const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const;

/** A process cannot continue after these, so they are left to end it: a listener would be called again and again. */
const FATAL_SIGNALS = ['SIGILL', 'SIGTRAP', 'SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGSEGV'] as const;

/**
 * A terminal sends a signal to npm and to this process, and npm passes its own on. Later signals end the process at
 * once.
 */
const SAME_REQUEST_MS = 2000;

export async function serve(args: readonly string[]): Promise<void> {
  if (args.includes('--help')) return print(HELP);
  const result = readOwnConfig(args);
  const notes = explainOwnEnvironment();
  if ('problems' in result) {
    printProblems('Menagerie cannot start:', [...result.problems, ...notes]);
    return;
  }
  const { config } = result;
  const log = await createLog(config.logLevel, config.logFormat);
  for (const note of notes) log.warn(note);
  logServiceVariables(log);
  const started = await start(args, config, log);
  if (started === undefined) return;
  const { service } = started;
  void serveUntilStopped(args, started, log);
  print(startSummary(service.origin, started.config));
  logAccessRisks(started.config, log);
  logPhotoFolder(started.config, log);
  if (service.samples !== undefined)
    log.info(service.samples, 'added the sample catalogue to the new database; --empty skips it');
}

/** Starts the service again when other data has been restored. */
async function serveUntilStopped(args: readonly string[], started: Started, log: Logger): Promise<void> {
  for (let current: Started | undefined = started; current !== undefined;) {
    const { service, config }: Started = current;
    const { uninstall } = stopOnSignal(service, config, log);
    await service.restartRequested;
    uninstall();
    await service.stop();
    log.info('starting again on other data');
    // The same port, if any free one was chosen.
    const port = config.port === 0 ? Number(new URL(service.origin).port) : config.port;
    current = await start(args, { ...config, port }, log);
  }
}

/** The first lines of standard output. In one write, so that programs get them together. */
function startSummary(origin: string, config: Config): string {
  const lines = {
    'Web application': `${config.http.publicUrl ?? origin}/`,
    ...(config.http.access === 'secured' && passkeyLine(`${origin}/`, config)),
    API: `${origin}/v2`,
    Documentation: `${origin}/docs`,
    Data: placeOf(config),
    Access: ACCESS_SUMMARIES[config.http.access],
    Version: VERSION,
  };
  return textOf(lines);
}

/** The same page where browsers have passkeys: not at an IP address. With a public URL, they have them there only. */
function passkeyLine(url: string, { http }: Config): Readonly<Record<string, string>> {
  const isIpv4Loopback = url.startsWith('http://127.0.0.1:');
  if (!isIpv4Loopback || http.publicUrl !== undefined) return {};
  return { 'For passkeys': url.replace('127.0.0.1', 'localhost') };
}

function textOf(lines: Readonly<Record<string, string>>): string {
  return Object.entries(lines)
    .map(([label, value]) => `${label.padEnd(17)}${value}\n`)
    .join('');
}

interface Started {
  service: Service;
  config: Config;
}

async function start(args: readonly string[], config: Config, log: Logger): Promise<Started | undefined> {
  try {
    return await startOrSetUp(args, config, log);
  } catch (error) {
    printError(`Menagerie cannot start: ${explainFailure(error)}`);
    // The file of a setting is invalid, such as that of --synonyms.
    process.exitCode = error instanceof Failure && error.code === 'invalid-input' ? USAGE : FAILED;
    return undefined;
  }
}

/** Starts the service. Without an administrator, it serves the setup page first. */
async function startOrSetUp(args: readonly string[], config: Config, log: Logger): Promise<Started> {
  try {
    return { service: await startService(config, log), config };
  } catch (error) {
    if (!(error instanceof NoAdministrator)) throw error;
  }
  const first = await FirstStart.begin(config, log);
  const { uninstall } = stopOnSignal(first, config, log);
  print(setupSummary(first.url, config));
  const end = await first.finished;
  uninstall();
  const next = configAfter(end, args, config);
  return { service: await startService(next, log), config: next };
}

/** The setup page may have changed the config file. */
function configAfter({ settings, port }: FirstStartEnd, args: readonly string[], before: Config): Config {
  const result = readOwnConfig(args);
  if ('problems' in result) throw new Failure('invalid-input', result.problems.join(' '));
  const { samples = false } = settings ?? {};
  return { ...result.config, hasChosenSamples: samples, port: before.port === 0 ? port : result.config.port };
}

function setupSummary(url: string, config: Config): string {
  const lines = {
    Setup: url,
    ...passkeyLine(url, config),
    '': 'Open this URL on this machine to create the first administrator. It is secret, and works once.',
    'Or run': operatorCommand('user create USERNAME --role admin', config),
    Data: placeOf(config),
    Version: VERSION,
  };
  return textOf(lines);
}

/** Other nodes on the same database need the photos as well. */
function logPhotoFolder({ database, bucket, dataDir }: Config, log: Logger): void {
  if (database === undefined || bucket !== undefined) return;
  log.info(
    { dataDir },
    'photos are stored in the data folder; several nodes must share it, or use a bucket (--photos-url)',
  );
}

function logServiceVariables(log: Logger): void {
  const variables = ownServiceVariables();
  if (variables.length > 0) log.info({ variables }, 'ignored the variables of a Kubernetes Service');
}

function logAccessRisks({ http, host }: Config, log: Logger): void {
  if (http.access !== 'secured' || (http.publicUrl?.startsWith('https:') ?? false)) return;
  // On a loopback address, only these settings reveal a proxy that forwards requests of other machines.
  const isReached = !isLoopback(host) || http.trustedProxies > 0 || http.publicUrl !== undefined;
  if (isReached) {
    log.warn(
      'passwords and sessions are sent unencrypted, and browsers do not send Sec-Fetch-Site; put an https ' +
        'reverse proxy in front and set --public-url https://...',
    );
  } else {
    log.info('listening on a loopback address; behind an https reverse proxy, set --public-url https://...');
  }
}

function stopOnSignal(service: Pick<Service, 'stop'>, config: Config, log: Logger): { uninstall: () => void } {
  const delay = config.drainMs + config.stopTimeoutMs + LAST_STEPS_MS;
  const skip = [...STOP_SIGNALS, ...FATAL_SIGNALS];
  const { close, uninstall } = closeWithGrace({ delay, logger: false, skip }, async ({ err }) => {
    if (err !== undefined) log.fatal({ err }, 'shutting down after an unexpected error');
    await service.stop(err === undefined ? config.drainMs : 0);
    log.info('stopped');
  });
  let requestedAtMs: number | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    if (requestedAtMs !== undefined) {
      if (performance.now() - requestedAtMs > SAME_REQUEST_MS) process.exit(1);
      return;
    }
    requestedAtMs = performance.now();
    log.info({ signal }, 'shutting down');
    close();
  };
  for (const signal of STOP_SIGNALS) process.on(signal, onSignal);
  return {
    uninstall() {
      uninstall();
      for (const signal of STOP_SIGNALS) process.off(signal, onSignal);
    },
  };
}
