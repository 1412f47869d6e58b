import { join } from 'node:path';
import { startScript, type Cores, type RunningProcess } from './processes.ts';

export interface RunningServer {
  origin: string;
  pid: number;
  stop(): Promise<void>;
}

interface ServerSpec {
  /** Absolute path, or path from the root of the working tree. */
  script: string;
  args: readonly string[];
  /** One core for most comparisons, or all, as in production. */
  cores?: Exclude<Cores, 'load core'>;
}

export type Servers = ReturnType<typeof createServers>;

/** Every server prints a line with its address. */
const ORIGIN = /https?:\/\/(?:127\.0\.0\.1|localhost):\d+/;

export const WORKING_TREE = join(import.meta.dirname, '../..');

/**
 * The servers of a run, with Menagerie from a checkout. Starts with equal specs share one server, until it is stopped
 * or another one needs its data folder.
 */
export function createServers(checkout: string) {
  const running = new Map<string, { spec: string; server: Promise<RunningServer> }>();

  async function start(key: string, spec: ServerSpec): Promise<RunningServer> {
    const text = JSON.stringify(spec);
    const known = running.get(key);
    if (known?.spec === text) return known.server;
    // A data folder can have only one server.
    await stopAt(key);
    const server = launch(spec);
    running.set(key, { spec: text, server });
    return server;
  }

  async function stopAt(key: string): Promise<void> {
    const known = running.get(key);
    running.delete(key);
    await (await known?.server)?.stop();
  }

  return {
    /** The bare server, with a body of this size. */
    bare: (bodyBytes: number) =>
      start(`bare ${bodyBytes}`, { script: 'bench/bare/bare-server.ts', args: [String(bodyBytes)] }),

    /** Menagerie on a data folder. */
    menagerie: (folder: string, flags: readonly string[] = [], cores: ServerSpec['cores'] = 'server core') =>
      start(folder, { ...menagerieSpec(folder, flags, checkout), cores }),

    /** The same, restarted to start with fresh memory. */
    async fresh(folder: string, cores: ServerSpec['cores'] = 'server core'): Promise<RunningServer> {
      await stopAt(folder);
      return start(folder, { ...menagerieSpec(folder, [], checkout), cores });
    },

    async stopAll(): Promise<void> {
      await Promise.all([...running.keys()].map(stopAt));
    },
  };
}

export function menagerieSpec(folder: string, flags: readonly string[], checkout = WORKING_TREE): ServerSpec {
  const args = ['serve', '--port', '0', '--data-dir', folder, '--empty', '--log-level', 'warn', ...flags];
  return { script: join(checkout, 'src/cli/menagerie.js'), args };
}

/** Starts a server that is not shared, and waits until it prints its address. */
export async function launch({ script, args, cores = 'server core' }: ServerSpec): Promise<RunningServer> {
  const child = startScript(script, args, { cores });
  const [origin] = await child.lineLike(ORIGIN);
  return { origin, pid: child.pid, stop: () => child.stop() };
}

/** Runs a script to its end. @returns its result */
export function runScript<T>(script: string, args: readonly string[], cores: Cores): Promise<T> {
  return startScript(script, args, { cores }).result<T>();
}

/** Starts a client that repeats requests. Resolves after its first response. */
export async function startClient(script: string, args: readonly string[], cores: Cores): Promise<RunningProcess> {
  // Lower priority, so that the measured load goes first on a shared core: its waiting would look like that of the
  // server.
  const client = startScript(join('bench/clients', script), args, { cores, isNice: true });
  await client.lineLike(/^STARTED$/);
  return client;
}
