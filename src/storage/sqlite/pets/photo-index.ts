import type { DatabaseSync } from 'node:sqlite';
import type { Photo, PhotoOfPet } from '../../../domain/photos/photo.ts';
import type { PhotoChange, PhotoIndex } from '../../../domain/pets/ports.ts';
import { PHOTO_COLUMNS, toPhoto, type PhotoRow } from '../../rows/pets.ts';
import { prepare, prepareRow, prepareRows } from '../engine/database.ts';
import type { TransactionWrites, Writer } from '../engine/writer.ts';

/** Reads on the event loop's own connection. */
export class SqlitePhotoIndex implements PhotoIndex {
  readonly #writer: Writer;
  readonly #byDigest;
  readonly #alt;
  readonly #some;

  constructor({ reader, writer }: { reader: DatabaseSync; writer: Writer }) {
    this.#writer = writer;
    this.#byDigest = prepareRow(reader, `select ${PHOTO_COLUMNS} from photo where digest = ? and doomed = 0`);
    this.#alt = prepareRow(reader, 'select alt from pet_photo where digest = ? and pet_id = ?');
    this.#some = prepareRows<[digest: string]>(
      reader,
      'select digest from photo where doomed = 0 order by digest limit ?',
    );
  }

  find(digest: string): Photo | undefined {
    const row = this.#byDigest(digest) as PhotoRow | undefined;
    return row && toPhoto(row);
  }

  findAlt({ petId, digest }: PhotoOfPet): string | null {
    return (this.#alt(digest, petId)?.[0] ?? null) as string | null;
  }

  async listSome(limit: number): Promise<readonly string[]> {
    return this.#some(limit).map(([digest]) => digest);
  }

  apply(change: PhotoChange): Promise<readonly string[]> {
    return this.#writer.apply('photo', change);
  }
}

export class PhotoWrites implements TransactionWrites<PhotoChange, readonly string[]> {
  readonly #seeStrays;
  readonly #doomStrays;
  readonly #forgetStray;
  readonly #claimDoomed;
  readonly #doomUnused;
  readonly #forget;
  readonly #release;
  readonly #setPlaceholder;

  constructor(db: DatabaseSync) {
    this.#seeStrays = prepare(
      db,
      `insert into stray_photo (digest, first_seen_ms)
       select value, ?2 from json_each(?1) where not exists (select 1 from photo where digest = value) on conflict do nothing`,
    );
    this.#doomStrays = prepare(
      db,
      `insert into photo (digest, media_type, byte_length, width, height, unused_since_ms, doomed)
       select digest, 'image/jpeg', 0, 0, 0, ?2, 1 from json_each(?1) join stray_photo on digest = value where first_seen_ms < ?2
       on conflict do nothing`,
    );
    this.#forgetStray = prepare(db, 'delete from stray_photo where digest = ?');
    this.#claimDoomed = prepareRows<[digest: string]>(
      db,
      `update photo set claimed_until_ms = ? where digest in
         (select digest from photo where doomed = 1 and (claimed_until_ms is null or claimed_until_ms <= ? or claimed_until_ms > ?)
          order by claimed_until_ms limit ?)
       returning digest`,
    );
    this.#doomUnused = prepareRows<[digest: string]>(
      db,
      `update photo set doomed = 1, claimed_until_ms = ? where digest in
         (select digest from photo where unused_since_ms < ? and doomed = 0 order by unused_since_ms limit ?)
       returning digest`,
    );
    this.#forget = prepare(db, 'delete from photo where digest = ? and doomed = 1 and claimed_until_ms = ?');
    this.#release = prepare(
      db,
      'update photo set claimed_until_ms = null where digest = ? and doomed = 1 and claimed_until_ms = ?',
    );
    this.#setPlaceholder = prepare(db, 'update photo set placeholder = ? where digest = ? and placeholder is null');
  }

  apply(change: PhotoChange): readonly string[] {
    switch (change.kind) {
      case 'doom':
        return this.#doom(change);
      case 'forget':
        for (const digest of change.digests) {
          this.#forget.run(digest, change.claimedUntilMs);
          this.#forgetStray.run(digest);
        }
        break;
      case 'release':
        for (const digest of change.digests) this.#release.run(digest, change.claimedUntilMs);
        break;
      case 'set-placeholder':
        this.#setPlaceholder.run(change.placeholder, change.digest);
    }
    return [];
  }

  #doom({ beforeMs, strayDigests, nowMs, claimMs, most }: Extract<PhotoChange, { kind: 'doom' }>): readonly string[] {
    if (strayDigests.length > 0) {
      const strays = JSON.stringify(strayDigests);
      this.#seeStrays.run(strays, nowMs);
      this.#doomStrays.run(strays, beforeMs);
    }
    const untilMs = nowMs + claimMs;
    const claimed = this.#claimDoomed(untilMs, nowMs, nowMs + 2 * claimMs, most);
    // At most as many as are claimed: a photo that is marked and not yet deleted cannot be shown any more.
    const unused = this.#doomUnused(untilMs, beforeMs, most - claimed.length);
    return [...claimed, ...unused].map(([digest]) => digest);
  }
}
