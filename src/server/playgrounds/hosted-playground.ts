import type { ServerResponse } from 'node:http';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { Failure } from '../../domain/failure.ts';
import {
  playgroundNotFound,
  type NewPlayground,
  type PlaygroundAccess,
  type Playground,
  type PlaygroundSnapshot,
  type PlaygroundUser,
} from '../../domain/playgrounds/playground.ts';
import type { Contents } from '../stores/memory-stores.ts';
import { AwakePlayground, type PlaygroundDeps } from './awake-playground.ts';
import { awakeBytesOf } from './awake-space.ts';
import { Disturbances } from './disturbances/disturbances.ts';
import { ownPhotoBytesOf, packedBytesOf, photoBytesOf } from './kept-contents.ts';
import type { PlaygroundMemory } from './memory.ts';
import { Operations } from './operations.ts';
import { pack, unpack, type PackedContents } from './packed-contents.ts';
import { PendingResponses } from './pending-responses.ts';
import { RequestCounts } from './request-counts.ts';
import { Snapshots } from './snapshots.ts';

export interface Beginning {
  token: string;
  options: NewPlayground & { access: PlaygroundAccess };
  users: readonly PlaygroundUser[];
  seed: PackedContents;
  /** Whether its memory counts for this playground: others may have had it before, and end before it. */
  isOwnSeed: boolean;
  /** The network that takes turns with others; undefined for administrators. */
  network: string | undefined;
  memory: PlaygroundMemory;
}

/** The beginning of a playground that is created from a snapshot. */
type SnapshotContents = Pick<Beginning, 'seed' | 'users'> & { access: PlaygroundAccess };

/**
 * A playground, awake or asleep. One operation on it as a whole runs at a time, after its pending requests; further
 * requests wait for it.
 */
export class HostedPlayground {
  readonly token: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly network: string | undefined;
  readonly memory: PlaygroundMemory;
  readonly disturbances: Disturbances;
  readonly requests: RequestCounts;
  usedAtMs: number;
  readonly #beginning: Beginning;
  readonly #deps: PlaygroundDeps;
  readonly #pending = new PendingResponses();
  readonly #operations = new Operations();
  /** These do not make requests wait. */
  readonly #snapshotting = new Operations();
  readonly #snapshots = new Snapshots();
  /** The contents while it is asleep, and those from which it was last woken. */
  #packed: PackedContents;
  #awake: AwakePlayground | undefined;
  #isDeleted = false;

  constructor(beginning: Beginning, deps: PlaygroundDeps) {
    const { token, options, seed, network, memory } = beginning;
    const { clock } = deps;
    const nowMs = clock();
    this.token = token;
    this.createdAtMs = nowMs;
    this.expiresAtMs = nowMs + options.lifetimeSeconds * 1000;
    this.network = network;
    this.memory = memory;
    this.usedAtMs = nowMs;
    this.#beginning = beginning;
    this.#deps = deps;
    this.disturbances = new Disturbances(clock, options.access === 'secured', memory);
    this.disturbances.setBugs(options.bugs);
    const { requestsPerMinute: perMinute } = options.limits;
    const message = `This playground accepts ${perMinute} requests in a minute.`;
    this.requests = new RequestCounts({ name: 'playground-requests', perMinute, message, clock });
    this.#packed = seed;
  }

  get isAwake(): boolean {
    return this.#awake !== undefined;
  }

  /** Whether it can be put to sleep, apart from its background work. */
  get isIdle(): boolean {
    return this.#pending.count === 0 && this.#operations.pending === undefined;
  }

  describe(): Playground {
    const { token, createdAtMs, expiresAtMs, isAwake } = this;
    const { contents, access, limits, recordRequests } = this.#beginning.options;
    const { users } = this.#beginning;
    const snapshots = this.#snapshots.list();
    const times = { createdAtMs, expiresAtMs };
    return { token, contents, access, ...times, isAwake, limits, recordRequests, users, snapshots };
  }

  /** @throws Failure if there is not enough memory; nothing is counted then */
  async start(): Promise<AwakePlayground> {
    try {
      this.memory.take('packed', packedBytesOf(this.#kept()));
      this.memory.take('photos', ownPhotoBytesOf(this.#kept()));
      this.#takeAwake(this.#packed);
      return await this.#operations.run(() => this.#wake());
    } catch (error) {
      this.memory.end();
      throw error;
    }
  }

  /** Counts a request. @returns the failure if it exceeds a limit, or if there is no memory to wake the playground */
  admit(response: ServerResponse): Failure | undefined {
    const failure = this.requests.count(response) ?? this.#pending.refusal();
    if (failure !== undefined || this.#awake !== undefined) return failure;
    if (this.#operations.pending !== undefined || response.destroyed) return undefined;
    return failureOf(() => this.#takeAwake(this.#packed));
  }

  /** Handles an admitted request, after the operation in progress. */
  visit(response: ServerResponse, handle: (awake: AwakePlayground) => void): void {
    const { pending } = this.#operations;
    if (this.#isDeleted || response.destroyed) {
      response.destroy();
    } else if (pending !== undefined || this.#awake === undefined) {
      const ready = pending ?? this.#operations.run(() => this.#wake());
      void this.#pending.wait(ready).then(
        () => this.visit(response, handle),
        (error: unknown) => {
          if (!this.#isDeleted) this.#deps.log.error({ err: error }, 'waking a playground failed');
          response.destroy();
        },
      );
    } else {
      this.usedAtMs = this.#deps.clock();
      this.#pending.add(response);
      handle(this.#awake);
    }
  }

  /** Compresses its data, unless its background work still needs some of it. */
  sleep(): Promise<void> {
    return this.#operations.run(async () => {
      const awake = this.#awake;
      if (awake === undefined || this.#pending.count > 0 || (await awake.isBusy())) return;
      const packed = awake.hasChanges() ? await this.#inTurn(() => pack(awake.contents())) : this.#packed;
      await this.#become(packed);
    });
  }

  reset(): Promise<void> {
    return this.#replace(() => this.#beginning.seed);
  }

  /** @throws Failure `not-found` */
  restore(snapshotId: string): Promise<void> {
    return this.#replace(() => this.#snapshots.find(snapshotId));
  }

  /** @throws Failure `not-found` */
  contentsOf(snapshotId: string): SnapshotContents {
    const { options, users } = this.#beginning;
    return { seed: this.#snapshots.find(snapshotId), users, access: options.access };
  }

  /** @throws Failure `conflict`; `insufficient-storage`, `unavailable` without memory; nothing has changed then */
  async takeSnapshot(): Promise<PlaygroundSnapshot> {
    this.#snapshotting.requireRoom();
    return this.#snapshotting.run(async () => {
      this.#snapshots.requireRoom();
      const packed = await this.#inTurn(async () => {
        const awake = this.#awake;
        return awake?.hasChanges() === true ? pack(awake.contents()) : this.#packed;
      });
      if (this.#isDeleted) throw playgroundNotFound();
      const kept = this.#kept();
      const bytes = packedBytesOf({ ...kept, packed: [...kept.packed, packed] });
      this.memory.take('packed', bytes - this.memory.of('packed'));
      return this.#snapshots.add(packed, this.#deps.clock());
    });
  }

  endStreams(): void {
    this.#awake?.parts.streams.stop();
  }

  delete(): Promise<void> {
    this.#isDeleted = true;
    this.endStreams();
    return this.#operations.run(async () => {
      // Event streams end like those of the service: to a browser, a reset is an error.
      await nextIteration();
      this.#pending.destroy(({ writableEnded }) => !writableEnded);
      await this.#awake?.close();
      this.#awake = undefined;
      this.#snapshots.clear();
      this.memory.end();
    });
  }

  #replace(read: () => PackedContents): Promise<void> {
    this.#operations.requireRoom();
    return this.#operations.run(async () => {
      if (this.#isDeleted) throw playgroundNotFound();
      const packed = read();
      this.#takeAwake(packed);
      // These would not end by themselves.
      this.endStreams();
      await this.#pending.drain();
      await this.#become(packed);
      await this.#wake();
      this.disturbances.restart();
    });
  }

  /** Closes what is awake. Then the playground is asleep, with these contents. */
  async #become(packed: PackedContents): Promise<void> {
    const awake = this.#awake;
    this.#awake = undefined;
    this.#packed = packed;
    await awake?.close();
    this.memory.set('awake', 0);
    const kept = this.#kept();
    this.memory.set('packed', packedBytesOf(kept));
    this.memory.set('photos', ownPhotoBytesOf(kept));
  }

  /** The event loop only copies the database, which takes some milliseconds for the largest one. */
  async #wake(): Promise<AwakePlayground> {
    const packed = this.#packed;
    return (this.#awake ??= await this.#inTurn(async () => {
      const contents = await unpack(packed);
      if (this.#isDeleted) throw playgroundNotFound();
      return this.#open(contents);
    }));
  }

  /** Runs work that needs a copy of all data: one at a time for all playgrounds, and networks alternate. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#deps.copyTurns.take({ network: () => this.network ?? '', isGone: () => false }, work);
  }

  /** Takes the memory for these contents. @throws Failure if there is not enough */
  #takeAwake({ databaseBytes }: PackedContents): void {
    this.memory.take('awake', Math.max(0, awakeBytesOf(databaseBytes) - this.memory.of('awake')));
  }

  #kept() {
    const { seed, isOwnSeed } = this.#beginning;
    const packed = [seed, this.#packed, ...this.#snapshots.contents()];
    return { packed, photos: this.#awake?.photos, shared: isOwnSeed ? undefined : seed };
  }

  #open(contents: Contents): AwakePlayground {
    const { options, network } = this.#beginning;
    const { token, memory } = this;
    const takePhoto = (bytes: number) => this.#takePhoto(bytes);
    return new AwakePlayground(contents, { token, network, memory, takePhoto, ...options }, this.#deps);
  }

  /** @throws Failure beyond a limit */
  #takePhoto(bytes: number): void {
    const kept = this.#kept();
    const { photoBytes } = this.#beginning.options.limits;
    if (photoBytesOf(kept) + bytes > photoBytes) {
      const message = `This playground can have photos of at most ${photoBytes} bytes, with those of its snapshots.`;
      throw new Failure('insufficient-storage', message);
    }
    this.memory.set('photos', ownPhotoBytesOf(kept));
    this.memory.take('photos', bytes);
  }
}

function failureOf(work: () => void): Failure | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}
