import { randomBytes } from 'node:crypto';
import { networkOf } from '../../domain/accounts/attempt-throttle.ts';
import { Failure, invalidInput } from '../../domain/failure.ts';
import type { BugId, BugState } from '../../domain/playgrounds/bugs.ts';
import type { FaultRuleState, NewFaultRule } from '../../domain/playgrounds/faults.ts';
import type { PlaygroundHost } from '../../domain/playgrounds/playground-administration.ts';
import {
  playgroundNotFound,
  type CreatedPlayground,
  type NewPlayground,
  type Playground,
  type PlaygroundSnapshot,
} from '../../domain/playgrounds/playground.ts';
import type { RecordedRequest, RequestFilter } from '../../domain/playgrounds/recorded-request.ts';
import { PLAYGROUND_SEGMENT } from '../../api/records/playgrounds/playground.ts';
import type { Door, RawExchange } from '../../http/pipeline/mount.ts';
import { NetworkTurns } from '../../http/pipeline/network-turns.ts';
import type { PlaygroundDeps } from './awake-playground.ts';
import { HostedPlayground, type Beginning } from './hosted-playground.ts';
import { Networks } from './networks.ts';
import { OutgoingTraffic } from './outgoing-traffic.ts';
import { PlaygroundApps, type RootParts } from './playground-apps.ts';
import { RequestRecorder } from './recording/request-recorder.ts';
import { Seeds } from './seeds.ts';

const TOKEN_BYTES = 16;

/** Interval of the check for playgrounds that have expired or are idle. */
const TICK_MS = 1000;

const RETRY_AFTER_SECONDS = 60;

/** Without a request for this time, a playground is compressed. The next request takes some milliseconds more. */
const IDLE_MS = 60_000;

/** Maximum number of playgrounds that are not compressed, unless they have requests. */
const MAX_AWAKE = 100;

/** With little memory left, playgrounds that have not been used for this time are put to sleep. */
const UNUSED_MS = 5000;

/** Without what `attach` adds. */
type PlaygroundsDeps = Omit<PlaygroundDeps, 'copyTurns' | 'traffic' | 'recordTurns' | 'activity'>;

/** The playgrounds of this process, in memory. */
export class Playgrounds implements PlaygroundHost, Door {
  readonly segment = PLAYGROUND_SEGMENT;
  readonly #recorder = new RequestRecorder();
  readonly #deps: PlaygroundsDeps;
  readonly #networks: Networks;
  readonly #copyTurns = new NetworkTurns({ maxConcurrent: 1 });
  readonly #seeds: Seeds;
  readonly #all = new Map<string, HostedPlayground>();
  #attached: { deps: PlaygroundDeps; apps: PlaygroundApps } | undefined;
  readonly #onTrouble = (error: unknown) => this.#deps.log.error({ err: error }, 'clearing playgrounds failed');
  #createdTotal = 0;
  #ticking: NodeJS.Timeout | undefined;
  #resting: Promise<void> | undefined;

  constructor(deps: PlaygroundsDeps) {
    this.#deps = deps;
    this.#seeds = new Seeds(deps.clock);
    const { http, playgrounds } = deps.config;
    this.#networks = new Networks({ access: http.access, maxBytes: playgrounds.maxMemoryBytes, clock: deps.clock });
  }

  /** Must be called before the first request. */
  attach(root: RootParts): void {
    const { recordTurns, activity } = root;
    const traffic = new OutgoingTraffic(this.#deps.clock);
    const deps = { ...this.#deps, copyTurns: this.#copyTurns, traffic, recordTurns, activity };
    this.#attached = { deps, apps: new PlaygroundApps(deps, root) };
  }

  async create(options: NewPlayground, address: string | undefined): Promise<CreatedPlayground> {
    const network = address === undefined ? undefined : networkOf(address);
    this.#networks.countNew(network);
    this.#requireRoom();
    await this.#makeRoom(network);
    const { newUsers, ...beginning } = await this.#beginningOf(options, network);
    const created = await this.#start({ ...beginning, network });
    // Others may have been created meanwhile.
    this.#requireRoom(created);
    const { token, memory } = created;
    this.#all.set(token, created);
    if (options.recordRequests)
      this.#recorder.start(token, {
        isFull: () => memory.room <= 0,
        onBytes: (bytes) => memory.set('requests', bytes),
      });
    this.#createdTotal++;
    this.#makeRoom(network).catch(this.#onTrouble);
    this.#ticking ??= setInterval(() => this.#tick(), TICK_MS).unref();
    return { ...created.describe(), users: newUsers };
  }

  list(): readonly Playground[] {
    return [...this.#all.values()].map((each) => each.describe());
  }

  get(token: string): Playground {
    return this.#admit(token).describe();
  }

  async delete(token: string): Promise<void> {
    await this.#remove(this.#find(token));
  }

  async reset(token: string): Promise<Playground> {
    const found = this.#admit(token);
    await found.reset();
    return found.describe();
  }

  async takeSnapshot(token: string): Promise<PlaygroundSnapshot> {
    return this.#admit(token).takeSnapshot();
  }

  async restore(token: string, snapshotId: string): Promise<Playground> {
    const found = this.#admit(token);
    await found.restore(snapshotId);
    return found.describe();
  }

  listRequests(token: string, filter: RequestFilter): Iterable<readonly RecordedRequest[]> {
    return this.#recorder.list(this.#admit(token).token, filter);
  }

  deleteRequests(token: string): void {
    this.#recorder.clear(this.#admit(token).token);
  }

  faults(token: string): readonly FaultRuleState[] {
    return this.#admit(token).disturbances.faults();
  }

  setFaults(token: string, rules: readonly NewFaultRule[]): readonly FaultRuleState[] {
    const { disturbances } = this.#admit(token);
    disturbances.setFaults(rules);
    return disturbances.faults();
  }

  bugs(token: string): readonly BugState[] {
    return this.#admit(token).disturbances.bugs();
  }

  setBugs(token: string, ids: readonly BugId[]): readonly BugState[] {
    const { disturbances } = this.#admit(token);
    disturbances.setBugs(ids);
    return disturbances.bugs();
  }

  pass(token: string, exchange: RawExchange): Failure | undefined {
    const found = this.#all.get(token);
    if (found === undefined || this.#hasExpired(found)) return playgroundNotFound();
    const { isAwake, network } = found;
    const failure = found.admit(exchange.response);
    if (failure !== undefined) return failure;
    if (!isAwake) this.#makeRoom(network).catch(this.#onTrouble);
    found.visit(exchange.response, (awake) => {
      // First, so that it records the response as a fault or a planted bug has changed it.
      this.#recorder.record(token, exchange);
      const { apps } = this.#requireAttached();
      found.disturbances.pass(exchange, () => apps.handle(awake.accessMode, awake.parts, exchange));
    });
    return undefined;
  }

  activity() {
    const awake = [...this.#all.values()].filter(({ isAwake }) => isAwake).length;
    const { bytes } = this.#networks.total;
    return { awake, asleep: this.#all.size - awake, created: this.#createdTotal, bytes };
  }

  endStreams(): void {
    for (const each of this.#all.values()) each.endStreams();
  }

  async stop(): Promise<void> {
    clearInterval(this.#ticking);
    await Promise.all([...this.#all.values()].map((each) => this.#remove(each)));
    await this.#attached?.apps.close();
  }

  /** The users of a snapshot keep their passwords, which only its creator knows. */
  async #beginningOf(options: NewPlayground, network: string | undefined) {
    const { snapshot, access = 'open' } = options;
    if (snapshot === undefined) {
      const isOwnSeed = options.contents === 'seed';
      const { seed, users: newUsers } = await this.#copyTurns.take(
        { network: () => network ?? '', isGone: () => false },
        () => this.#seeds.of({ ...options, access }),
      );
      const users = newUsers.map(({ username, role }) => ({ username, role }));
      return { options: { ...options, access }, seed, users, newUsers, isOwnSeed };
    }
    const found = this.#admit(snapshot.token).contentsOf(snapshot.id);
    if (options.access !== undefined && options.access !== found.access)
      throw invalidInput([{ path: '/access', message: `must be ${found.access}, as in the snapshot` }]);
    return { ...found, options: { ...options, access: found.access }, newUsers: [], isOwnSeed: true };
  }

  #requireAttached() {
    if (this.#attached === undefined) throw new Error('The server of the playgrounds is not started.');
    return this.#attached;
  }

  #find(token: string): HostedPlayground {
    const found = this.#all.get(token);
    if (found === undefined || this.#hasExpired(found)) throw playgroundNotFound();
    return found;
  }

  /** Finds a playground for an operation, which counts as a request. @throws Failure */
  #admit(token: string): HostedPlayground {
    const found = this.#find(token);
    const failure = found.requests.count();
    if (failure !== undefined) throw failure;
    return found;
  }

  #hasExpired({ expiresAtMs }: HostedPlayground): boolean {
    return expiresAtMs <= this.#deps.clock();
  }

  async #start(beginning: Omit<Beginning, 'token' | 'memory'>): Promise<HostedPlayground> {
    const { deps, apps } = this.#requireAttached();
    const { network } = beginning;
    const memory = this.#networks.add(network);
    try {
      const token = randomBytes(TOKEN_BYTES).toString('base64url');
      const created = new HostedPlayground({ ...beginning, token, memory }, deps);
      await apps.prepare(await created.start());
      return created;
    } catch (error) {
      this.#networks.remove(network);
      throw error;
    }
  }

  /** @throws Failure `unavailable` if there are too many; the new one is deleted then */
  #requireRoom(created?: HostedPlayground): void {
    if (this.#all.size < this.#deps.config.playgrounds.max) return;
    if (created !== undefined) this.#remove(created).catch(this.#onTrouble);
    const details = { retryAfterSeconds: RETRY_AFTER_SECONDS };
    throw new Failure('unavailable', 'This service has too many playgrounds. Try again later.', details);
  }

  #tick(): void {
    for (const each of this.#all.values()) if (this.#hasExpired(each)) this.#remove(each).catch(this.#onTrouble);
    this.#rest().catch(this.#onTrouble);
    if (this.#all.size > 0) return;
    clearInterval(this.#ticking);
    this.#ticking = undefined;
  }

  /** Puts to sleep what is idle, one at a time. */
  #rest(): Promise<void> {
    return (this.#resting ??= this.#putToSleep().finally(() => (this.#resting = undefined)));
  }

  /** Above the maximum number or with little memory left, those that were idle for the longest, but none in use. */
  async #putToSleep(): Promise<void> {
    const { clock } = this.#deps;
    let surplus = this.activity().awake - MAX_AWAKE;
    for (const each of this.#idle()) {
      const unusedMs = clock() - each.usedAtMs;
      const maxUnusedMs = this.#networks.isFull(each.network) ? UNUSED_MS : IDLE_MS;
      if (surplus-- > 0 || unusedMs >= maxUnusedMs) await this.#sleep(each);
    }
  }

  /**
   * With little memory left, also puts playgrounds of the same network to sleep that were used a moment ago: a test
   * suite creates one for each test, faster than they become idle. Those of others stay awake. The rest of the memory
   * is for the next ones that wake, which cannot wait.
   */
  async #makeRoom(network: string | undefined): Promise<void> {
    if (!this.#networks.isFull(network)) return;
    await this.#rest();
    for (const each of this.#idle())
      if (each.network === network && this.#networks.isFull(network)) await this.#sleep(each);
  }

  /** The playgrounds that can be put to sleep, the longest unused ones first. */
  #idle(): readonly HostedPlayground[] {
    const idle = [...this.#all.values()].filter(({ isAwake, isIdle }) => isAwake && isIdle);
    return idle.toSorted((one, other) => one.usedAtMs - other.usedAtMs);
  }

  async #sleep(playground: HostedPlayground): Promise<void> {
    await playground.sleep();
    if (!playground.isAwake) this.#recorder.sleep(playground.token);
  }

  async #remove(playground: HostedPlayground): Promise<void> {
    this.#all.delete(playground.token);
    this.#recorder.stop(playground.token);
    await playground.delete();
    this.#networks.remove(playground.network);
  }
}
