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
import type { MemoryUse, PlaygroundDeps } from './awake-playground.ts';
import { HostedPlayground } from './hosted-playground.ts';
import { PlaygroundApps, type RootParts } from './playground-apps.ts';
import { RequestRecorder } from './recording/request-recorder.ts';
import { Seeds } from './seeds.ts';

const TOKEN_BYTES = 16;

/** Interval of the check for playgrounds that have expired or are idle. */
const TICK_MS = 1000;

/** Maximum number of playgrounds of one network without credentials, unless all clients are on this machine. */
const MAX_OF_NETWORK = 50;

const RETRY_AFTER_SECONDS = 60;

/** Of the memory of all playgrounds, for recorded requests. */
const RECORDED_SHARE = 0.2;

/** Without what `attach` adds. */
type PlaygroundsDeps = Omit<PlaygroundDeps, 'memory' | 'recordTurns' | 'activity'>;

/** The playgrounds of this process, in memory. */
export class Playgrounds implements PlaygroundHost, Door {
  readonly segment = PLAYGROUND_SEGMENT;
  readonly #recorder: RequestRecorder;
  readonly #deps: PlaygroundsDeps;
  readonly #memory: MemoryUse;
  readonly #seeds: Seeds;
  readonly #all = new Map<string, HostedPlayground>();
  readonly #networkOf = new Map<string, string>();
  #attached: { deps: PlaygroundDeps; apps: PlaygroundApps } | undefined;
  #createdTotal = 0;
  #ticking: NodeJS.Timeout | undefined;

  constructor(deps: PlaygroundsDeps) {
    this.#deps = deps;
    this.#seeds = new Seeds(deps.clock);
    this.#recorder = new RequestRecorder(deps.config.playgrounds.maxMemoryBytes * RECORDED_SHARE);
    const otherBytes = () => this.#otherBytes();
    this.#memory = {
      photoBytes: 0,
      maxBytes: deps.config.playgrounds.maxMemoryBytes,
      get otherBytes() {
        return otherBytes();
      },
    };
  }

  /** Must be called before the first request. */
  attach(root: RootParts): void {
    const { recordTurns, activity } = root;
    const deps = { ...this.#deps, memory: this.#memory, recordTurns, activity };
    this.#attached = { deps, apps: new PlaygroundApps(deps, root) };
  }

  async create(options: NewPlayground, address: string | undefined): Promise<CreatedPlayground> {
    const { deps, apps } = this.#requireAttached();
    const network = address === undefined ? undefined : networkOf(address);
    this.#requireRoom(network);
    const { newUsers, ...beginning } = await this.#beginningOf(options);
    // Others may have been created meanwhile.
    this.#requireRoom(network);
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const created = new HostedPlayground({ ...beginning, token }, deps);
    await apps.prepare(created.wake());
    this.#all.set(token, created);
    if (options.recordRequests) this.#recorder.start(token);
    if (network !== undefined) this.#networkOf.set(token, network);
    this.#createdTotal++;
    this.#ticking ??= setInterval(() => this.#tick(), TICK_MS).unref();
    return { ...created.describe(), users: newUsers };
  }

  list(): readonly Playground[] {
    return [...this.#all.values()].map((each) => each.describe());
  }

  get(token: string): Playground {
    return this.#find(token).describe();
  }

  async delete(token: string): Promise<void> {
    await this.#remove(this.#find(token));
  }

  async reset(token: string): Promise<Playground> {
    const found = this.#find(token);
    await found.reset();
    return found.describe();
  }

  async takeSnapshot(token: string): Promise<PlaygroundSnapshot> {
    return this.#find(token).takeSnapshot();
  }

  async restore(token: string, snapshotId: string): Promise<Playground> {
    const found = this.#find(token);
    await found.restore(snapshotId);
    return found.describe();
  }

  listRequests(token: string, filter: RequestFilter): Iterable<readonly RecordedRequest[]> {
    return this.#recorder.list(this.#find(token).token, filter);
  }

  deleteRequests(token: string): void {
    this.#recorder.clear(this.#find(token).token);
  }

  faults(token: string): readonly FaultRuleState[] {
    return this.#find(token).disturbances.faults();
  }

  setFaults(token: string, rules: readonly NewFaultRule[]): readonly FaultRuleState[] {
    const { disturbances } = this.#find(token);
    disturbances.setFaults(rules);
    return disturbances.faults();
  }

  bugs(token: string): readonly BugState[] {
    return this.#find(token).disturbances.bugs();
  }

  setBugs(token: string, ids: readonly BugId[]): readonly BugState[] {
    const { disturbances } = this.#find(token);
    disturbances.setBugs(ids);
    return disturbances.bugs();
  }

  pass(token: string, exchange: RawExchange): Failure | undefined {
    const found = this.#all.get(token);
    if (found === undefined || this.#hasExpired(found)) return playgroundNotFound();
    const failure = found.countRequest(exchange.response);
    if (failure !== undefined) return failure;
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
    const bytes = this.#memory.photoBytes + this.#otherBytes();
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
  async #beginningOf(options: NewPlayground) {
    const { snapshot, access = 'open' } = options;
    if (snapshot === undefined) {
      const isOwnSeed = options.contents === 'seed';
      const { seed, users: newUsers } = await this.#seeds.of({ ...options, access });
      const users = newUsers.map(({ username, role }) => ({ username, role }));
      return { options: { ...options, access }, seed, users, newUsers, isOwnSeed };
    }
    const found = this.#find(snapshot.token).contentsOf(snapshot.id);
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

  #hasExpired({ expiresAtMs }: HostedPlayground): boolean {
    return expiresAtMs <= this.#deps.clock();
  }

  #otherBytes(): number {
    let sum = this.#recorder.bytes;
    for (const each of this.#all.values()) sum += each.bytes;
    return sum;
  }

  #requireRoom(network: string | undefined): void {
    const { http, playgrounds } = this.#deps.config;
    if (this.#all.size >= playgrounds.max) throw unavailable('This service has too many playgrounds.');
    if (this.#memory.photoBytes + this.#otherBytes() >= this.#memory.maxBytes)
      throw unavailable('The playgrounds of this service have no memory left.');
    if (network === undefined || http.access === 'open') return;
    const ofNetwork = [...this.#networkOf.values()].filter((each) => each === network).length;
    if (ofNetwork < MAX_OF_NETWORK) return;
    const message = `Too many playgrounds from your address: at most ${MAX_OF_NETWORK}. Delete one first.`;
    const limit = { name: 'playgrounds', quota: MAX_OF_NETWORK };
    throw new Failure('too-many-requests', message, { retryAfterSeconds: RETRY_AFTER_SECONDS, limit });
  }

  /** Deletes what has expired, and puts to sleep what is idle; above the maximum, what was idle for the longest. */
  #tick(): void {
    const { clock, log, config } = this.#deps;
    const onTrouble = (error: unknown) => log.error({ err: error }, 'clearing playgrounds failed');
    for (const each of this.#all.values()) if (this.#hasExpired(each)) this.#remove(each).catch(onTrouble);
    const awake = [...this.#all.values()].filter(({ isAwake }) => isAwake);
    const surplus = awake.length - config.playgrounds.maxAwake;
    const idle = awake.filter(({ isIdle }) => isIdle).toSorted((one, other) => one.usedAtMs - other.usedAtMs);
    const isLong = ({ usedAtMs }: HostedPlayground) => clock() - usedAtMs >= config.playgrounds.idleMs;
    for (const [index, each] of idle.entries()) {
      if (index >= surplus && !isLong(each)) continue;
      each.sleep().catch(onTrouble);
      this.#recorder.sleep(each.token);
    }
    if (this.#all.size > 0) return;
    clearInterval(this.#ticking);
    this.#ticking = undefined;
  }

  async #remove(playground: HostedPlayground): Promise<void> {
    this.#all.delete(playground.token);
    this.#networkOf.delete(playground.token);
    this.#recorder.stop(playground.token);
    await playground.delete();
  }
}

function unavailable(message: string): Failure {
  return new Failure('unavailable', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
