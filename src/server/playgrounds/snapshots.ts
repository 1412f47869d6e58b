import { Failure } from '../../domain/failure.ts';
import {
  MAX_PLAYGROUND_SNAPSHOTS,
  snapshotNotFound,
  type PlaygroundSnapshot,
} from '../../domain/playgrounds/playground.ts';
import { tokens } from '../../services/crypto/secrets.ts';
import type { PackedContents } from './packed-contents.ts';

interface Snapshot extends PlaygroundSnapshot {
  packed: PackedContents;
}

export class Snapshots {
  readonly #snapshots = new Map<string, Snapshot>();

  list(): readonly PlaygroundSnapshot[] {
    return [...this.#snapshots.values()].map(({ id, createdAtMs }) => ({ id, createdAtMs }));
  }

  /** Several snapshots may have the same contents. */
  contents(): readonly PackedContents[] {
    return [...this.#snapshots.values()].map(({ packed }) => packed);
  }

  /** @throws Failure `not-found` */
  find(id: string): PackedContents {
    const snapshot = this.#snapshots.get(id);
    if (snapshot === undefined) throw snapshotNotFound();
    return snapshot.packed;
  }

  /** @throws Failure `conflict` at the maximum number */
  requireRoom(): void {
    if (this.#snapshots.size < MAX_PLAYGROUND_SNAPSHOTS) return;
    throw new Failure('conflict', `A playground can have at most ${MAX_PLAYGROUND_SNAPSHOTS} snapshots.`);
  }

  add(packed: PackedContents, createdAtMs: number): PlaygroundSnapshot {
    const id = tokens.createId();
    this.#snapshots.set(id, { id, createdAtMs, packed });
    return { id, createdAtMs };
  }

  clear(): void {
    this.#snapshots.clear();
  }
}
