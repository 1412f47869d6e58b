import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { unpackedPackages } from './debian-packages.ts';

/*
 * A real S3 server for tests: OpenStack Swift with s3api, from Debian's packages.
 */

const PACKAGES = ['swift-proxy', 'swift-account', 'swift-container', 'swift-object', 'python3-swift', 'memcached'];
/** Dependencies of these packages that are not needed here. */
const NEEDLESS =
  /rsyslog|intltool|po-debconf|openstack-pkg-tools|logrotate|uwsgi|libestr|libfastjson|liblognorm|libnorm|libpgm|libzmq|docutils/;
/** Debian's Python packages work with Debian's Python only. */
const PYTHON = '/usr/bin/python3';
const NEEDED_PROGRAMS = ['/usr/bin/apt-get', '/usr/bin/dpkg', '/usr/bin/setpriv', PYTHON];
const READY_MS = 30_000;

export const S3_REGION = 'us-east-1';
export const S3_CREDENTIALS = { accessKeyId: 'test:tester', secretAccessKey: 'testing' };

export interface S3Server {
  /** `http://127.0.0.1:43210` */
  endpoint: string;
  /** Accepts connections and sends nothing, as on a broken network, until `resume`. */
  pause(): void;
  resume(): void;
  /** Refuses connections until `restart`, which restarts it on the same port with the same data. */
  shutDown(): Promise<void>;
  restart(): Promise<void>;
  /** Stops all its processes and deletes its data. */
  stop(): Promise<void>;
}

const run = promisify(execFile);

/** Starts a server on free ports, without a bucket, or returns why it is not available. */
export async function startS3Server(): Promise<S3Server | { reason: string }> {
  const missing = NEEDED_PROGRAMS.filter((program) => !existsSync(program));
  if (missing.length > 0)
    return { reason: `The S3 server for tests needs ${missing.join(', ')} (Debian or a derivative).` };
  let server: S3Processes | undefined;
  try {
    const root = await unpackedPackages('s3', findPackages, readSettingsElsewhere);
    server = new S3Processes(root, await mkdtemp(join(tmpdir(), 'menagerie-s3-')));
    await server.start();
    return server;
  } catch (error) {
    await server?.stop();
    return { reason: `The S3 server for tests could not be started: ${lastLineOf(error)}` };
  }
}

/** A client of the server, after it has created a bucket. */
export async function clientWithBucket({ endpoint }: S3Server, Bucket: string): Promise<S3Client> {
  const client = new S3Client({
    endpoint,
    region: S3_REGION,
    forcePathStyle: true,
    credentials: S3_CREDENTIALS,
    requestChecksumCalculation: 'WHEN_REQUIRED',
  });
  await client.send(new CreateBucketCommand({ Bucket }));
  return client;
}

async function findPackages(): Promise<ReadonlySet<string>> {
  const plan = await run('/usr/bin/apt-get', ['install', '--simulate', '--no-install-recommends', ...PACKAGES]);
  const needed = [...plan.stdout.matchAll(/^Inst (\S+)/gm)].map((match) => match[1] ?? '');
  return new Set([...PACKAGES, ...needed.filter((name) => !NEEDLESS.test(name))]);
}

/** Swift reads this file from a fixed path, before any other setting. */
async function readSettingsElsewhere(root: string): Promise<void> {
  const module = join(modulesIn(root), 'swift', 'common', 'utils.py');
  const text = await readFile(module, 'utf8');
  const edited = text.replace("= '/etc/swift/swift.conf'", "= os.environ['MENAGERIE_SWIFT_CONF']");
  if (edited === text) throw new Error('The test support does not know this version of Swift.');
  await writeFile(module, edited);
}

const STORAGE = ['account', 'container', 'object'] as const;
type Part = (typeof STORAGE)[number] | 'proxy' | 'memcached';
const PARTS: readonly Part[] = ['memcached', ...STORAGE, 'proxy'];

class S3Processes implements S3Server {
  readonly #root: string;
  readonly #folder: string;
  readonly #running = new Map<Part, ChildProcess>();
  #ports: Readonly<Record<Part, number>> = { memcached: 0, account: 0, container: 0, object: 0, proxy: 0 };
  #environment: Record<string, string> = {};
  readonly #endAtOnce = (): void => {
    for (const child of this.#running.values()) child.kill('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true });
  };

  constructor(root: string, folder: string) {
    this.#root = root;
    this.#folder = folder;
    process.on('exit', this.#endAtOnce);
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.#ports.proxy}`;
  }

  async start(): Promise<void> {
    const libraries = (await readdir(join(this.#root, 'usr', 'lib'))).filter((name) => name.includes('-linux-gnu'));
    this.#environment = {
      PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
      PYTHONPATH: modulesIn(this.#root),
      LD_LIBRARY_PATH: libraries
        .flatMap((name) => [join(this.#root, 'usr', 'lib', name), join(this.#root, 'lib', name)])
        .join(':'),
      MENAGERIE_SWIFT_CONF: join(this.#folder, 'swift.conf'),
    };
    this.#ports = await findFreePorts();
    await writeSettings(this.#folder, this.#ports);
    await run(PYTHON, ['-c', RING_SCRIPT, this.#folder, ...STORAGE.map((part) => `${part}:${this.#ports[part]}`)], {
      env: this.#environment,
    });
    for (const part of PARTS) this.#spawn(part);
    await Promise.all(PARTS.map((part) => this.#whenReady(part)));
  }

  pause(): void {
    this.#running.get('proxy')?.kill('SIGSTOP');
  }

  resume(): void {
    this.#running.get('proxy')?.kill('SIGCONT');
  }

  async shutDown(): Promise<void> {
    await this.#end('proxy');
  }

  async restart(): Promise<void> {
    this.#spawn('proxy');
    await this.#whenReady('proxy');
  }

  async stop(): Promise<void> {
    await Promise.all(PARTS.map((part) => this.#end(part)));
    process.off('exit', this.#endAtOnce);
    await rm(this.#folder, { recursive: true, force: true });
  }

  #spawn(part: Part): void {
    const log = openSync(join(this.#folder, `${part}.log`), 'a');
    // The exit handler does not run when the tests are killed; then the kernel ends these processes.
    const child = spawn('/usr/bin/setpriv', ['--pdeathsig', 'KILL', ...this.#commandOf(part)], {
      env: this.#environment,
      stdio: ['ignore', log, log],
    });
    child.on('error', () => this.#running.delete(part));
    closeSync(log);
    child.unref();
    this.#running.set(part, child);
  }

  #commandOf(part: Part): string[] {
    const bin = join(this.#root, 'usr', 'bin');
    if (part !== 'memcached') return [PYTHON, join(bin, `swift-${part}-server`), join(this.#folder, `${part}.conf`)];
    const address = ['-l', '127.0.0.1', '-p', String(this.#ports.memcached)];
    return [join(bin, 'memcached'), '-u', userInfo().username, '-m', '16', ...address];
  }

  async #end(part: Part): Promise<void> {
    const child = this.#running.get(part);
    this.#running.delete(part);
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.ref();
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  async #whenReady(part: Part): Promise<void> {
    const giveUpAtMs = Date.now() + READY_MS;
    while (!(await (part === 'proxy' ? isHealthy(this.endpoint) : isListening(this.#ports[part])))) {
      const child = this.#running.get(part);
      if (child === undefined || child.exitCode !== null || Date.now() > giveUpAtMs) {
        throw new Error(`${part} does not run; ${await lastWordsIn(join(this.#folder, `${part}.log`))}`);
      }
      await delay(50);
    }
  }
}

const RING_SCRIPT = `
import os, sys
from swift.common.ring import RingBuilder
folder = sys.argv[1]
for name, port in (part.split(':') for part in sys.argv[2:]):
    ring = RingBuilder(4, 1, 0)
    ring.add_dev({'region': 1, 'zone': 1, 'ip': '127.0.0.1', 'port': int(port), 'device': 'd1', 'weight': 1,
                  'replication_ip': '127.0.0.1', 'replication_port': int(port)})
    ring.rebalance()
    ring.get_ring().save(os.path.join(folder, name + '.ring.gz'))
`;

/** The middleware of the proxy, in order. */
const PIPELINE =
  'catch_errors gatekeeper healthcheck cache listing_formats bulk s3api tempauth slo dlo versioned_writes'.split(' ');

async function writeSettings(folder: string, ports: Readonly<Record<Part, number>>): Promise<void> {
  await mkdir(join(folder, 'devices', 'd1'), { recursive: true });
  const settingsOf = (part: Part) => [
    '[DEFAULT]',
    'bind_ip = 127.0.0.1',
    `bind_port = ${ports[part]}`,
    'workers = 0',
    `user = ${userInfo().username}`,
    `swift_dir = ${folder}`,
    'log_level = WARNING',
  ];
  const filters = PIPELINE.flatMap((name) => {
    const known: Readonly<Record<string, readonly string[]>> = {
      cache: ['use = egg:swift#memcache', `memcache_servers = 127.0.0.1:${ports.memcached}`],
      s3api: ['use = egg:swift#s3api', 's3_acl = false', `location = ${S3_REGION}`],
      tempauth: ['use = egg:swift#tempauth', `user_test_tester = ${S3_CREDENTIALS.secretAccessKey} .admin`],
    };
    return [`[filter:${name}]`, ...(known[name] ?? [`use = egg:swift#${name}`])];
  });
  const files: Readonly<Record<string, readonly string[]>> = {
    'swift.conf': [
      '[swift-hash]',
      'swift_hash_path_prefix = menagerie',
      'swift_hash_path_suffix = test',
      '[storage-policy:0]',
      'name = Policy-0',
      'default = yes',
    ],
    'proxy.conf': [
      ...settingsOf('proxy'),
      '[pipeline:main]',
      `pipeline = ${PIPELINE.join(' ')} proxy-server`,
      '[app:proxy-server]',
      'use = egg:swift#proxy',
      'account_autocreate = true',
      ...filters,
    ],
  };
  for (const [name, lines] of Object.entries(files)) await writeFile(join(folder, name), lines.join('\n'));
  for (const part of STORAGE) {
    const devices = [`devices = ${join(folder, 'devices')}`, 'mount_check = false'];
    const app = ['[pipeline:main]', `pipeline = ${part}-server`, `[app:${part}-server]`, `use = egg:swift#${part}`];
    await writeFile(join(folder, `${part}.conf`), [...settingsOf(part), ...devices, ...app].join('\n'));
  }
}

/** Distinct ports that were free a moment ago. */
async function findFreePorts(): Promise<Record<Part, number>> {
  const listeners = PARTS.map(() => createServer().listen(0, '127.0.0.1'));
  await Promise.all(listeners.map((listener) => once(listener, 'listening')));
  const ports = listeners.map((listener) => (listener.address() as AddressInfo).port);
  await Promise.all(listeners.map((listener) => once(listener.close(), 'close')));
  return Object.fromEntries(PARTS.map((part, index) => [part, ports[index]])) as Record<Part, number>;
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function isHealthy(endpoint: string): Promise<boolean> {
  try {
    return (await fetch(`${endpoint}/healthcheck`, { signal: AbortSignal.timeout(2_000) })).ok;
  } catch {
    return false;
  }
}

function modulesIn(root: string): string {
  return join(root, 'usr', 'lib', 'python3', 'dist-packages');
}

async function lastWordsIn(log: string): Promise<string> {
  return lastLineOf(await readFile(log, 'utf8').catch(() => ''));
}

/** The last line of a failed program's output, usually its error. */
function lastLineOf(trouble: unknown): string {
  const lines = textOf(trouble)
    .split('\n')
    .map((line) => line.trim());
  return lines.findLast((line) => line !== '') ?? 'no output.';
}

function textOf(trouble: unknown): string {
  if (!(trouble instanceof Error)) return String(trouble);
  return 'stderr' in trouble && typeof trouble.stderr === 'string' ? trouble.stderr : trouble.message;
}
