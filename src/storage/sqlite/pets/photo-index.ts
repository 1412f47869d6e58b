import type { DatabaseSync } from 'node:sqlite';
import type { PhotoMediaType, Photo } from '../../../domain/photos/photo.ts';
import type { PhotoChange, BatchedPhotoIndex } from '../../../domain/pets/ports.ts';
import { prepare, prepareRows } from '../engine/database.ts';
import type { TransactionWrites, Writer } from '../engine/writer.ts';

type PhotoRow = [
  key: bigint,
  digest: string,
  mediaType: PhotoMediaType,
  byteLength: bigint,
  width: bigint,
  height: bigint,
  placeholder: string | null,
];

/** Reads on the event loop's own connection; changes through the writer. */
export function openPhotoIndex(reader: DatabaseSync, writer: Writer): BatchedPhotoIndex {
  const byDigests = prepareRows<PhotoRow>(
    reader,
    `select key, digest, media_type, byte_length, width, height, placeholder from json_each(?) join photo on digest = value where doomed = 0`,
  );
  const alts = prepareRows<[key: bigint, alt: string]>(
    reader,
    `select key, alt from json_each(?) join pet_photo on digest = value ->> 0 and pet_id = cast(value ->> 1 as integer) where alt is not null`,
  );

  const some = prepareRows<[digest: string]>(
    reader,
    'select digest from photo where doomed = 0 order by digest limit ?',
  );

  return {
    findMany: async (digests) => {
      const found: (Photo | undefined)[] = Array.from({ length: digests.length });
      for (const [key, digest, mediaType, byteLength, width, height, placeholder] of byDigests(
        JSON.stringify(digests),
      )) {
        found[Number(key)] = {
          digest,
          mediaType,
          byteLength: Number(byteLength),
          width: Number(width),
          height: Number(height),
          placeholder,
        };
      }
      return found;
    },
    findAlts: async (asked) => {
      const found: (string | null)[] = asked.map(() => null);
      const pairs = asked.map(({ petId, digest }) => [digest, petId.toString()]);
      for (const [key, alt] of alts(JSON.stringify(pairs))) found[Number(key)] = alt;
      return found;
    },
    listSome: async (limit) => some(limit).map(([digest]) => digest),
    applyAll: (changes) => writer.apply('photo', changes),
  };
}

/** The clearing away of pictures. */
export function createPhotoWrites(db: DatabaseSync): TransactionWrites<PhotoChange, readonly string[]> {
  const seeStrays = prepare(
    db,
    `insert into stray_photo (digest, first_seen_ms)
     select value, ?2 from json_each(?1) where not exists (select 1 from photo where digest = value) on conflict do nothing`,
  );
  const doomStrays = prepare(
    db,
    `insert into photo (digest, media_type, byte_length, width, height, unused_since_ms, doomed)
     select digest, 'image/jpeg', 0, 0, 0, ?2, 1 from json_each(?1) join stray_photo on digest = value where first_seen_ms < ?2
     on conflict do nothing`,
  );
  const forgetStray = prepare(db, 'delete from stray_photo where digest = ?');
  const claimDoomed = prepareRows<[digest: string]>(
    db,
    `update photo set claimed_until_ms = ? where digest in
       (select digest from photo where doomed = 1 and (claimed_until_ms is null or claimed_until_ms <= ? or claimed_until_ms > ?)
        order by claimed_until_ms limit ?)
     returning digest`,
  );
  const doomUnused = prepareRows<[digest: string]>(
    db,
    `update photo set doomed = 1, claimed_until_ms = ? where digest in
       (select digest from photo where unused_since_ms < ? and doomed = 0 order by unused_since_ms limit ?)
     returning digest`,
  );
  const forget = prepare(db, 'delete from photo where digest = ? and doomed = 1 and claimed_until_ms = ?');
  const release = prepare(
    db,
    'update photo set claimed_until_ms = null where digest = ? and doomed = 1 and claimed_until_ms = ?',
  );
  const setPlaceholder = prepare(db, 'update photo set placeholder = ? where digest = ? and placeholder is null');

  return {
    apply(change) {
      if (change.kind === 'set-placeholder') {
        setPlaceholder.run(change.placeholder, change.digest);
        return [];
      }
      if (change.kind !== 'doom') {
        const write = change.kind === 'forget' ? forget : release;
        for (const digest of change.digests) write.run(digest, change.claimedUntilMs);
        if (change.kind === 'forget') for (const digest of change.digests) forgetStray.run(digest);
        return [];
      }
      const { beforeMs, strayDigests, nowMs, claimMs, most } = change;
      if (strayDigests.length > 0) {
        const strays = JSON.stringify(strayDigests);
        seeStrays.run(strays, nowMs);
        doomStrays.run(strays, beforeMs);
      }
      const untilMs = nowMs + claimMs;
      const claimed = claimDoomed(untilMs, nowMs, nowMs + 2 * claimMs, most);
      // No more than it takes: what is marked and not removed yet cannot be shown any more.
      const unused = doomUnused(untilMs, beforeMs, most - claimed.length);
      return [...claimed, ...unused].map(([digest]) => digest);
    },
  };
}
