import type { DatabaseSync } from 'node:sqlite';
import { Failure } from '../../../domain/failure.ts';
import { isInHand } from '../../../domain/photos/photo-gallery.ts';
import type { AltEdit } from '../../../domain/pets/pet-change.ts';
import type { Photo } from '../../../domain/photos/photo.ts';
import type { PhotoOfPet } from '../../../domain/photos/photo.ts';
import { prepareChange, prepareRow, prepareRows } from '../engine/database.ts';
import type { PetCounts } from './pet-counts.ts';

/** Which pets refer to which pictures, and since when a picture is referred to by none; and how many are referred to. */
export function createPhotoReferences(db: DatabaseSync, counts: PetCounts) {
  const claimOn = prepareRows<[claimedUntilMs: bigint | null]>(
    db,
    'select claimed_until_ms from photo where digest = ? and doomed = 1',
  );
  const doomedButNotOfPet = prepareRow(
    db,
    `select 1 from json_each(?1) join photo on digest = value where doomed = 1
       and not exists (select 1 from pet_photo where pet_photo.digest = value and pet_id = ?2)`,
  );
  // Unused from now on, unless a pet has named it already. A doomed one that nobody has in hand begins anew.
  const addPhoto = prepareRows<[unusedSinceMs: bigint | null]>(
    db,
    `insert into photo (digest, media_type, byte_length, width, height, placeholder, unused_since_ms)
     select ?1, ?2, ?3, ?4, ?5, ?6, iif(exists (select 1 from pet_photo where digest = ?1), null, ?7) where true
     on conflict (digest) do update set media_type = excluded.media_type, byte_length = excluded.byte_length, width = excluded.width,
       height = excluded.height, placeholder = excluded.placeholder, unused_since_ms = excluded.unused_since_ms, doomed = 0, claimed_until_ms = null where photo.doomed = 1
     returning unused_since_ms`,
  );
  const ofPet = prepareRows<[digest: string]>(db, 'select digest from pet_photo where pet_id = ?');
  const release = prepareChange(db, 'delete from pet_photo where pet_id = ? and digest = ?');
  const markUnused = prepareRows<[byteLength: bigint]>(
    db,
    `update photo set unused_since_ms = ?1 where digest = ?2 and unused_since_ms is null and doomed = 0
       and not exists (select 1 from pet_photo where digest = ?2) returning byte_length`,
  );
  const refer = prepareChange(db, 'insert into pet_photo (digest, pet_id) values (?, ?) on conflict do nothing');
  const markUsed = prepareRows<[byteLength: bigint]>(
    db,
    'update photo set unused_since_ms = null where digest = ? and unused_since_ms is not null and doomed = 0 returning byte_length',
  );
  const altOf = prepareRows<[alt: string | null]>(db, 'select alt from pet_photo where digest = ? and pet_id = ?');
  const setAlt = prepareChange(db, 'update pet_photo set alt = ? where digest = ? and pet_id = ?');

  return {
    /** @throws Failure `unavailable` where the file of a picture that the pet comes to refer to may be going away; not that of one that is uploaded */
    demandKept(petId: bigint | undefined, digests: readonly string[], uploaded: Photo | undefined): void {
      const named = digests.filter((digest) => digest !== uploaded?.digest);
      if (named.length > 0 && doomedButNotOfPet(JSON.stringify(named), petId ?? null) !== undefined)
        throw photoIsDoomed();
    },

    /** @throws Failure `unavailable` while somebody has the picture in hand to remove it */
    add({ digest, mediaType, byteLength, width, height, placeholder }: Photo, nowMs: number): void {
      const [claim] = claimOn(digest);
      if (claim !== undefined && isInHand(claim[0] === null ? null : Number(claim[0]), nowMs)) throw photoIsDoomed();
      const [entered] = addPhoto(digest, mediaType, byteLength, width, height, placeholder, Date.now());
      if (entered?.[0] === null) counts.tally.pictures(1, byteLength);
    },

    /** What a pet says of one of its pictures; null where that is nothing. */
    altOf: ({ petId, digest }: PhotoOfPet): string | null => altOf(digest, petId)[0]?.[0] ?? null,

    setAlt(petId: bigint, { digest, text }: AltEdit): void {
      setAlt(text, digest, petId);
    },

    /** Makes these the pictures that the pet refers to. */
    set(petId: bigint, digests: readonly string[]): void {
      const wanted = new Set(digests);
      for (const [digest] of ofPet(petId)) {
        if (wanted.delete(digest)) continue;
        release(petId, digest);
        for (const [byteLength] of markUnused(Date.now(), digest)) counts.tally.pictures(-1, -Number(byteLength));
      }
      for (const digest of wanted) {
        refer(digest, petId);
        for (const [byteLength] of markUsed(digest)) counts.tally.pictures(1, Number(byteLength));
      }
    },
  };
}

function photoIsDoomed(): Failure {
  return new Failure(
    'unavailable',
    'This very picture is being cleared away at the moment. Send it again in a second.',
    { retryAfterSeconds: 1 },
  );
}
