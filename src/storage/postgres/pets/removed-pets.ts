import { MAX_INT64 } from '../../../domain/int64.ts';
import { LISTS_BEGIN, STATUS_END_LENGTH, textWithoutLists } from '../../../domain/pets/pet.ts';
import type { BatchedPetStore } from '../../../domain/pets/ports.ts';
import type { Ask } from '../engine/statements.ts';
import { statement } from '../engine/statements.ts';
import { namesOfAccounts } from './pet-history.ts';

type RemovalRow = [version: bigint, atMs: bigint, actorId: bigint | null, head: string, end: string];

const removals = statement(
  `select removed.version, removal.changed_at_ms, removal.changed_by, split_part(last.text, '${LISTS_BEGIN}', 1), right(last.text, ${STATUS_END_LENGTH})
   from (select id, version from removed_pet where version < $1 order by version desc limit $2) as removed
     join pet_version as removal on removal.pet_id = removed.id and removal.version = removed.version
     join pet_version as last on last.pet_id = removed.id and last.version = removal.previous
   order by removed.version desc`,
);

export function openRemovedPets(ask: Ask): BatchedPetStore['listRemoved'] {
  return async (beforeVersion, limit) => {
    const rows = await ask<RemovalRow>(removals, beforeVersion ?? MAX_INT64, limit);
    const names = await namesOfAccounts(
      rows.map(([, , actorId]) => actorId),
      ask,
    );
    return rows.map(([version, atMs, actorId, head, end]) => ({
      version,
      atMs: Number(atMs),
      actor: actorId === null ? undefined : { id: actorId, name: names.get(actorId) ?? null },
      text: textWithoutLists(head, end),
    }));
  };
}
