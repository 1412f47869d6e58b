import { altEditOf, type AltEdit, type PetChange } from '../../../domain/pets/pet-change.ts';
import type { PhotoOfPet } from '../../../domain/photos/photo.ts';
import type { Ask } from '../engine/statements.ts';
import { statement } from '../engine/statements.ts';
import type { Transaction } from '../engine/transactions.ts';

// All combinations, which are more than needed: matching pairs would need a join.
const altsOf = statement(
  'select digest, pet_id, alt from pet_photo where digest = any($1::text[]) and pet_id = any($2::int8[]) and alt ' +
    'is not null',
);
const setAlts = statement(
  `update pet_photo set alt = texts.alt from unnest($1::text[], $2::int8[], $3::text[]) as texts (photo, id, alt)
   where digest = texts.photo and pet_id = texts.id`,
);

/** The alternative texts of photos, by `keyOfAlt`; photos without one are missing. */
export async function readAlts(ask: Ask, asked: readonly PhotoOfPet[]): Promise<Map<string, string | null>> {
  if (asked.length === 0) return new Map();
  const [digests, ids] = [new Set(asked.map(({ digest }) => digest)), new Set(asked.map(({ petId }) => petId))];
  const rows = await ask<[digest: string, petId: bigint, alt: string]>(altsOf, [...digests], [...ids]);
  return new Map(rows.map(([digest, petId, alt]) => [keyOfAlt({ petId, digest }), alt]));
}

export function keyOfAlt({ petId, digest }: PhotoOfPet): string {
  return `${petId} ${digest}`;
}

/** The alternative texts of photos, updated while a batch of changes is applied. */
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
    /** The current alternative text of the photo whose alternative text the change replaces. */
    before(change: PetChange): string | null {
      const one = altEditOf(change);
      return one === undefined ? null : (now.get(keyOfAlt(one)) ?? null);
    },

    set,

    /**
     * Forgets the alternative texts of photos that the pet no longer refers to, in case it does again within the batch.
     */
    forget(petId: bigint, before: readonly string[] = [], now: readonly string[] = []): void {
      for (const digest of before) if (!now.includes(digest)) set(petId, { digest, text: null });
    },

    /** @param isUsed whether the pet refers to the photo at the end of the batch */
    write(isUsed: (one: PhotoOfPet) => boolean): Promise<unknown>[] {
      const texts = [...changed.values()].filter(isUsed);
      if (texts.length === 0) return [];
      const digests = texts.map(({ digest }) => digest);
      const ids = texts.map(({ petId }) => petId);
      return [
        ask(
          setAlts,
          digests,
          ids,
          texts.map(({ text }) => text),
        ),
      ];
    },
  };
}
