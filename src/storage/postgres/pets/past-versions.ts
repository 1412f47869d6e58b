import type { PastPet, RestorePet } from '../../../domain/pets/pet-change.ts';
import { readPetText, recordOf } from '../../../domain/pets/pet.ts';
import type { Ask } from '../engine/statements.ts';
import { statement } from '../engine/statements.ts';

const ofPet = statement('select previous, text, profile from pet_version where pet_id = $1 and version = $2');
const keptAmong = statement('select digest from photo where digest = any($1::text[]) and doomed = 0');

/** The changes of a batch so far, which are not in the tables yet. */
interface BatchSoFar {
  versions: readonly {
    id: bigint;
    version: bigint;
    previous: bigint | undefined;
    text: string | null;
    profile: string | null;
  }[];
  /** The version of the pet's deletion, if it is deleted. */
  removal: bigint | undefined;
  /** Photos that certainly exist. */
  heldPhotos: readonly string[];
}

/** Finds the version that a pet is restored to. */
export async function findPast({ id, version }: RestorePet, batch: BatchSoFar, ask: Ask): Promise<PastPet | undefined> {
  const wanted = version ?? (await find(batch.removal))?.previous;
  const past = await find(wanted);
  if (past === undefined) return undefined;
  const digests = past.text === null ? [] : recordOf(readPetText(past.text)).photoDigests;
  const kept = digests.length === 0 ? [] : await ask<[digest: string]>(keptAmong, digests);
  const lostPhotos = new Set(digests).difference(new Set([...batch.heldPhotos, ...kept.map(([digest]) => digest)]));
  return { text: past.text, profile: past.profile, lostPhotos };

  async function find(sought: bigint | undefined) {
    if (sought === undefined) return undefined;
    const ofBatch = batch.versions.find((one) => one.id === id && one.version === sought);
    if (ofBatch !== undefined) return ofBatch;
    const [row] = await ask<[previous: bigint | null, text: string | null, profile: string | null]>(ofPet, id, sought);
    return row === undefined ? undefined : { previous: row[0] ?? undefined, text: row[1], profile: row[2] };
  }
}
