import type { Failure } from '../../domain/failure.ts';

/** A maximum of memory, which the playgrounds of a network or of the service share. */
export class MemoryLimit {
  readonly maxBytes: number;
  readonly refusal: () => Failure;
  bytes = 0;

  /** @param refusal the failure of what would exceed the limit */
  constructor(maxBytes: number, refusal: () => Failure) {
    this.maxBytes = maxBytes;
    this.refusal = refusal;
  }

  get room(): number {
    return this.maxBytes - this.bytes;
  }
}

/**
 * `awake`: the database, what works with it, and the search index. `packed`: compressed contents, such as snapshots.
 * `held`: responses that are changed. `requests`: the recorded ones.
 */
export type MemoryPart = 'awake' | 'packed' | 'photos' | 'uploads' | 'held' | 'requests';

/** The memory of one playground. All of it counts for each of its limits. */
export class PlaygroundMemory {
  readonly #limits: readonly MemoryLimit[];
  readonly #parts = new Map<MemoryPart, number>();
  #hasEnded = false;

  constructor(limits: readonly MemoryLimit[]) {
    this.#limits = limits;
  }

  /** May be negative: what is counted with `set` is there already. */
  get room(): number {
    return Math.min(...this.#limits.map(({ room }) => room));
  }

  of(part: MemoryPart): number {
    return this.#parts.get(part) ?? 0;
  }

  /** Takes more memory for a part. @throws Failure if a limit would be exceeded; nothing is taken then */
  take(part: MemoryPart, bytes: number): void {
    const exceeded = this.#limits.find(({ room }) => bytes > room);
    if (exceeded !== undefined && bytes > 0) throw exceeded.refusal();
    this.set(part, this.of(part) + bytes);
  }

  /** Counts what a part takes now. */
  set(part: MemoryPart, bytes: number): void {
    if (this.#hasEnded) return;
    const more = bytes - this.of(part);
    this.#parts.set(part, bytes);
    for (const limit of this.#limits) limit.bytes += more;
  }

  /** The failure of what does not fit. */
  refusal(): Failure {
    const [tightest] = this.#limits.toSorted((one, other) => one.room - other.room);
    if (tightest === undefined) throw new Error('A playground has no limits.');
    return tightest.refusal();
  }

  /** Nothing is counted any more, whatever still ends later. */
  end(): void {
    for (const part of this.#parts.keys()) this.set(part, 0);
    this.#hasEnded = true;
  }
}
