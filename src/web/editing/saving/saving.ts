import { MenagerieError } from '../../../client/failures.ts';
import { client } from '../../service/client.ts';
import type { PetView, ReadPet } from '../../service/queries.ts';
import { isStillKnown, type Attempt } from '../keeping/kept-drafts.ts';
import { withKnownIds } from './label-ids.ts';
import { changedFields, fieldsOf, NEW_PET, newPetBody, petPatchBody, type PetFields } from '../pet-fields.ts';

/** A version of a pet, as the form knows it. Without an entity tag, the pet is still to come. */
export interface Version {
  fields: PetFields;
  etag?: string;
}

export function versionOf({ pet, etag }: ReadPet): Version {
  return { fields: fieldsOf(pet), ...(etag !== undefined && { etag }) };
}

const SERVER_ERROR = 500;

/**
 * Changes what is other than before, provided that the pet is still what it was.
 *
 * @param id its digits
 * @throws MenagerieError (412 where somebody else was faster), NetworkError
 */
export async function changePet(id: string, base: Version, fields: PetFields): Promise<ReadPet> {
  const body = petPatchBody(base.fields, await withKnownIds(fields, base.fields));
  const ifMatch = base.etag !== undefined && { ifMatch: base.etag };
  return readPet(await client.patchPet.answer({ petId: BigInt(id), body }, { ...ifMatch }));
}

/**
 * Adds a pet, once, however often it is tried.
 *
 * @param earlier the last try, if nobody knows what became of it
 * @param remember is told of the try before it is sent, and that it is forgotten once it is known to have come to nothing
 * @throws MenagerieError, NetworkError
 */
export async function addPet(
  fields: PetFields,
  earlier: Attempt | undefined,
  remember: (attempt: Attempt | undefined) => void,
): Promise<ReadPet> {
  const known = earlier !== undefined && isStillKnown(earlier) ? earlier : undefined;
  const attempt = known ?? { atMs: Date.now(), key: newKey(), fields, sent: await withKnownIds(fields, NEW_PET) };
  remember(attempt);
  const added = await sendNew(attempt, () => remember(undefined));
  if (changedFields(attempt.fields, fields).length === 0) return added;
  // It was changed after a try that may have arrived: that pet is the one that is meant.
  return changePet(String(added.pet.id), versionOf(added), fields);
}

async function sendNew({ key, sent }: Attempt, forget: () => void): Promise<ReadPet> {
  try {
    return readPet(await client.addPet.answer({ body: newPetBody(sent) }, { idempotencyKey: key }));
  } catch (error) {
    if (error instanceof MenagerieError && error.status < SERVER_ERROR) forget();
    throw error;
  }
}

function readPet({ value, etag }: { value: PetView | undefined; etag: string | undefined }): ReadPet {
  if (value === undefined) throw new TypeError('The service answered without a pet.');
  return { pet: value, etag };
}

/** Random, as UUIDs are; those are only made in pages that came over TLS or from this machine. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
