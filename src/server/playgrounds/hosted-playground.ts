import type { ServerResponse } from 'node:http';
import { setImmediate as nextIteration, setTimeout as delay } from 'node:timers/promises';
import { Failure } from '../../domain/failure.ts';
import {
  MAX_PLAYGROUND_SNAPSHOTS,
  playgroundNotFound,
  snapshotNotFound,
  type NewPlayground,
  type PlaygroundAccess,
  type Playground,
  type PlaygroundSnapshot,
  type PlaygroundUser,
} from '../../domain/playgrounds/playground.ts';
import { addRateLimitLines } from '../../http/pipeline/common-headers.ts';
import { rateLimitLines } from '../../http/pipeline/rate-limit-fields.ts';
import { tokens } from '../../services/crypto/secrets.ts';
import type { Contents } from '../stores/memory-stores.ts';
import { AwakePlayground, type PlaygroundDeps } from './awake-playground.ts';
import { Disturbances } from './disturbances/disturbances.ts';
import { pack, unpack, type PackedContents } from './packed-contents.ts';
import { PendingResponses } from './pending-responses.ts';

/** Requests that are pending for longer are ended by a reset. */
const DRAIN_MS = 2000;

const MINUTE_MS = 60_000;

/** What an awake playground needs beside its database: prepared statements and use cases (measured). */
const AWAKE_BYTES = 1024 * 1024;

interface Snapshot extends PlaygroundSnapshot {
  packed: PackedContents;
}

export interface Beginning {
  token: string;
  options: NewPlayground & { access: PlaygroundAccess };
  users: readonly PlaygroundUser[];
  seed: PackedContents;
  /** Whether its memory counts for this playground: others may have had it before, and end before it. */
  isOwnSeed: boolean;
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
  usedAtMs: number;
  readonly disturbances: Disturbances;
  readonly #beginning: Beginning;
  readonly #deps: PlaygroundDeps;
  readonly #pending = new PendingResponses();
  readonly #snapshots = new Map<string, Snapshot>();
  #packed: PackedContents | undefined;
  /** The contents from which the playground was last woken. */
  #openedFrom: PackedContents;
  #awake: AwakePlayground | undefined;
  #operation: Promise<unknown> | undefined;
  #isDeleted = false;
  #photoBytes = 0;
  #minute = 0;
  #requestsOfMinute = 0;

  constructor(beginning: Beginning, deps: PlaygroundDeps) {
    const nowMs = deps.clock();
    this.token = beginning.token;
    this.createdAtMs = nowMs;
    this.expiresAtMs = nowMs + beginning.options.lifetimeSeconds * 1000;
    this.usedAtMs = nowMs;
    this.#beginning = beginning;
    this.#deps = deps;
    this.disturbances = new Disturbances(deps.clock);
    this.disturbances.setBugs(beginning.options.bugs);
    this.#packed = beginning.seed;
    this.#openedFrom = beginning.seed;
    this.#countPhotos(this.#seedPhotoBytes());
  }

  get isAwake(): boolean {
    return this.#awake !== undefined;
  }

  /** Whether it can be put to sleep, apart from its webhooks. */
  get isIdle(): boolean {
    return this.#pending.count === 0 && this.#operation === undefined;
  }

  describe(): Playground {
    const { token, createdAtMs, expiresAtMs, isAwake } = this;
    const { contents, access, limits, recordRequests } = this.#beginning.options;
    const { users } = this.#beginning;
    const snapshots = [...this.#snapshots.values()].map(({ id, createdAtMs: atMs }) => ({ id, createdAtMs: atMs }));
    const times = { createdAtMs, expiresAtMs };
    return { token, contents, access, ...times, isAwake, limits, recordRequests, users, snapshots };
  }

  /** Without photos, whose bytes are counted as they are stored, and without first contents that many share. */
  get bytes(): number {
    const { seed, isOwnSeed } = this.#beginning;
    const packed = [this.#packed, ...[...this.#snapshots.values()].map((snapshot) => snapshot.packed)];
    const asleep = packed.reduce((sum, each) => sum + (each === seed ? 0 : (each?.database.byteLength ?? 0)), 0);
    const own = isOwnSeed ? seed.database.byteLength : 0;
    return own + asleep + (this.#awake === undefined ? 0 : AWAKE_BYTES + this.#awake.databaseBytes());
  }

  /** Counts a request, and reports what is left. @returns the failure if it exceeds the limit */
  countRequest(response: ServerResponse): Failure | undefined {
    const nowMs = this.#deps.clock();
    const minute = Math.floor(nowMs / MINUTE_MS);
    if (minute !== this.#minute) [this.#minute, this.#requestsOfMinute] = [minute, 0];
    const { requestsPerMinute } = this.#beginning.options.limits;
    const limit = { name: 'playground-requests', quota: requestsPerMinute, windowSeconds: MINUTE_MS / 1000 };
    const retryAfterSeconds = Math.ceil(((minute + 1) * MINUTE_MS - nowMs) / 1000);
    const remaining = requestsPerMinute - ++this.#requestsOfMinute;
    if (remaining >= 0) {
      addRateLimitLines(response, rateLimitLines(limit, remaining, retryAfterSeconds));
      return undefined;
    }
    const message = `This playground accepts ${requestsPerMinute} requests in a minute.`;
    return new Failure('too-many-requests', message, { retryAfterSeconds, limit });
  }

  /** Handles a request, after the operation in progress. */
  visit(response: ServerResponse, handle: (awake: AwakePlayground) => void): void {
    if (this.#operation !== undefined) {
      void this.#operation.then(() => this.visit(response, handle));
      return;
    }
    if (this.#isDeleted) {
      response.destroy();
      return;
    }
    if (response.destroyed) return;
    this.usedAtMs = this.#deps.clock();
    this.#pending.add(response);
    handle(this.wake());
  }

  wake(): AwakePlayground {
    if (this.#awake !== undefined) return this.#awake;
    const packed = this.#packed ?? this.#beginning.seed;
    this.#packed = undefined;
    return (this.#awake = this.#open(packed));
  }

  /** Compresses its data, unless webhooks still have to receive some of it. */
  sleep(): Promise<void> {
    return this.#exclusively(async () => {
      const awake = this.#awake;
      if (awake === undefined || this.#pending.count > 0 || (await awake.isSending())) return;
      this.#packed = awake.hasChanges() ? pack(awake.contents()) : this.#openedFrom;
      this.#awake = undefined;
      await awake.close();
    });
  }

  reset(): Promise<void> {
    return this.#replace(() => this.#beginning.seed);
  }

  /** @throws Failure `not-found` */
  restore(snapshotId: string): Promise<void> {
    return this.#replace(() => this.#snapshot(snapshotId).packed);
  }

  /** @throws Failure `not-found` */
  contentsOf(snapshotId: string): SnapshotContents {
    const { options, users } = this.#beginning;
    return { seed: this.#snapshot(snapshotId).packed, users, access: options.access };
  }

  /** @throws Failure `conflict` */
  takeSnapshot(): PlaygroundSnapshot {
    if (this.#snapshots.size >= MAX_PLAYGROUND_SNAPSHOTS)
      throw new Failure('conflict', `A playground can have at most ${MAX_PLAYGROUND_SNAPSHOTS} snapshots.`);
    const packed = this.#awake === undefined ? (this.#packed ?? this.#beginning.seed) : pack(this.#awake.contents());
    const snapshot = { id: tokens.createId(), createdAtMs: this.#deps.clock(), packed };
    this.#snapshots.set(snapshot.id, snapshot);
    return { id: snapshot.id, createdAtMs: snapshot.createdAtMs };
  }

  endStreams(): void {
    this.#awake?.parts.streams.stop();
  }

  /** Ends its requests. */
  delete(): Promise<void> {
    this.#isDeleted = true;
    this.endStreams();
    return this.#exclusively(async () => {
      // Event streams end like those of the service: to a browser, a reset is an error.
      await nextIteration();
      this.#pending.destroy(({ writableEnded }) => !writableEnded);
      await this.#awake?.close();
      this.#awake = undefined;
      this.#packed = undefined;
      this.#snapshots.clear();
      this.#countPhotos(-this.#photoBytes);
    });
  }

  #snapshot(id: string): Snapshot {
    const snapshot = this.#snapshots.get(id);
    if (snapshot === undefined) throw snapshotNotFound();
    return snapshot;
  }

  #seedPhotoBytes(): number {
    const { seed, isOwnSeed } = this.#beginning;
    return isOwnSeed ? seed.photos.byteLength() : 0;
  }

  #replace(read: () => PackedContents): Promise<void> {
    return this.#exclusively(async () => {
      if (this.#isDeleted) throw playgroundNotFound();
      const packed = read();
      const old = this.#awake;
      await this.#drain();
      await old?.close();
      this.#packed = undefined;
      // Snapshots may have the photos that were added since.
      if (this.#snapshots.size === 0) this.#countPhotos(this.#seedPhotoBytes() - this.#photoBytes);
      this.#awake = this.#open(packed);
      this.disturbances.restart();
    });
  }

  /** Waits for the pending requests. Event streams would not end by themselves. */
  async #drain(): Promise<void> {
    this.endStreams();
    if (this.#pending.count === 0) return;
    const drained = this.#pending.drained();
    const waiting = new AbortController();
    const late = delay(DRAIN_MS, undefined, { signal: waiting.signal, ref: false }).catch(() => {});
    await Promise.race([drained, late]);
    waiting.abort();
    this.#pending.destroy();
    await drained;
  }

  #open(packed: PackedContents): AwakePlayground {
    const contents: Contents = unpack(packed);
    this.#openedFrom = packed;
    const { access, limits } = this.#beginning.options;
    const place = { token: this.token, access, limits, reserve: (bytes: number) => this.#reserve(bytes) };
    return new AwakePlayground(contents, place, this.#deps);
  }

  #reserve(bytes: number): boolean {
    const { memory } = this.#deps;
    if (memory.photoBytes + memory.otherBytes + bytes > memory.maxBytes) return false;
    this.#countPhotos(bytes);
    return true;
  }

  #countPhotos(bytes: number): void {
    this.#photoBytes += bytes;
    this.#deps.memory.photoBytes += bytes;
  }

  async #exclusively<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#operation;
    const running = (async () => {
      await before;
      return work();
    })();
    const settled = running.then(
      () => {},
      () => {},
    );
    this.#operation = settled;
    try {
      return await running;
    } finally {
      if (this.#operation === settled) this.#operation = undefined;
    }
  }
}
