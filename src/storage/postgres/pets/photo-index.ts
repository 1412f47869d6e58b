import type { Photo, PhotoOfPet } from '../../../domain/photos/photo.ts';
import type { PhotoChange, PhotoIndex } from '../../../domain/photos/ports.ts';
import { PHOTO_COLUMNS, publicPhotos, toPhoto, type PhotoRow } from '../../rows/pets.ts';
import { isReferredTo } from '../../rows/photo-use.ts';
import { gather } from '../../rows/gather.ts';
import { askCommon, statement, type Ask } from '../engine/statements.ts';
import { eachInTurn, type StoreWrites } from '../engine/transactions.ts';
import type { Writer } from '../engine/writer.ts';
import { keyOfAlt, readAlts } from './photo-alts.ts';

const byDigests = statement(`select ${PHOTO_COLUMNS} from photo where digest = any($1::text[]) and doomed = 0`);
const some = statement('select digest from photo where doomed = 0 order by digest limit $1');
const seeStrays = statement(
  `insert into stray_photo (digest, first_seen_ms)
   select stray.digest, $2::int8 from unnest($1::text[]) as stray (digest)
   where not exists (select 1 from photo where photo.digest = stray.digest)
   on conflict (digest) do nothing`,
);
const doomStrays = statement(
  `insert into photo (digest, media_type, byte_length, width, height, unused_since_ms, doomed)
   select digest, 'image/jpeg', 0, 0, 0, $2::int8, 1 from stray_photo where digest = any($1::text[]) and first_seen_ms < $2
   on conflict (digest) do nothing`,
);
const claimUnknown = statement(
  `insert into photo (digest, media_type, byte_length, width, height, unused_since_ms, doomed, claimed_until_ms)
   select unknown.digest, 'image/jpeg', 0, 0, 0, $2::int8, 1, $3::int8 from unnest($1::text[]) as unknown (digest)
   where not ${isReferredTo('unknown.digest')}
   on conflict (digest) do nothing returning digest`,
);
const forgetStrays = statement('delete from stray_photo where digest = any($1::text[])');
const claimDoomed = statement(
  `update photo set claimed_until_ms = $1 where digest = any(array(
     select digest from photo where doomed = 1 and (claimed_until_ms is null or claimed_until_ms <= $2 or claimed_until_ms > $3)
     order by claimed_until_ms limit $4)) returning digest`,
);
const doomUnused = statement(
  `update photo set doomed = 1, claimed_until_ms = $1 where digest = any(array(
     select digest from photo where unused_since_ms < $2 and doomed = 0 order by unused_since_ms limit $3)) returning digest`,
);
const forget = statement('delete from photo where digest = any($1::text[]) and doomed = 1 and claimed_until_ms = $2');
const setPlaceholder = statement('update photo set placeholder = $1 where digest = $2 and placeholder is null');
const release = statement(
  'update photo set claimed_until_ms = null where digest = any($1::text[]) and doomed = 1 and claimed_until_ms = $2',
);

export class PostgresPhotoIndex implements PhotoIndex {
  readonly #ask: Ask;
  readonly #writer: Writer;

  constructor({ ask, writer }: { ask: Ask; writer: Writer }) {
    this.#ask = ask;
    this.#writer = writer;
  }

  readonly find = gather(async (digests: readonly string[]): Promise<readonly (Photo | undefined)[]> => {
    const rows = await this.#ask<PhotoRow>(byDigests, digests);
    const found = new Map(rows.map((row) => [row[0], toPhoto(row)]));
    return digests.map((digest) => found.get(digest));
  });

  readonly isPublic = gather(async (digests: readonly string[]): Promise<readonly boolean[]> => {
    const rows = await askCommon(this.#ask)<[digest: string]>(publicPhotos, digests);
    const found = new Set(rows.map(([digest]) => digest));
    return digests.map((digest) => found.has(digest));
  });

  readonly findAlt = gather(async (photos: readonly PhotoOfPet[]): Promise<readonly (string | null)[]> => {
    const found = await readAlts(this.#ask, photos);
    return photos.map((photo) => found.get(keyOfAlt(photo)) ?? null);
  });

  async listSome(limit: number): Promise<readonly string[]> {
    return (await this.#ask<[digest: string]>(some, limit)).map(([digest]) => digest);
  }

  apply(change: PhotoChange): Promise<readonly string[]> {
    return this.#writer.apply('photos', change);
  }
}

export const photoWrites: StoreWrites<PhotoChange, readonly string[]> = eachInTurn(async (change, { ask }) => {
  if (change.kind === 'set-placeholder') {
    await ask(setPlaceholder, change.placeholder, change.digest);
    return [];
  }
  if (change.kind === 'claim-unknown') {
    const { digests, nowMs, claimMs } = change;
    return (await ask<[digest: string]>(claimUnknown, digests, nowMs, nowMs + claimMs)).flat();
  }
  if (change.kind !== 'doom') {
    await ask(change.kind === 'forget' ? forget : release, change.digests, change.claimedUntilMs);
    if (change.kind === 'forget') await ask(forgetStrays, change.digests);
    return [];
  }
  const { beforeMs, strayDigests, nowMs, claimMs, most } = change;
  if (strayDigests.length > 0) {
    await ask(seeStrays, strayDigests, nowMs);
    await ask(doomStrays, strayDigests, beforeMs);
  }
  const untilMs = nowMs + claimMs;
  const claimed = await ask<[digest: string]>(claimDoomed, untilMs, nowMs, nowMs + 2 * claimMs, most);
  // At most as many as are claimed: a photo that is marked, but not deleted yet, is no longer served.
  const unused = await ask<[digest: string]>(doomUnused, untilMs, beforeMs, most - claimed.length);
  return [...claimed, ...unused].map(([digest]) => digest);
});
