import { isClaimed } from '../../../domain/photos/photo-files.ts';
import { photoIsDoomed, type Photo } from '../../../domain/photos/photo.ts';
import { isReferredTo } from '../../rows/photo-use.ts';
import { statement } from '../engine/statements.ts';
import type { Transaction } from '../engine/transactions.ts';

const doomedAmong = statement(
  'select digest, claimed_until_ms from photo where digest = any($1::text[]) and doomed = 1',
);
// Unused until a pet refers to it. A photo that is marked for deletion, but not claimed, becomes a new entry.
const addPhotos = statement(
  `insert into photo (digest, media_type, byte_length, width, height, placeholder, unused_since_ms)
   select digest, media_type, byte_length, width, height, placeholder, $7::int8
   from unnest($1::text[], $2::text[], $3::int8[], $4::int8[], $5::int8[], $6::text[])
     as added (digest, media_type, byte_length, width, height, placeholder)
   on conflict (digest) do update set media_type = excluded.media_type, byte_length = excluded.byte_length, width = excluded.width,
     height = excluded.height, placeholder = excluded.placeholder, unused_since_ms = excluded.unused_since_ms, doomed = 0, claimed_until_ms = null where photo.doomed = 1`,
);
const release = statement(
  `delete from pet_photo using unnest($1::text[], $2::int8[]) as gone (photo, id) where digest = gone.photo and pet_id = gone.id`,
);
const refer = statement(
  'insert into pet_photo (digest, pet_id) select * from unnest($1::text[], $2::int8[]) on conflict (digest, ' +
    'pet_id) do nothing',
);
const IS_REFERRED_TO = isReferredTo('photo.digest');
/** Conditions for photos that have become unused or used, and are not marked so yet. */
const NEWLY = {
  unused: `digest = any($1::text[]) and unused_since_ms is null and doomed = 0 and not ${IS_REFERRED_TO}`,
  used: `digest = any($1::text[]) and unused_since_ms is not null and doomed = 0 and ${IS_REFERRED_TO}`,
};
const markUnused = statement(`update photo set unused_since_ms = $2 where ${NEWLY.unused}`);
const markUsed = statement(`update photo set unused_since_ms = null where ${NEWLY.used}`);
const [countUnused, countUsed] = (['unused', 'used'] as const).map((newly) =>
  statement(
    `insert into pet_count (kind, name, count)
     select kind, '', ${newly === 'unused' ? '-' : ''}case kind when 'picture' then photos else bytes end
     from (select count(*) as photos, sum(byte_length)::int8 as bytes from photo where ${NEWLY[newly]}) as counted
       cross join unnest(array['picture', 'picture-bytes']) as kinds (kind)
     where photos > 0
     on conflict (kind, name) do update set count = pet_count.count + excluded.count`,
  ),
) as [ReturnType<typeof statement>, ReturnType<typeof statement>];

/** The photos that a pet refers to, before and after a change. */
interface PhotosOfPet {
  id: bigint;
  before: readonly string[];
  now: readonly string[];
}

/** Finds which of these photos are marked for deletion. The result is updated while a batch of changes is applied. */
export async function findDoomed(digests: readonly string[], { ask }: Transaction) {
  const rows =
    digests.length === 0 ? [] : await ask<[digest: string, claimedUntilMs: bigint | null]>(doomedAmong, digests);
  const doomed = new Map(rows.map(([digest, untilMs]) => [digest, untilMs === null ? null : Number(untilMs)]));
  return {
    /**
     * @throws Failure `unavailable` if a pet newly refers to a photo that is marked for deletion, because its file may
     *   be incomplete
     */
    requireKept(digests: readonly string[]): void {
      if (digests.some((digest) => doomed.has(digest))) throw photoIsDoomed();
    },

    /** Unmarks an uploaded photo. @throws Failure `unavailable` while the photo is claimed for deletion */
    revive({ digest }: Photo, nowMs: number): void {
      if (isClaimed(doomed.get(digest), nowMs)) throw photoIsDoomed();
      doomed.delete(digest);
    },
  };
}

/**
 * Writes index entries, the references of pets to photos, since when photos have been unused, and the counts of photos
 * in use.
 */
export function writePhotos(
  photos: readonly Photo[],
  pets: readonly PhotosOfPet[],
  { ask }: Transaction,
): Promise<unknown>[] {
  const gone: [digest: string, id: bigint][] = [];
  const added: [digest: string, id: bigint][] = [];
  for (const { id, before, now } of pets) {
    for (const digest of before) if (!now.includes(digest)) gone.push([digest, id]);
    for (const digest of now) if (!before.includes(digest)) added.push([digest, id]);
  }
  const writes: Promise<unknown>[] = [];
  if (photos.length > 0) {
    writes.push(
      ask(
        addPhotos,
        photos.map(({ digest }) => digest),
        photos.map(({ mediaType }) => mediaType),
        photos.map(({ byteLength }) => byteLength),
        photos.map(({ width }) => width),
        photos.map(({ height }) => height),
        photos.map(({ placeholder }) => placeholder),
        Date.now(),
      ),
    );
  }
  // Order matters: the server executes the statements of a transaction sequentially.
  if (gone.length > 0) {
    const [digests, ids] = pairColumns(gone);
    writes.push(ask(release, digests, ids), ask(countUnused, digests), ask(markUnused, digests, Date.now()));
  }
  if (added.length > 0) {
    const [digests, ids] = pairColumns(added);
    writes.push(ask(refer, digests, ids));
  }
  // A pet may have referred to a photo before its entry was written.
  const named = [...added.map(([digest]) => digest), ...photos.map(({ digest }) => digest)];
  if (named.length > 0) writes.push(ask(countUsed, named), ask(markUsed, named));
  return writes;
}

/** Splits pairs of a value and a pet id into two columns. */
export function pairColumns(pairs: readonly [string, bigint][]) {
  return [pairs.map(([value]) => value), pairs.map(([, id]) => id)] as const;
}
