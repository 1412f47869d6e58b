import { photoIsDoomed } from '../../domain/photos/photo.ts';
import { isClaimed } from '../../domain/photos/photo-files.ts';
import type { Photo } from '../../domain/photos/photo.ts';
import { statement } from './statements.ts';
import { ask, send, type Steps } from './steps.ts';

/*
 * Which photos are in use: those of pets (`pet_photo`), and the logo of the organisation (`site_record`). The index
 * records since when a photo has been unused, and `pet_count` the number and the bytes of those in use.
 */

export const PHOTOS_IN_USE = 'from photo where unused_since_ms is null and doomed = 0';

/** The condition that something refers to a photo. @param digest an SQL expression */
export function isReferredTo(digest: string): string {
  return `(exists (select 1 from pet_photo where pet_photo.digest = ${digest})
    or exists (select 1 from site_record where site_record.kind = 'organisation' and site_record.photo = ${digest}))`;
}

const claimOn = statement('select claimed_until_ms from photo where digest = $1 and doomed = 1');
const add = statement(
  `insert into photo (digest, media_type, byte_length, width, height, placeholder, unused_since_ms)
   values ($1, $2, $3, $4, $5, $6, $7)
   on conflict (digest) do update set media_type = excluded.media_type, byte_length = excluded.byte_length,
     width = excluded.width, height = excluded.height, placeholder = excluded.placeholder,
     unused_since_ms = excluded.unused_since_ms, doomed = 0, claimed_until_ms = null where photo.doomed = 1`,
);
const markUsed = statement(
  `update photo set unused_since_ms = null
   where digest = $1 and unused_since_ms is not null and doomed = 0 and ${isReferredTo('photo.digest')} returning byte_length`,
);
const markUnused = statement(
  `update photo set unused_since_ms = $2
   where digest = $1 and unused_since_ms is null and doomed = 0 and not ${isReferredTo('photo.digest')} returning byte_length`,
);
const count = statement(
  `insert into pet_count (kind, name, count) values ($1, '', $2)
   on conflict (kind, name) do update set count = pet_count.count + excluded.count`,
);

/** Adds the entry of an uploaded photo, which is unused until something refers to it. */
export function* addPhoto(photo: Photo, nowMs: number): Steps<void> {
  const { digest, mediaType, byteLength, width, height, placeholder } = photo;
  const [claim] = yield* ask<[claimedUntilMs: bigint | null]>(claimOn, digest);
  if (claim !== undefined && isClaimed(claim[0] === null ? null : Number(claim[0]), nowMs)) throw photoIsDoomed();
  yield* send(add, digest, mediaType, byteLength, width, height, placeholder, Date.now());
}

/** Records that a photo has become used or unused. Call after the change of what refers to it. */
export function* recordUse(digest: string): Steps<void> {
  const used = yield* ask<[byteLength: bigint]>(markUsed, digest);
  const unused = yield* ask<[byteLength: bigint]>(markUnused, digest, Date.now());
  for (const [byteLength] of used) yield* countPhotos(1n, byteLength);
  for (const [byteLength] of unused) yield* countPhotos(-1n, -byteLength);
}

function* countPhotos(photos: bigint, bytes: bigint): Steps<void> {
  yield* send(count, 'picture', photos);
  yield* send(count, 'picture-bytes', bytes);
}
