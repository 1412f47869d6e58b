import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { MAX_INT64 } from '../../../domain/int64.ts';
import type { PetVersion, DeletedPet } from '../../../domain/pets/pet-version.ts';
import { LISTS_BEGIN, STATUS_END_LENGTH } from '../../../domain/pets/pet.ts';
import { MAX_CHARACTERS_READ } from '../../../domain/batches.ts';
import { toDeletedPet, toPetVersion, type DeletionRow, type PetVersionRow } from '../../rows/pets.ts';
import { prepareRow, prepareRows } from '../engine/database.ts';
import type { Snapshots } from '../engine/snapshots.ts';

/** Maximum number of versions read without a break. */
const WINDOW_ROWS = 100;

/**
 * A text is read as a whole for its beginning and its end, and may have a megabyte: after this time, other requests get
 * their turn.
 */
const MAX_BUSY_MS = 2;

/**
 * Reads the versions of pets and the deleted pets. Versions never change, so other requests may have their turn between
 * two steps.
 */
export class PetHistoryReader {
  readonly #inSnapshot;
  readonly #newestOf;
  readonly #version;
  readonly #deletions;
  readonly #deletion;

  constructor(reader: DatabaseSync, { inSnapshot }: Snapshots) {
    this.#inSnapshot = inSnapshot;
    this.#newestOf = prepareRow(
      reader,
      'select version from pet where id = ?1 union all select version from removed_pet where id = ?1',
    );
    this.#version = prepareRow(
      reader,
      `select version, previous, action, changed_at_ms, changed_by, username, text, profile
       from pet_version left join account on account.id = changed_by where version = ? and pet_id = ?`,
    );
    this.#deletions = prepareRows<[version: bigint]>(
      reader,
      'select version from removed_pet where version < ? order by version desc limit ?',
    );
    this.#deletion = prepareRow(
      reader,
      `select removal.version, removal.changed_at_ms, removal.changed_by, username,
         substr(last.text, 1, instr(last.text, '${LISTS_BEGIN}') - 1), substr(last.text, -${STATUS_END_LENGTH})
       from pet_version as removal join pet_version as last on last.version = removal.previous
         left join account on account.id = removal.changed_by
       where removal.version = ?`,
    );
  }

  async listVersions(id: bigint, fromVersion: bigint | undefined, limit: number): Promise<readonly PetVersion[]> {
    const versions: PetVersion[] = [];
    let left = MAX_CHARACTERS_READ;
    let next = fromVersion ?? (this.#newestOf(id)?.[0] as bigint | undefined);
    while (next !== undefined && versions.length < limit && left >= 0) {
      if (versions.length > 0) await nextIteration();
      const from = next;
      const most = Math.min(WINDOW_ROWS, limit - versions.length);
      const window = this.#inSnapshot(() => this.#followChain(id, from, most, left));
      versions.push(...window.versions);
      left -= window.characters;
      next = versions.at(-1)?.previous;
    }
    return versions;
  }

  async listDeleted(beforeVersion: bigint | undefined, limit: number): Promise<readonly DeletedPet[]> {
    const versions = this.#deletions(beforeVersion ?? MAX_INT64, limit);
    const deleted: DeletedPet[] = [];
    while (deleted.length < versions.length) {
      if (deleted.length > 0) await nextIteration();
      deleted.push(...this.#inSnapshot(() => this.#readDeletions(versions.slice(deleted.length))));
    }
    return deleted;
  }

  /**
   * Follows the chain of versions from a newer one to older ones: an index by pet would slow down every change.
   *
   * @returns the versions, and the length of their texts
   */
  #followChain(id: bigint, fromVersion: bigint, most: number, mostCharacters: number) {
    const versions: PetVersion[] = [];
    let characters = 0;
    let next: bigint | undefined = fromVersion;
    while (next !== undefined && versions.length < most && characters <= mostCharacters) {
      const row = this.#version(next, id) as PetVersionRow | undefined;
      if (row !== undefined) versions.push(toPetVersion(row));
      characters += (row?.[6]?.length ?? 0) + (row?.[7]?.length ?? 0);
      next = row?.[1] ?? undefined;
    }
    return { versions, characters };
  }

  #readDeletions(versions: readonly (readonly [bigint])[]): DeletedPet[] {
    const read: DeletedPet[] = [];
    const untilMs = performance.now() + MAX_BUSY_MS;
    for (const [version] of versions) {
      const row = this.#deletion(version) as DeletionRow | undefined;
      if (row === undefined) throw new Error(`Version ${version} is not a deletion.`);
      read.push(toDeletedPet(row));
      if (performance.now() > untilMs) break;
    }
    return read;
  }
}
