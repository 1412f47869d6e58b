import { altEditOf, type AltEdit, type PetChange } from '../../../domain/pets/pet-change.ts';
import type { PhotoOfPet } from '../../../domain/photos/photo.ts';
import type { Ask } from '../engine/statements.ts';
import { statement } from '../engine/statements.ts';
import type { Transaction } from '../engine/transactions.ts';

// All combinations, which are more than needed: matching pairs would need a join.
const altsOf = statement(
  'select digest, pet_id, alt from pet_photo where digest = any($1::text[]) and pet_id = any($2::int8[]) and alt is not null',
);
const setAlts = statement(
  `update pet_photo set alt = said.alt from unnest($1::text[], $2::int8[], $3::text[]) as said (photo, id, alt)
   where digest = said.photo and pet_id = said.id`,
);

/** The descriptions of photos, by `keyOfAlt`; photos without one are missing. */
export async function readAlts(ask: Ask, asked: readonly PhotoOfPet[]): Promise<Map<string, string | null>> {
  if (asked.length === 0) return new Map();
  const [digests, ids] = [new Set(asked.map(({ digest }) => digest)), new Set(asked.map(({ petId }) => petId))];
  const rows = await ask<[digest: string, petId: bigint, alt: string]>(altsOf, [...digests], [...ids]);
  return new Map(rows.map(([digest, petId, alt]) => [keyOfAlt({ petId, digest }), alt]));
}

export function keyOfAlt({ petId, digest }: PhotoOfPet): string {
  return `${petId} ${digest}`;
}

/** The descriptions of photos, updated while a batch of changes is applied. */
export async function findAlts(changes: readonly PetChange[], { ask }: Transaction) {
  const asked = changes.map(altEditOf).filter((one) => one !== undefined);
  const now = await readAlts(ask, asked);
  const changed = new Map<string, { petId: bigint } & AltEdit>();

  function set(petId: bigint, alt: AltEdit): void {
    const key = keyOfAlt({ petId, digest: alt.digest });
    now.set(key, alt.text);
    changed.set(key, { petId, ...alt });
  }

  return {
    /** The current description of the photo whose description the change replaces. */
    before(change: PetChange): string | null {
      const one = altEditOf(change);
      return one === undefined ? null : (now.get(keyOfAlt(one)) ?? null);
    },

    set,

    /** Forgets the descriptions of photos that the pet does not refer to any more, in case it does again within the batch. */
    forget(petId: bigint, before: readonly string[] = [], now: readonly string[] = []): void {
      for (const digest of before) if (!now.includes(digest)) set(petId, { digest, text: null });
    },

    /** @param isThere whether the pet refers to the photo at the end of the batch */
    write(isThere: (one: PhotoOfPet) => boolean): Promise<unknown>[] {
      const said = [...changed.values()].filter(isThere);
      if (said.length === 0) return [];
      const digests = said.map(({ digest }) => digest);
      const ids = said.map(({ petId }) => petId);
      return [
        ask(
          setAlts,
          digests,
          ids,
          said.map(({ text }) => text),
        ),
      ];
    },
  };
}
