import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { compose, type Composition } from '../../src/server/process/composition.ts';
import { openStores } from '../../src/server/stores/open-stores.ts';
import { playgroundsOf } from '../../src/server/service.ts';
import { startServer } from '../../src/server/process/server.ts';
import type { Stores } from '../../src/server/stores/stores.ts';
import type { Argon2Hasher } from '../../src/services/crypto/passwords.ts';
import { clientOf, type Call } from './client.ts';
import { dropDatabaseOf } from './nodes.ts';
import type { Lifetime } from './lifetime.ts';
import { removeFolder, testConfigOn, withSettings, type OtherSettings } from './service.ts';

export interface ComposedOptions {
  flags?: readonly string[];
  clock?: () => number;
  config?: OtherSettings;
  /** Creates the data folder, which is deleted after the test. */
  newFolder?: () => Promise<string>;
  /** The stores that are replaced by others. */
  change?: (stores: Stores) => Partial<Stores>;
  passwords?: Argon2Hasher;
  hasPlaygrounds?: boolean;
}

export interface ComposedService {
  origin: string;
  base: string;
  call: Call;
  composition: Composition;
  /** Without the replacements. */
  stores: Stores;
  dataDir: string;
}

/** A real server on a real socket, with some parts replaced, and without background work; stopped after the test. */
export async function startComposed(t: Lifetime, options: ComposedOptions = {}): Promise<ComposedService> {
  const { flags = [], clock = Date.now, change = () => ({}), passwords, hasPlaygrounds = false } = options;
  const dataDir = await (options.newFolder?.() ?? mkdtemp(join(tmpdir(), 'menagerie-test-')));
  const config = withSettings(await testConfigOn(dataDir, ['--empty', ...flags]), options.config ?? {});
  const stores = await openStores(config);
  const log = pino({ level: 'silent' });
  const changed = { ...stores, ...change(stores) };
  const composition = compose(changed, config, log, clock, passwords && { shared: { passwords } });
  const playgrounds = hasPlaygrounds ? playgroundsOf(config, composition, log, clock) : undefined;
  const server = await startServer({ stores: changed, composition, config, log, ...(playgrounds && { playgrounds }) });
  server.markFilled();
  t.after(async () => {
    await server.stop();
    await stores.close();
    await dropDatabaseOf(dataDir);
    await removeFolder(dataDir);
  });
  const { origin } = server;
  return { composition, origin, base: `${origin}/v2`, call: clientOf(`${origin}/v2`), stores, dataDir };
}
