import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { debianBinaries, unprivilegedUser, type RunAs } from '../../support/postgres-binaries.ts';
import { removeFolder, serverFolder } from '../../support/postgres-folder.ts';
import type { Lifetime } from '../../support/lifetime.ts';
import { separateHosts, type SeparateHost } from './separate-network.ts';

const run = promisify(execFile);

const CONFIGURATION = join(import.meta.dirname, '..', '..', '..', 'deploy', 'patroni', 'patroni.yml');
const PROGRAMS = ['/usr/bin/patroni', '/usr/bin/etcd', '/usr/sbin/ip', '/usr/bin/setpriv'];
const SERVERS = 3;
const DEADLINE_MS = 120_000;

/** A program with the processes that it started, also those that it detached. */
interface Program {
  child: ChildProcess;
  log: { text: string };
}

/** What Patroni reports for a server (`GET /cluster` of its REST API). */
interface Member {
  name: string;
  role: string;
  state: string;
  timeline?: number;
}

export type Target = 'postgres' | 'patroni' | 'both';

/** One server of PostgreSQL with its Patroni and its etcd, on a host of its own. */
export class ClusterServer {
  readonly name: string;
  readonly host: SeparateHost;
  readonly #folder: string;
  readonly #runAs: RunAs;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #etcdArguments: readonly string[];
  #patroni: Program | undefined;
  #etcd: Program | undefined;
  #frozen: readonly number[] = [];

  constructor(options: {
    name: string;
    host: SeparateHost;
    folder: string;
    runAs: RunAs;
    environment: Readonly<Record<string, string>>;
    etcdArguments: readonly string[];
  }) {
    this.name = options.name;
    this.host = options.host;
    this.#folder = options.folder;
    this.#runAs = options.runAs;
    this.#environment = options.environment;
    this.#etcdArguments = options.etcdArguments;
  }

  get dataFolder(): string {
    return join(this.#folder, 'data');
  }

  startEtcd(): void {
    this.#etcd = this.#start(['/usr/bin/etcd', ...this.#etcdArguments], {});
  }

  startPatroni(): void {
    this.#patroni = this.#start(['/usr/bin/patroni', CONFIGURATION], this.#environment);
  }

  log(): string {
    return this.#patroni?.log.text ?? '';
  }

  /** Kills without a chance to tell anyone. Patroni stays down until it is started again. */
  async kill(target: Target): Promise<void> {
    // Patroni first, so that it does not react to the end of PostgreSQL.
    if (target !== 'postgres') signalAll(patroniOf(this.#patroni), 'SIGKILL');
    if (target !== 'patroni') signalAll(await this.#postgresProcesses(), 'SIGKILL');
  }

  async freeze(): Promise<void> {
    this.#frozen = [...patroniOf(this.#patroni), ...(await this.#postgresProcesses())];
    signalAll(this.#frozen, 'SIGSTOP');
  }

  thaw(): void {
    signalAll(this.#frozen, 'SIGCONT');
    this.#frozen = [];
  }

  freezeEtcd(): void {
    signalAll(patroniOf(this.#etcd), 'SIGSTOP');
  }

  thawEtcd(): void {
    signalAll(patroniOf(this.#etcd), 'SIGCONT');
  }

  async stop(): Promise<void> {
    this.thaw();
    this.thawEtcd();
    await this.kill('both');
    signalAll(patroniOf(this.#etcd), 'SIGKILL');
    for (const program of [this.#patroni, this.#etcd])
      if (program && program.child.exitCode === null && program.child.signalCode === null)
        await once(program.child, 'exit');
    await removeFolder(this.dataFolder);
    await rm(this.#folder, { recursive: true, force: true });
  }

  #start(command: readonly string[], environment: Readonly<Record<string, string>>): Program {
    const { uid, gid } = this.#runAs;
    const user = uid === undefined ? [] : ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
    const [file = '', ...args] = [...this.host.within, ...user, ...command];
    const env = {
      LC_ALL: 'C.UTF-8',
      TZ: 'UTC',
      PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
      HOME: this.#folder,
      ...environment,
    };
    const child = spawn(file, args, { cwd: this.#folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const log = { text: '' };
    for (const output of [child.stdout, child.stderr])
      output.setEncoding('utf8').on('data', (text: string) => (log.text += text));
    return { child, log };
  }

  /** The postmaster, which is not a child of Patroni, before the processes of its connections. */
  async #postgresProcesses(): Promise<number[]> {
    const pid = Number(
      (await readFile(join(this.dataFolder, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')[0],
    );
    if (!(pid > 0)) return [];
    const { stdout } = await run('ps', ['-o', 'pid=', '--ppid', String(pid)]).catch(() => ({ stdout: '' }));
    return [
      pid,
      ...stdout
        .split('\n')
        .map(Number)
        .filter((each) => each > 0),
    ];
  }
}

function patroniOf(program: Program | undefined): readonly number[] {
  const { child } = program ?? {};
  return child?.pid === undefined || child.exitCode !== null || child.signalCode !== null ? [] : [child.pid];
}

function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  }
}

/** Three servers of PostgreSQL under Patroni, with etcd beside each. */
export class Cluster {
  readonly servers: readonly ClusterServer[];
  /** Of all users. */
  readonly password: string;

  constructor(servers: readonly ClusterServer[], password: string) {
    this.servers = servers;
    this.password = password;
  }

  /** The database of the service, with all servers. */
  get url(): string {
    const hosts = this.servers.map(({ host }) => `${host.address}:5432`).join();
    return `postgres://menagerie:${this.password}@${hosts}/menagerie?target_session_attrs=read-write`;
  }

  urlAt({ host }: ClusterServer, user = 'menagerie', database = 'menagerie'): string {
    return `postgres://${user}:${this.password}@${host.address}:5432/${database}`;
  }

  /** The members as the first of these servers reports them. */
  async members(servers = this.servers): Promise<readonly Member[]> {
    const asked = servers.map(async ({ host }) => {
      const response = await fetch(`http://${host.address}:8008/cluster`, { signal: AbortSignal.timeout(1000) });
      return ((await response.json()) as { members: readonly Member[] }).members;
    });
    return Promise.any(asked).catch(() => []);
  }

  /** Returns the leader and a synchronous standby once all servers are healthy. */
  async untilHealthy(): Promise<{ leader: ClusterServer; standby: ClusterServer }> {
    const isHealthy = (members: readonly Member[]) =>
      members.length === this.servers.length &&
      members.every(({ state }) => state === 'running' || state === 'streaming') &&
      new Set(members.map(({ timeline }) => timeline)).size === 1 &&
      members.some(({ role }) => role === 'sync_standby');
    const members = await this.#until(isHealthy);
    return { leader: this.#withRole(members, 'leader'), standby: this.#withRole(members, 'sync_standby') };
  }

  /** Asks Patroni for an orderly change of the leader. */
  async switchOver(leader: ClusterServer, candidate: ClusterServer): Promise<void> {
    const response = await fetch(`http://${leader.host.address}:8008/switchover`, {
      method: 'POST',
      body: JSON.stringify({ leader: leader.name, candidate: candidate.name }),
    });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  }

  async #until(isMet: (members: readonly Member[]) => boolean): Promise<readonly Member[]> {
    const deadline = Date.now() + DEADLINE_MS;
    for (;;) {
      const members = await this.members();
      if (isMet(members)) return members;
      if (Date.now() > deadline)
        throw new Error(`The cluster is not healthy: ${JSON.stringify(members)}\n${this.logs()}`);
      await delay(200);
    }
  }

  logs(): string {
    return this.servers.map((server) => `--- ${server.name}\n${server.log().slice(-3000)}`).join('\n');
  }

  #withRole(members: readonly Member[], wanted: string): ClusterServer {
    const name = members.find(({ role }) => role === wanted)?.name;
    const server = this.servers.find((each) => each.name === name);
    if (server === undefined) throw new Error(`No ${wanted}: ${JSON.stringify(members)}`);
    return server;
  }
}

/** A healthy cluster, or the reason why it is not possible here. */
export async function startCluster(t: Lifetime): Promise<Cluster | { missing: string }> {
  const binaries = debianBinaries();
  const missing = PROGRAMS.find((program) => !existsSync(program));
  if (missing !== undefined || binaries === undefined)
    return {
      missing: `Debian's packages patroni, etcd-server, postgresql and iproute2 are not installed (${missing ?? 'postgres'})`,
    };
  const separate = await separateHosts(SERVERS);
  if (separate === undefined) return { missing: 'network namespaces are not possible' };
  const { hosts } = separate;
  const runAs = await unprivilegedUser();
  const password = randomBytes(24).toString('base64url');
  const servers = await Promise.all(
    hosts.map(async (host, index) => {
      const folder = await serverFolder(runAs);
      const name = nameOf(index);
      const environment = environmentOf({ name, host, hosts, folder, password, binaries: binaries.folder });
      return new ClusterServer({
        name,
        host,
        folder,
        runAs,
        environment,
        etcdArguments: etcdArgumentsOf(name, host, hosts, folder),
      });
    }),
  );
  t.after(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    await separate.remove();
  });
  const cluster = new Cluster(servers, password);
  for (const server of servers) server.startEtcd();
  for (const server of servers) server.startPatroni();
  await cluster.untilHealthy();
  return cluster;
}

function nameOf(index: number): string {
  return `db${index + 1}`;
}

/** The variables of `deploy/patroni/patroni.env`. */
function environmentOf(options: {
  name: string;
  host: SeparateHost;
  hosts: readonly SeparateHost[];
  folder: string;
  password: string;
  binaries: string;
}): Record<string, string> {
  const { name, host, hosts, folder, password, binaries } = options;
  return {
    PATRONI_NAME: name,
    PATRONI_RESTAPI_LISTEN: `${host.address}:8008`,
    PATRONI_RESTAPI_CONNECT_ADDRESS: `${host.address}:8008`,
    PATRONI_POSTGRESQL_LISTEN: `${host.address}:5432`,
    PATRONI_POSTGRESQL_CONNECT_ADDRESS: `${host.address}:5432`,
    PATRONI_POSTGRESQL_DATA_DIR: join(folder, 'data'),
    PATRONI_POSTGRESQL_BIN_DIR: binaries,
    PATRONI_POSTGRESQL_PGPASS: join(folder, 'patroni.pgpass'),
    PATRONI_ETCD_HOSTS: hosts.map(({ address }) => `${address}:2379`).join(),
    PATRONI_SUPERUSER_USERNAME: 'postgres',
    PATRONI_SUPERUSER_PASSWORD: password,
    PATRONI_REPLICATION_USERNAME: 'replicator',
    PATRONI_REPLICATION_PASSWORD: password,
  };
}

function etcdArgumentsOf(name: string, { address }: SeparateHost, hosts: readonly SeparateHost[], folder: string) {
  const peers = hosts.map((host, index) => `${nameOf(index)}=http://${host.address}:2380`).join();
  return [
    `--name=${name}`,
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=http://${address}:2379`,
    `--advertise-client-urls=http://${address}:2379`,
    `--listen-peer-urls=http://${address}:2380`,
    `--initial-advertise-peer-urls=http://${address}:2380`,
    `--initial-cluster=${peers}`,
    '--enable-v2',
  ];
}
