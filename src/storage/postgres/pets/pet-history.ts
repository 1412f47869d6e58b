import { MAX_INT64 } from '../../../domain/int64.ts';
import type { PetAction } from '../../../domain/pets/pet-change.ts';
import type { PetVersion } from '../../../domain/pets/pet-version.ts';
import type { BatchedPetStore } from '../../../domain/pets/ports.ts';
import { MAX_CHARACTERS_READ } from '../../../domain/portions.ts';
import type { Ask } from '../engine/statements.ts';
import { statement } from '../engine/statements.ts';

type VersionRow = [
  version: bigint,
  previous: bigint | null,
  action: PetAction,
  atMs: bigint,
  actorId: bigint | null,
  text: string | null,
];

/** So many versions are read by one statement, where their texts are short. Versions never change, so it does not matter what happens in between. */
const WINDOW_ROWS = 100;

// Those whose texts before them, newer ones, are no longer than the last parameter: the first one is always among them.
const ofPet = statement(
  `select version, previous, action, changed_at_ms, changed_by, text from (
     select version, previous, action, changed_at_ms, changed_by, text, sum(coalesce(octet_length(text), 0))
       over (order by version desc rows between unbounded preceding and current row) - coalesce(octet_length(text), 0) as bytes_before
     from (select version, previous, action, changed_at_ms, changed_by, text from pet_version
       where pet_id = $1 and version <= $2 order by version desc limit $3) as found) as measured
   where bytes_before <= $4::int8 order by version desc`,
);
// Not joined: accounts do not lie where pets lie.
const namesOf = statement('select id, username from account where id = any($1::int8[])');

export function openPetHistory(ask: Ask): BatchedPetStore['listVersions'] {
  return async (id, fromVersion, limit) => {
    const rows: VersionRow[] = [];
    let left = MAX_CHARACTERS_READ;
    let next: bigint | undefined = fromVersion ?? MAX_INT64;
    while (next !== undefined && rows.length < limit && left >= 0) {
      const window: readonly VersionRow[] = await ask<VersionRow>(
        ofPet,
        id,
        next,
        Math.min(WINDOW_ROWS, limit - rows.length),
        left,
      );
      // It begins below a version that is of another pet, or of none.
      if (rows.length === 0 && fromVersion !== undefined && window[0]?.[0] !== fromVersion) return [];
      rows.push(...window);
      left -= window.reduce((sum, [, , , , , text]) => sum + (text === null ? 0 : Buffer.byteLength(text)), 0);
      next = window.at(-1)?.[1] ?? undefined;
    }
    const names = await namesOfAccounts(
      rows.map(([, , , , actorId]) => actorId),
      ask,
    );
    return rows.map((row) => toVersion(row, names));
  };
}

/** What accounts are called; nothing of those that are no more. */
export async function namesOfAccounts(ids: readonly (bigint | null)[], ask: Ask): Promise<ReadonlyMap<bigint, string>> {
  const known = [...new Set(ids)].filter((id) => id !== null);
  return new Map(known.length === 0 ? [] : await ask<[id: bigint, name: string]>(namesOf, known));
}

function toVersion(row: VersionRow, names: ReadonlyMap<bigint, string>): PetVersion {
  const [version, previous, action, atMs, actorId, text] = row;
  const actor = actorId === null ? undefined : { id: actorId, name: names.get(actorId) ?? null };
  return { version, previous: previous ?? undefined, action, atMs: Number(atMs), actor, text };
}
