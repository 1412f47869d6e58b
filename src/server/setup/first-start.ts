import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { Setup, type SetupResult, type SetupSettings } from '../../domain/setup/setup.ts';
import type { DatabaseStores } from '../../storage/rows/stores/stores.ts';
import { createSetupApp } from '../../http/setup/setup-app.ts';
import { tokens } from '../../services/crypto/secrets.ts';
import { createAccounts } from '../process/accounts.ts';
import { isLoopback, type Config } from '../configuration/config.ts';
import { operatorCommand } from '../log/explain-failure.ts';
import type { Logger } from '../log/log.ts';
import { openStoresBesideServer } from '../stores/open-stores.ts';
import { closeWithin, listen } from '../process/server.ts';
import { VERSION } from '../system/version.ts';
import { readWebBuild } from '../web/web-build.ts';
import { checkSettings, choicesOf, storeSettings } from './setup-settings.ts';

/**
 * Interval at which the service looks for an administrator created elsewhere: on the command line, or by another node.
 */
const POLL_MS = 1000;

const WILDCARDS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);
const LOOPBACK = '127.0.0.1';

export interface FirstStartEnd {
  /** The settings of the setup page; undefined if the administrator was created elsewhere. */
  settings: SetupSettings | undefined;
  /** The port of the setup page, for a service that may use any. */
  port: number;
}

/** The first start in secured access: serves the setup page on a loopback address until there is an administrator. */
export class FirstStart {
  /** The setup page, with its token in the fragment, which browsers do not send. */
  readonly url: string;
  /** Resolves once there is an administrator, and the port is free. */
  readonly finished: Promise<FirstStartEnd>;
  readonly #stores: DatabaseStores;
  readonly #app: FastifyInstance;
  readonly #timer: NodeJS.Timeout;
  readonly #stopTimeoutMs: number;

  private constructor({ stores, app, setup, done, origin, token, config }: Parts) {
    this.#stores = stores;
    this.#app = app;
    this.#stopTimeoutMs = config.stopTimeoutMs;
    this.url = `${origin}/setup#${token}`;
    this.#timer = setInterval(() => {
      // A database that fails is asked again.
      stores.users.hasAdministrator().then(
        (has) => has && setup.isPending && done.resolve(undefined),
        () => {},
      );
    }, POLL_MS);
    const port = Number(new URL(origin).port);
    this.finished = done.promise.then((settings) => this.stop().then(() => ({ settings, port })));
  }

  /** @throws Failure `unavailable` if the data or the address cannot be used */
  static async begin(config: Config, log: Logger): Promise<FirstStart> {
    const stores = await openStoresBesideServer(config, true);
    try {
      const token = tokens.create();
      const done = Promise.withResolvers<SetupSettings | undefined>();
      const { setup, app, host } = await compose({ stores, config, log, token, onDone: done.resolve });
      const origin = await listen(app, { host, port: config.port });
      return new FirstStart({ stores, app, setup, done, origin, token, config });
    } catch (error) {
      await stores.close();
      throw error;
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await closeWithin(this.#app, this.#stopTimeoutMs);
    await this.#stores.close();
  }
}

interface Parts {
  stores: DatabaseStores;
  app: FastifyInstance;
  setup: Setup;
  done: PromiseWithResolvers<SetupSettings | undefined>;
  origin: string;
  token: string;
  config: Config;
}

interface ComposeDeps {
  stores: DatabaseStores;
  config: Config;
  log: Logger;
  token: string;
  onDone: (settings: SetupSettings) => void;
}

async function compose({ stores, config, log, token, onDone }: ComposeDeps) {
  const { administration, newAccounts } = createAccounts(
    stores,
    { ...config, mode: 'secured', hashingConcurrency: 1 },
    Date.now,
  );
  const choices = await choicesOf(config, stores);
  const digest = Buffer.from(tokens.digest(token));
  const setup = new Setup({
    isToken: (text) => timingSafeEqual(Buffer.from(tokens.digest(text)), digest),
    administration,
    siteRecords: stores.siteRecords,
    operator: { kind: 'operator', name: 'setup page' },
    clock: Date.now,
    check: (settings) => checkSettings(settings, choices),
    store: (settings) => storeSettings(settings, config, log),
    next: nextOf(config),
    onDone,
  });
  const http = { ...config.http, access: 'secured', corsOrigins: [], publicUrl: undefined, trustedProxies: 0 } as const;
  const app = createSetupApp(http, {
    setup,
    choices,
    version: VERSION,
    minPasswordLength: newAccounts().minPasswordLength,
    web: config.webFolder === undefined ? undefined : await readWebBuild(config.webFolder),
    command: operatorCommand('user create USERNAME --role admin', config),
    log,
  });
  return { setup, app, host: isLoopback(config.host) ? config.host : LOOPBACK };
}

/** Where the service continues: at the origin of the page, unless it listens elsewhere or has a public URL. */
function nextOf({ host, port, http: { publicUrl } }: Config): Pick<SetupResult, 'url'> {
  if (publicUrl !== undefined) return { url: publicUrl };
  if (isLoopback(host) || WILDCARDS.has(host)) return { url: '' };
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${port}` };
}
