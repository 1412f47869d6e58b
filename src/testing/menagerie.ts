import { pino, type Logger } from 'pino';
import { createClient, type Client } from '../client/client.ts';
import { stampOf } from '../domain/audit.ts';
import type { AccessMode } from '../domain/access.ts';
import { Failure } from '../domain/failure.ts';
import type { ChangeFeedStore } from '../domain/events/ports.ts';
import { compose, type Composition } from '../server/composition.ts';
import { readConfig, type Config } from '../server/config.ts';
import { openStoresInMemory, type Contents, type MemoryStores } from '../server/ephemeral/memory-stores.ts';
import { Replaceable } from '../server/ephemeral/replaceable.ts';
import { fillWithSamples } from '../server/sample-catalogue.ts';
import { startServer } from '../server/server.ts';
import { readTestUsers, type TestUser } from './test-users.ts';

export type { TestUser } from './test-users.ts';

export interface MenagerieOptions {
  /** Begin with the sample catalogue: twenty pets with their pictures, eleven accounts. Without it, with nothing. */
  samples?: boolean;
  /** Who may do what; `open` by default: no credentials are asked for. */
  access?: AccessMode;
  /** Any free one by default. */
  port?: number;
  /** Accounts to begin with, beside those of the samples. */
  users?: readonly TestUser[];
  /** False writes the log to standard error. */
  quiet?: boolean;
}

/** A service inside a process, with everything in memory. */
export interface Menagerie extends AsyncDisposable {
  /** `http://127.0.0.1:43210` */
  origin: string;
  /** Where the interface begins: `http://127.0.0.1:43210/v2`. */
  base: string;
  /** Of this service, with no credentials until it logs in. */
  client: Client;
  /**
   * Everything is as it was at the start: ids begin anew, sessions and keys are gone. What is under way ends on what was there before; streams of
   * events end.
   */
  reset: () => Promise<void>;
  /** Ends the service; nothing of it is left. */
  close: () => Promise<void>;
}

/** Whose doing the accounts are, in the audit trail. */
const TESTER = { kind: 'operator', name: 'startMenagerie' } as const;

interface Parts {
  stores: MemoryStores;
  /** Ends what follows its changes: where they stand, nothing is any more. */
  putBack: () => void;
  composition: Composition;
}

/**
 * Starts a service of its own for a test or a suite, on a free port of this machine. Several in one process know nothing of each other.
 *
 * @throws Failure for options that make no sense, and for a port that is taken
 */
export async function startMenagerie(options: MenagerieOptions = {}): Promise<Menagerie> {
  const config = configOf(options);
  const log = await logOf(options);
  const open = (contents?: Contents): Parts => {
    const stores = openStoresInMemory(contents);
    const { changeFeed, putBack } = feedToPutBack(stores.changeFeed);
    return { stores, putBack, composition: compose({ ...stores, changeFeed }, config, log, Date.now) };
  };

  const first = open();
  if (options.samples) await fillWithSamples({ clock: Date.now, ...first.stores });
  await addUsers(first.stores, options.users ?? []);
  const beginning = first.stores.contents();

  const replaceable = new Replaceable(first, ({ stores }) => stores.close());
  const server = await startServer({ ...replaceable.parts, config, log }).catch(async (error: unknown) => {
    await replaceable.close();
    throw error;
  });
  server.markFilled();
  let current = first;
  let closing: Promise<void> | undefined;
  const closeAll = () => (closing ??= server.stop().then(() => replaceable.close()));
  return {
    origin: server.origin,
    base: `${server.origin}/v2`,
    client: createClient({ base: `${server.origin}/v2` }),
    async reset() {
      current.putBack();
      current = open(beginning);
      replaceable.replace(current);
    },
    close: closeAll,
    [Symbol.asyncDispose]: closeAll,
  };
}

/** A feed that can be made to look like that of a database which was put back to before its first change. */
function feedToPutBack(feed: ChangeFeedStore): { changeFeed: ChangeFeedStore; putBack: () => void } {
  let isPutBack = false;
  return {
    changeFeed: {
      lastVersion: async () => (isPutBack ? -1n : feed.lastVersion()),
      list: (afterVersion, limit) => feed.list(afterVersion, limit),
      apply: (change) => feed.apply(change),
    },
    putBack: () => (isPutBack = true),
  };
}

/** By the flags that the command line has; nothing of the environment, which is that of somebody's test suite. */
function configOf({ access = 'open', port = 0 }: MenagerieOptions): Config {
  const flags = ['--access', access, '--port', String(port), '--stop-timeout-seconds', '1'];
  const result = readConfig(flags, {});
  if ('config' in result) return result.config;
  throw new Failure('invalid-input', `These options make no sense: ${result.problems.join(' ')}`);
}

/** What writes lines for people takes its time to load. */
async function logOf({ quiet = true }: MenagerieOptions): Promise<Logger> {
  if (quiet) return pino({ level: 'silent' });
  const { createLog } = await import('../server/log.ts');
  return createLog('debug', 'pretty');
}

async function addUsers({ users }: MemoryStores, wanted: readonly TestUser[]): Promise<void> {
  if (wanted.length === 0) return;
  const accounts = await readTestUsers(wanted);
  await users.apply({ kind: 'create', accounts, isList: true, stamp: stampOf(TESTER, Date.now()) });
}
