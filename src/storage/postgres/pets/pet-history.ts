import { MAX_INT64 } from '../../../domain/int64.ts';
import type { PetVersion, DeletedPet } from '../../../domain/pets/pet-version.ts';
import { LISTS_BEGIN, STATUS_END_LENGTH } from '../../../domain/pets/pet.ts';
import { MAX_CHARACTERS_READ } from '../../../domain/batches.ts';
import { toDeletedPet, toPetVersion } from '../../rows/pets.ts';
import { statement, type Ask } from '../engine/statements.ts';

type VersionRow = [
  version: bigint,
  previous: bigint | null,
  storedAction: string,
  atMs: bigint,
  actorId: bigint | null,
  text: string | null,
  profile: string | null,
];

type DeletionRow = [version: bigint, atMs: bigint, actorId: bigint | null, head: string, end: string];

/**
 * Maximum number of versions that one statement reads. Versions never change, so a history may be read by several
 * statements.
 */
const WINDOW_ROWS = 100;

const BYTES = '(coalesce(octet_length(text), 0) + coalesce(octet_length(profile), 0))';
// A version is returned if the texts of the newer ones have at most as many bytes as the last parameter; so the first
// one is always returned.
const ofPet = statement(
  `select version, previous, action, changed_at_ms, changed_by, text, profile from (
     select version, previous, action, changed_at_ms, changed_by, text, profile, sum(${BYTES})
       over (order by version desc rows between unbounded preceding and current row) - ${BYTES} as bytes_before
     from (select version, previous, action, changed_at_ms, changed_by, text, profile from pet_version
       where pet_id = $1 and version <= $2 order by version desc limit $3) as found) as measured
   where bytes_before <= $4::int8 order by version desc`,
);
// A separate query, because pets and accounts are not joined.
const namesOf = statement('select id, username from account where id = any($1::int8[])');
const removals = statement(
  `select removed.version, removal.changed_at_ms, removal.changed_by, split_part(last.text, '${LISTS_BEGIN}', 1), right(last.text, ${STATUS_END_LENGTH})
   from (select id, version from removed_pet where version < $1 order by version desc limit $2) as removed
     join pet_version as removal on removal.pet_id = removed.id and removal.version = removed.version
     join pet_version as last on last.pet_id = removed.id and last.version = removal.previous
   order by removed.version desc`,
);

export async function listVersions(
  ask: Ask,
  id: bigint,
  fromVersion: bigint | undefined,
  limit: number,
): Promise<readonly PetVersion[]> {
  const rows: VersionRow[] = [];
  let left = MAX_CHARACTERS_READ;
  let next: bigint | undefined = fromVersion ?? MAX_INT64;
  while (next !== undefined && rows.length < limit && left >= 0) {
    const most = Math.min(WINDOW_ROWS, limit - rows.length);
    const window: readonly VersionRow[] = await ask<VersionRow>(ofPet, id, next, most, left);
    // The version asked for belongs to another pet, or does not exist.
    if (rows.length === 0 && fromVersion !== undefined && window[0]?.[0] !== fromVersion) return [];
    rows.push(...window);
    left -= window.reduce(
      (sum, [, , , , , text, profile]) => sum + Buffer.byteLength((text ?? '') + (profile ?? '')),
      0,
    );
    next = window.at(-1)?.[1] ?? undefined;
  }
  const actorIds = rows.map(([, , , , actorId]) => actorId);
  const nameOf = await readNames(actorIds, ask);
  return rows.map(([version, previous, storedAction, atMs, actorId, ...texts]) =>
    toPetVersion([version, previous, storedAction, atMs, actorId, nameOf(actorId), ...texts]),
  );
}

export async function listDeleted(
  ask: Ask,
  beforeVersion: bigint | undefined,
  limit: number,
): Promise<readonly DeletedPet[]> {
  const rows = await ask<DeletionRow>(removals, beforeVersion ?? MAX_INT64, limit);
  const actorIds = rows.map(([, , actorId]) => actorId);
  const nameOf = await readNames(actorIds, ask);
  return rows.map(([version, atMs, actorId, head, end]) =>
    toDeletedPet([version, atMs, actorId, nameOf(actorId), head, end]),
  );
}

/** The user names of accounts; null for deleted accounts. */
async function readNames(ids: readonly (bigint | null)[], ask: Ask): Promise<(id: bigint | null) => string | null> {
  const known = [...new Set(ids)].filter((id) => id !== null);
  const names = new Map(known.length === 0 ? [] : await ask<[id: bigint, name: string]>(namesOf, known));
  return (id) => (id === null ? null : (names.get(id) ?? null));
}
