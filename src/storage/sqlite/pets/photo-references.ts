import type { DatabaseSync } from 'node:sqlite';
import { isClaimed } from '../../../domain/photos/photo-files.ts';
import type { AltEdit } from '../../../domain/pets/pet-change.ts';
import { photoIsDoomed, type Photo, type PhotoOfPet } from '../../../domain/photos/photo.ts';
import { isReferredTo } from '../../rows/photo-use.ts';
import { prepareChange, prepareRow, prepareRows } from '../engine/database.ts';
import type { PetCounts } from './pet-counts.ts';

/** Records which pets refer to which photos, since when a photo has been unused, and how many photos are in use. */
export class PhotoReferences {
  readonly #counts: PetCounts;
  readonly #claimOn;
  readonly #doomedOfOthers;
  readonly #addPhoto;
  readonly #ofPet;
  readonly #release;
  readonly #markUnused;
  readonly #refer;
  readonly #markUsed;
  readonly #altOf;
  readonly #setAlt;

  constructor(db: DatabaseSync, counts: PetCounts) {
    this.#counts = counts;
    this.#claimOn = prepareRows<[claimedUntilMs: bigint | null]>(
      db,
      'select claimed_until_ms from photo where digest = ? and doomed = 1',
    );
    this.#doomedOfOthers = prepareRow(
      db,
      `select 1 from json_each(?1) join photo on digest = value where doomed = 1
         and not exists (select 1 from pet_photo where pet_photo.digest = value and pet_id = ?2)`,
    );
    // Unused from now on, unless a pet already refers to it. A photo that is marked for deletion, but not claimed,
    // becomes a new entry.
    this.#addPhoto = prepareRows<[unusedSinceMs: bigint | null]>(
      db,
      `insert into photo (digest, media_type, byte_length, width, height, placeholder, unused_since_ms)
       select ?1, ?2, ?3, ?4, ?5, ?6, iif(${isReferredTo('?1')}, null, ?7) where true
       on conflict (digest) do update set media_type = excluded.media_type, byte_length = excluded.byte_length, width = excluded.width,
         height = excluded.height, placeholder = excluded.placeholder, unused_since_ms = excluded.unused_since_ms, doomed = 0, claimed_until_ms = null where photo.doomed = 1
       returning unused_since_ms`,
    );
    this.#ofPet = prepareRows<[digest: string]>(db, 'select digest from pet_photo where pet_id = ?');
    this.#release = prepareChange(db, 'delete from pet_photo where pet_id = ? and digest = ?');
    this.#markUnused = prepareRows<[byteLength: bigint]>(
      db,
      `update photo set unused_since_ms = ?1 where digest = ?2 and unused_since_ms is null and doomed = 0
         and not ${isReferredTo('?2')} returning byte_length`,
    );
    this.#refer = prepareChange(db, 'insert into pet_photo (digest, pet_id) values (?, ?) on conflict do nothing');
    this.#markUsed = prepareRows<[byteLength: bigint]>(
      db,
      'update photo set unused_since_ms = null where digest = ? and unused_since_ms is not null and doomed = 0 ' +
        'returning byte_length',
    );
    this.#altOf = prepareRow(db, 'select alt from pet_photo where digest = ? and pet_id = ?');
    this.#setAlt = prepareChange(db, 'update pet_photo set alt = ? where digest = ? and pet_id = ?');
  }

  /**
   * @throws Failure `unavailable` if the pet newly refers to a photo that is marked for deletion, unless the change
   *   uploads it
   */
  requireKept(petId: bigint | undefined, digests: readonly string[], uploaded: Photo | undefined): void {
    const named = digests.filter((digest) => digest !== uploaded?.digest);
    if (named.length > 0 && this.#doomedOfOthers(JSON.stringify(named), petId ?? null) !== undefined)
      throw photoIsDoomed();
  }

  /** @throws Failure `unavailable` while the photo is claimed for deletion */
  add({ digest, mediaType, byteLength, width, height, placeholder }: Photo, nowMs: number): void {
    const [claim] = this.#claimOn(digest);
    if (claim !== undefined && isClaimed(claim[0] === null ? null : Number(claim[0]), nowMs)) throw photoIsDoomed();
    const [entered] = this.#addPhoto(digest, mediaType, byteLength, width, height, placeholder, Date.now());
    if (entered?.[0] === null) this.#counts.tally.countPhotos(1, byteLength);
  }

  /** The alternative text that a pet has for its photo, or null. */
  altOf({ petId, digest }: PhotoOfPet): string | null {
    return (this.#altOf(digest, petId)?.[0] ?? null) as string | null;
  }

  setAlt(petId: bigint, { digest, text }: AltEdit): void {
    this.#setAlt(text, digest, petId);
  }

  /** Makes these the photos that the pet refers to. */
  set(petId: bigint, digests: readonly string[]): void {
    const wanted = new Set(digests);
    for (const [digest] of this.#ofPet(petId)) {
      if (wanted.delete(digest)) continue;
      this.#release(petId, digest);
      for (const [byteLength] of this.#markUnused(Date.now(), digest))
        this.#counts.tally.countPhotos(-1, -Number(byteLength));
    }
    for (const digest of wanted) {
      this.#refer(digest, petId);
      for (const [byteLength] of this.#markUsed(digest)) this.#counts.tally.countPhotos(1, Number(byteLength));
    }
  }
}
