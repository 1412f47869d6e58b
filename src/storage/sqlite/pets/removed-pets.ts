import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { MAX_INT64 } from '../../../domain/int64.ts';
import type { RemovedPet } from '../../../domain/pets/pet-version.ts';
import { LISTS_BEGIN, STATUS_END_LENGTH, textWithoutLists } from '../../../domain/pets/pet.ts';
import type { BatchedPetStore } from '../../../domain/pets/ports.ts';
import { prepareRow, prepareRows } from '../engine/database.ts';
import type { Snapshots } from '../engine/snapshots.ts';

type RemovalRow = [atMs: bigint, actorId: bigint | null, actorName: string | null, head: string, end: string];

/** A text is read as a whole for its beginning and its end, and may have a megabyte: after so long, others have their turn. */
const MAX_BUSY_MS = 2;

/** The versions of a pet that was removed never change, so it does not matter what happens in between. */
export function prepareRemovedPets(reader: DatabaseSync, { inSnapshot }: Snapshots): BatchedPetStore['listRemoved'] {
  const removals = prepareRows<[version: bigint]>(
    reader,
    'select version from removed_pet where version < ? order by version desc limit ?',
  );
  const byVersion = prepareRow(
    reader,
    `select removal.changed_at_ms, removal.changed_by, username,
       substr(last.text, 1, instr(last.text, '${LISTS_BEGIN}') - 1), substr(last.text, -${STATUS_END_LENGTH})
     from pet_version as removal join pet_version as last on last.version = removal.previous
       left join account on account.id = removal.changed_by
     where removal.version = ?`,
  );

  function readSome(versions: readonly (readonly [bigint])[], from: number): RemovedPet[] {
    const read: RemovedPet[] = [];
    const untilMs = performance.now() + MAX_BUSY_MS;
    for (const [version] of versions.slice(from)) {
      const row = byVersion(version) as RemovalRow | undefined;
      if (row === undefined) throw new Error(`Version ${version} does not tell of a removal.`);
      read.push(toRemovedPet(version, row));
      if (performance.now() > untilMs) break;
    }
    return read;
  }

  return async (beforeVersion, limit) => {
    const versions = removals(beforeVersion ?? MAX_INT64, limit);
    const removed: RemovedPet[] = [];
    while (removed.length < versions.length) {
      if (removed.length > 0) await nextTurn();
      removed.push(...inSnapshot(() => readSome(versions, removed.length)));
    }
    return removed;
  };
}

function toRemovedPet(version: bigint, [atMs, actorId, name, head, end]: RemovalRow): RemovedPet {
  const actor = actorId === null ? undefined : { id: actorId, name };
  return { version, atMs: Number(atMs), actor, text: textWithoutLists(head, end) };
}
