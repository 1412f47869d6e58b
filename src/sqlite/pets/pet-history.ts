import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PetAction } from '../../domain/pets/pet-change.ts';
import type { PetVersion } from '../../domain/pets/pet-history.ts';
import type { PetStore } from '../../domain/pets/ports.ts';
import { prepareRow } from '../engine/database.ts';
import type { Snapshots } from '../engine/snapshots.ts';

type VersionRow = [
  version: bigint,
  previous: bigint | null,
  action: PetAction,
  atMs: bigint,
  actorId: bigint | null,
  actorName: string | null,
  text: string | null,
];

/** So many versions are read in one go: a text may be long. Versions never change, so it does not matter what happens in between. */
const WINDOW_ROWS = 100;

/** Follows the chain of a pet's versions, which its newest one begins: an index by pet would cost every change something. */
export function preparePetHistory(reader: DatabaseSync, { inSnapshot }: Snapshots): PetStore['listVersions'] {
  const newest = prepareRow(
    reader,
    'select version from pet where id = ?1 union all select version from removed_pet where id = ?1',
  );
  const ofPet = prepareRow(
    reader,
    `select version, previous, action, changed_at_ms, changed_by, username, text
     from pet_version left join account on account.id = changed_by where version = ? and pet_id = ?`,
  );

  function followChain(id: bigint, fromVersion: bigint, most: number): PetVersion[] {
    const versions: PetVersion[] = [];
    for (let next: bigint | undefined = fromVersion; next !== undefined && versions.length < most;) {
      const row = ofPet(next, id) as VersionRow | undefined;
      if (row !== undefined) versions.push(toVersion(row));
      next = row?.[1] ?? undefined;
    }
    return versions;
  }

  return async (id, fromVersion, limit) => {
    const versions: PetVersion[] = [];
    let next = fromVersion ?? (newest(id)?.[0] as bigint | undefined);
    while (next !== undefined && versions.length < limit) {
      const from = next;
      versions.push(...inSnapshot(() => followChain(id, from, Math.min(WINDOW_ROWS, limit - versions.length))));
      next = versions.at(-1)?.previous;
      if (next !== undefined && versions.length < limit) await nextTurn();
    }
    return versions;
  };
}

function toVersion([version, previous, action, atMs, actorId, name, text]: VersionRow): PetVersion {
  const actor = actorId === null ? undefined : { id: actorId, name };
  return { version, previous: previous ?? undefined, action, atMs: Number(atMs), actor, text };
}
