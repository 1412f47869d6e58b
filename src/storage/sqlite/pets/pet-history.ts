import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PetAction } from '../../../domain/pets/pet-change.ts';
import type { PetVersion } from '../../../domain/pets/pet-version.ts';
import type { BatchedPetStore } from '../../../domain/pets/ports.ts';
import { MAX_CHARACTERS_READ } from '../../../domain/portions.ts';
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

/** So many versions are read in one go, where their texts are short. Versions never change, so it does not matter what happens in between. */
const WINDOW_ROWS = 100;

/** Follows the chain of a pet's versions, which its newest one begins: an index by pet would cost every change something. */
export function preparePetHistory(reader: DatabaseSync, { inSnapshot }: Snapshots): BatchedPetStore['listVersions'] {
  const newest = prepareRow(
    reader,
    'select version from pet where id = ?1 union all select version from removed_pet where id = ?1',
  );
  const ofPet = prepareRow(
    reader,
    `select version, previous, action, changed_at_ms, changed_by, username, text
     from pet_version left join account on account.id = changed_by where version = ? and pet_id = ?`,
  );

  /** @returns with how many characters their texts have */
  function followChain(id: bigint, fromVersion: bigint, most: number, mostCharacters: number) {
    const versions: PetVersion[] = [];
    let characters = 0;
    let next: bigint | undefined = fromVersion;
    while (next !== undefined && versions.length < most && characters <= mostCharacters) {
      const row = ofPet(next, id) as VersionRow | undefined;
      if (row !== undefined) versions.push(toVersion(row));
      characters += row?.[6]?.length ?? 0;
      next = row?.[1] ?? undefined;
    }
    return { versions, characters };
  }

  return async (id, fromVersion, limit) => {
    const versions: PetVersion[] = [];
    let left = MAX_CHARACTERS_READ;
    let next = fromVersion ?? (newest(id)?.[0] as bigint | undefined);
    while (next !== undefined && versions.length < limit && left >= 0) {
      if (versions.length > 0) await nextTurn();
      const from = next;
      const most = Math.min(WINDOW_ROWS, limit - versions.length);
      const window = inSnapshot(() => followChain(id, from, most, left));
      versions.push(...window.versions);
      left -= window.characters;
      next = versions.at(-1)?.previous;
    }
    return versions;
  };
}

function toVersion([version, previous, action, atMs, actorId, name, text]: VersionRow): PetVersion {
  const actor = actorId === null ? undefined : { id: actorId, name };
  return { version, previous: previous ?? undefined, action, atMs: Number(atMs), actor, text };
}
