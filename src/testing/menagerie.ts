import { FEATURE_SETTINGS_IN_PROCESS } from '../features/names.ts';
import { pino, type Logger } from 'pino';
import { recordedRequest, type RecordedRequest } from '../api/records/playgrounds/recorded-request.ts';
import { createClient, type Client, type NumberClient, type OperationId } from '../client/client.ts';
import { stampOf } from '../domain/audit.ts';
import type { AccessMode } from '../domain/access.ts';
import type { BugId } from '../domain/playgrounds/bugs.ts';
import { Failure } from '../domain/failure.ts';
import { isPathPattern, PATH_PATTERN_RULE } from '../domain/playgrounds/path-pattern.ts';
import { readConfig, type Config } from '../server/configuration/config.ts';
import type { Contents, MemoryStores } from '../server/stores/memory-stores.ts';
import { fillWithSamples } from '../server/stores/sample-catalogue.ts';
import { readSynonymsFile } from '../server/search/synonyms-file.ts';
import { startServer } from '../server/process/server.ts';
import { RequestRecorder } from '../server/playgrounds/recording/request-recorder.ts';
import { requireKnown } from './known-options.ts';
import type { FaultRule, FaultRuleState, PlantedBug } from './records.ts';
import { TestDisturbances } from './test-disturbances.ts';
import { TestParts } from './test-parts.ts';
import { readTestUsers, type TestUser } from './test-users.ts';

export { curlCommand } from '../api/curl-command.ts';
export type { RecordedRequest } from '../api/records/playgrounds/recorded-request.ts';
export type { BugId } from '../domain/playgrounds/bugs.ts';
export type { FaultRule, FaultRuleState, PlantedBug } from './records.ts';
export type { TestUser } from './test-users.ts';

export interface MenagerieOptions {
  /** Start with the sample catalogue, twenty pets with photos and eleven users, instead of an empty one. */
  samples?: boolean;
  /** Access mode; `open` by default, which needs no credentials. */
  access?: AccessMode;
  /** A free port by default. */
  port?: number;
  /** Users to create, in addition to those of the samples. */
  users?: readonly TestUser[];
  /** `false` writes the log to standard error; `true` by default. */
  quiet?: boolean;
  /** The type of 64-bit integers in results of `client`: `bigint` by default, `number` where that is exact. */
  integers?: 'bigint';
}

export interface NumberMenagerieOptions extends Omit<MenagerieOptions, 'integers'> {
  integers: 'number';
}

export interface RequestsFilter {
  operation?: OperationId;
  method?: string;
  /** A status, or the first digit of several: 4 for 400 to 499. */
  status?: number;
  /** A path such as `/pet/1` or `/pet/*`; without a query, it matches all. */
  path?: string;
  /** A text in the body of the request or of the response. */
  bodyText?: string;
}

/** All data of a service at a time. */
export class MenagerieSnapshot {
  /** @internal */
  readonly contents: Contents;

  /** @internal */
  constructor(contents: Contents) {
    this.contents = contents;
  }
}

/** A service in this process, with all data in memory. */
export interface Menagerie<C extends Client | NumberClient = Client> extends AsyncDisposable {
  /** `http://127.0.0.1:43210` */
  origin: string;
  /** Base URL of the API: `http://127.0.0.1:43210/v2`. */
  base: string;
  /** A client of this service, without credentials until it logs in. */
  client: C;
  /**
   * Restores the initial state: IDs start again, sessions and API keys are deleted. Pending requests end on the old
   * data; event streams are closed.
   */
  reset: () => Promise<void>;
  /** Keeps all data, to restore it any number of times, also in another service of this process. */
  takeSnapshot: () => Promise<MenagerieSnapshot>;
  /** Like `reset`, to a snapshot. */
  restore: (snapshot: MenagerieSnapshot) => Promise<void>;
  /**
   * The last 1,000 requests of the API with their responses, oldest first, as clients saw them. Secrets are masked.
   *
   * @throws Failure `invalid-input` for a filter that does not exist
   */
  requests: (filter?: RequestsFilter) => readonly RecordedRequest[];
  /** Deletes the recorded requests. A reset keeps them. */
  clearRequests: () => void;
  /** The rules for faults, and how often each was met. A reset keeps the rules, and counts from 0 again. */
  faults: () => readonly FaultRuleState[];
  /**
   * Replaces all rules for faults: delays, refusals and broken responses. A request can ask for a fault itself with
   * the header `Menagerie-Fault`.
   *
   * @throws Failure `invalid-input`
   */
  setFaults: (rules: readonly FaultRule[]) => void;
  /** All planted bugs, and how often each was met. A reset keeps both. */
  bugs: (options?: { include?: 'description' }) => readonly PlantedBug[];
  /**
   * Switches these planted bugs on, and all others off: violations of the contract that a test suite should notice.
   *
   * @throws Failure `invalid-input`
   */
  setBugs: (on: readonly BugId[]) => void;
  /** Stops the service and deletes its data. */
  close: () => Promise<void>;
}

/** A test that leaves a request pending should not wait for it. */
const STOP_TIMEOUT_MS = 1000;

/** The actor in the audit log. */
const TESTER = { kind: 'operator', name: 'startMenagerie' } as const;

/** The recorder has one service. */
const RECORDED = 'menagerie';

const OPTIONS = [
  'samples',
  'access',
  'port',
  'users',
  'quiet',
  'integers',
] as const satisfies readonly (keyof MenagerieOptions)[];
const FILTERS = [
  'operation',
  'method',
  'status',
  'path',
  'bodyText',
] as const satisfies readonly (keyof RequestsFilter)[];

/**
 * Starts a service for a test or a suite, on the loopback address. Several in one process are independent.
 *
 * @throws Failure `invalid-input` for invalid options, `unavailable` if the port is in use
 */
export function startMenagerie(options: NumberMenagerieOptions): Promise<Menagerie<NumberClient>>;
export function startMenagerie(options?: MenagerieOptions): Promise<Menagerie>;
export async function startMenagerie(
  options: MenagerieOptions | NumberMenagerieOptions = {},
): Promise<Menagerie<Client | NumberClient>> {
  requireKnown(options, OPTIONS);
  const config = configOf(options);
  const log = await logOf(options);
  const synonyms = readSynonymsFile(config.synonymsFile);
  const parts = new TestParts({ config, synonyms, log });
  if (options.samples) await fillWithSamples({ clock: Date.now, ...parts.stores });
  await addUsers(parts.stores, options.users ?? []);
  const initial = parts.stores.contents();

  const recorder = new RequestRecorder();
  recorder.start(RECORDED);
  const disturbances = new TestDisturbances(options.access === 'secured');
  const server = await startServer({
    ...parts.forServer(),
    config,
    log,
    gate: {
      refusalOf: disturbances.refusalOf,
      pass: (exchange, handle) => {
        // First, so that it records the response as a fault or a planted bug has changed it.
        recorder.record(RECORDED, exchange);
        disturbances.pass(exchange, handle);
      },
    },
  }).catch(async (error: unknown) => {
    await parts.close();
    throw error;
  });
  server.markFilled();
  parts.start();
  const base = `${server.origin}/v2`;
  let closing: Promise<void> | undefined;
  const replace = (contents: Contents) => {
    parts.replace(contents);
    disturbances.restart();
    // Their positions no longer exist.
    server.endStreams();
  };
  const closeAll = () => (closing ??= server.stop().then(() => parts.close()));
  return {
    origin: server.origin,
    base,
    client: options.integers === 'number' ? createClient({ base, integers: 'number' }) : createClient({ base }),
    reset: async () => replace(initial),
    takeSnapshot: async () => new MenagerieSnapshot(parts.stores.contents()),
    restore: async ({ contents }) => replace(contents),
    requests: (wanted = {}) => {
      requireKnown(wanted, FILTERS);
      const { operation, method, status, path, bodyText } = wanted;
      if (path !== undefined && !isPathPattern(path)) throw new Failure('invalid-input', `path ${PATH_PATTERN_RULE}.`);
      const filter = { operation, method: method?.toUpperCase(), status, path, bodyText, afterId: undefined };
      return [...recorder.list(RECORDED, filter)].flat().map(recordedRequest);
    },
    clearRequests: () => recorder.clear(RECORDED),
    faults: disturbances.faults,
    setFaults: disturbances.setFaults,
    bugs: disturbances.bugs,
    setBugs: disturbances.setBugs,
    close: closeAll,
    [Symbol.asyncDispose]: closeAll,
  };
}

/** Ignores the environment and the data folder, which belong to the test suite. */
function configOf({ access = 'open', port = 0 }: Pick<MenagerieOptions, 'access' | 'port'>): Config {
  const ofFeatures = Object.entries(FEATURE_SETTINGS_IN_PROCESS).map(([name, value]) => `--${name}=${value}`);
  const result = readConfig(['--config=', '--access', access, '--port', String(port), ...ofFeatures], {});
  if ('config' in result) return { ...result.config, stopTimeoutMs: STOP_TIMEOUT_MS };
  throw new Failure('invalid-input', `Invalid options: ${result.problems.join(' ')}`);
}

/** Loads the pretty printer, which takes time, only if it is needed. */
async function logOf({ quiet = true }: Pick<MenagerieOptions, 'quiet'>): Promise<Logger> {
  if (quiet) return pino({ level: 'silent' });
  const { createLog } = await import('../server/log/log.ts');
  return createLog('debug', 'pretty');
}

async function addUsers({ users }: MemoryStores, wanted: readonly TestUser[]): Promise<void> {
  if (wanted.length === 0) return;
  const accounts = await readTestUsers(wanted);
  await users.apply({ kind: 'create', accounts, isList: true, stamp: stampOf(TESTER, Date.now()) });
}
