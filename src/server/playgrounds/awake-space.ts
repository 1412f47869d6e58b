import { Failure } from '../../domain/failure.ts';
import type { MemorySpace } from '../stores/memory-stores.ts';
import type { PlaygroundMemory } from './memory.ts';

/** Prepared statements, use cases and the cache of pages: 0.5 to 1.4 MiB without the database (measured). */
const FIXED_BYTES = 1024 * 1024;

/** For 10,000 small pets, the index takes 1.3 times the memory of the database; for 1,000, 1.7 times (measured). */
const INDEX_FACTOR = 2;

/** 10,000 small pets take 6 MiB. A larger database would block the event loop when it is copied. */
const MAX_DATABASE_BYTES = 16 * 1024 * 1024;

/** The memory of an awake playground without its search index. */
export function awakeBytesOf(databaseBytes: number): number {
  return FIXED_BYTES + databaseBytes;
}

/** The space of the database of an awake playground, and of its search index. */
export class AwakeSpace implements MemorySpace {
  readonly #memory: PlaygroundMemory;
  #databaseBytes = 0;
  #indexFactor = 0;

  constructor(memory: PlaygroundMemory) {
    this.#memory = memory;
  }

  get maxBytes(): number {
    const room = Math.max(0, this.#memory.room) / (1 + this.#indexFactor);
    return Math.min(MAX_DATABASE_BYTES, this.#databaseBytes + room);
  }

  set bytes(databaseBytes: number) {
    this.#databaseBytes = databaseBytes;
    this.#memory.set('awake', awakeBytesOf(databaseBytes) + this.#indexFactor * databaseBytes);
  }

  takeIndex(): void {
    if (this.#indexFactor > 0) return;
    this.#memory.take('awake', INDEX_FACTOR * this.#databaseBytes);
    this.#indexFactor = INDEX_FACTOR;
  }

  refusal(): Failure {
    if (this.maxBytes < MAX_DATABASE_BYTES) return this.#memory.refusal();
    const mebibytes = MAX_DATABASE_BYTES / 1024 / 1024;
    return new Failure('insufficient-storage', `A playground can have at most ${mebibytes} MiB of data. Reset it.`);
  }
}
