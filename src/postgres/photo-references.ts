import { Failure } from '../domain/failure.ts';
import type { Photo } from '../domain/pets/photo.ts';
import { statement } from './engine/statements.ts';
import type { Transaction } from './engine/transactions.ts';

const doomedAmong = statement('select digest from photo where digest = any($1::text[]) and doomed = 1');
// Unused from now on, unless a pet has named it already.
const addPhotos = statement(
  `insert into photo (digest, media_type, byte_length, width, height, unused_since_ms)
   select digest, media_type, byte_length, width, height,
     case when exists (select 1 from pet_photo where pet_photo.digest = added.digest) then null else $6::int8 end
   from unnest($1::text[], $2::text[], $3::int8[], $4::int8[], $5::int8[]) as added (digest, media_type, byte_length, width, height)
   on conflict (digest) do nothing`,
);
const release = statement(
  `delete from pet_photo using unnest($1::text[], $2::int8[]) as gone (photo, id) where digest = gone.photo and pet_id = gone.id`,
);
const refer = statement(
  'insert into pet_photo (digest, pet_id) select * from unnest($1::text[], $2::int8[]) on conflict (digest, pet_id) do nothing',
);
const markUnused = statement(
  `update photo set unused_since_ms = $1 where digest = any($2::text[])
     and not exists (select 1 from pet_photo where pet_photo.digest = photo.digest)`,
);
const markUsed = statement('update photo set unused_since_ms = null where digest = any($1::text[]) and doomed = 0');

/** The pictures that a pet refers to, before and after a change. */
export interface PhotosOfPet {
  id: bigint;
  before: readonly string[];
  now: readonly string[];
}

/** Which of these are being cleared away. */
export async function findDoomed(digests: readonly string[], { ask }: Transaction): Promise<ReadonlySet<string>> {
  if (digests.length === 0) return new Set();
  return new Set((await ask<[digest: string]>(doomedAmong, digests)).map(([digest]) => digest));
}

export function photoIsDoomed(): Failure {
  return new Failure(
    'unavailable',
    'This very picture is being cleared away at the moment. Send it again in a second.',
    { retryAfterSeconds: 1 },
  );
}

/** Enters pictures, and writes which pets refer to which, and since when a picture is referred to by none. */
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
        Date.now(),
      ),
    );
  }
  // In this order: the server takes what is sent by one transaction one after the other.
  if (gone.length > 0) {
    const [digests, ids] = pairColumns(gone);
    writes.push(ask(release, digests, ids), ask(markUnused, Date.now(), digests));
  }
  if (added.length > 0) {
    const [digests, ids] = pairColumns(added);
    writes.push(ask(refer, digests, ids), ask(markUsed, digests));
  }
  return writes;
}

/** What belongs to pets, as two columns: what it is, and whose. */
export function pairColumns(pairs: readonly [string, bigint][]) {
  return [pairs.map(([of]) => of), pairs.map(([, id]) => id)] as const;
}
