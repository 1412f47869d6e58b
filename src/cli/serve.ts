import closeWithGrace from 'close-with-grace';
import { explainOwnVariables, isLoopback, readOwnConfig, type Config } from '../server/config.ts';
import { explainFailure } from '../server/explain-failure.ts';
import { createLog, type Logger } from '../server/log.ts';
import { placeOf, startService, type Service } from '../server/service.ts';
import { settingsHelp } from '../server/settings.ts';
import { VERSION } from '../server/version.ts';
import { FAILED, print, USAGE } from './output.ts';

const HELP = `Starts the service.

Usage: menagerie serve [FLAGS]

Each flag is an environment variable too: --data-dir is MENAGERIE_DATA_DIR. The flag wins.

${settingsHelp()}
`;

/** After the open requests had their time, the writes and the files have this long to end. */
const LAST_STEPS_MS = 4000;

/** After these, a process cannot go on, not even to stop: a listener would be called for ever. They are left to end it. */
const FATAL_SIGNALS = ['SIGILL', 'SIGTRAP', 'SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGSEGV'] as const;

/** `menagerie serve`: runs until it is told to stop. */
export async function serve(args: readonly string[]): Promise<void> {
  if (args.includes('--help')) return print(HELP);
  const result = readOwnConfig(args);
  const notes = explainOwnVariables();
  if ('problems' in result) {
    const lines = [...result.problems, ...notes].map((problem) => `- ${problem}\n`);
    process.stderr.write(`Menagerie cannot start:\n${lines.join('')}`);
    process.exitCode = USAGE;
    return;
  }
  const { config } = result;
  const log = createLog(config.logLevel, config.logFormat);
  for (const note of notes) log.warn(note);
  const service = await start(config, log);
  if (service === undefined) return;
  stopWhenTold(service, config, log);
  process.stdout.write(
    `Menagerie ${VERSION} (${config.http.access} access) is at ${service.origin}/v2, its data in ${placeOf(config)}\n`,
  );
  warnOfAccess(config, log);
  tellOfPictures(config, log);
  if (service.samples !== undefined)
    log.info(service.samples, 'new database, filled with the sample catalogue; --empty leaves it out');
}

async function start(config: Config, log: Logger): Promise<Service | undefined> {
  try {
    return await startService(config, log);
  } catch (error) {
    process.stderr.write(`Menagerie cannot start: ${explainFailure(error)}\n`);
    process.exitCode = FAILED;
    return undefined;
  }
}

/** Several nodes may be on one database; pictures in a folder of one are not there for the others. */
function tellOfPictures({ database, bucket, dataDir }: Config, log: Logger): void {
  if (database === undefined || bucket !== undefined) return;
  log.info(
    { dataDir },
    'pictures are kept in the data folder: several nodes have to share it, or use a bucket (--photos-url)',
  );
}

/** What a person should know of how the service can be reached. */
function warnOfAccess({ http, host }: Config, log: Logger): void {
  if (http.access === 'sandbox') {
    process.stdout.write('This is a sandbox: anybody who reaches it may change and remove everything in it.\n');
  }
  if (http.access !== 'secured' || (http.publicUrl?.startsWith('https:') ?? false)) return;
  // On a loopback address, only these settings show that a proxy passes on requests of others.
  const isReached = !isLoopback(host) || http.trustedProxies > 0 || http.publicUrl !== undefined;
  if (isReached) {
    log.warn(
      'passwords and sessions are sent unencrypted, and browsers do not say which site a request comes from: put a server that speaks https in front, and name it with --public-url https://...',
    );
  } else {
    log.info(
      'listening on a loopback address without --public-url: behind a server that speaks https, set --public-url https://...',
    );
  }
}

function stopWhenTold(service: Service, config: Config, log: Logger): void {
  const delay = config.stopTimeoutMs + LAST_STEPS_MS;
  closeWithGrace({ delay, logger: false, skip: [...FATAL_SIGNALS] }, async ({ err, signal }) => {
    if (err !== undefined) log.fatal({ err }, 'stopping after an error that nobody expected');
    else log.info({ signal }, 'stopping');
    await service.stop();
    log.info('stopped');
  });
}
