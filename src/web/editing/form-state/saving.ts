import { MenagerieError } from '../../../client/failures.ts';
import { client } from '../../service/client.ts';
import type { PetView, ReadPet } from '../../service/queries.ts';
import { isKeyValid, type Attempt } from './draft-storage.ts';
import { withKnownIds } from './label-ids.ts';
import {
  changedFields,
  fieldsOf,
  NEW_PET,
  newPetBody,
  petPatchBody,
  type PetFields,
  type ProfileBody,
  type ProfileTexts,
} from './pet-fields.ts';

/** A version of a pet. Without an entity tag, the pet has not been created yet. */
export interface Version {
  fields: PetFields;
  etag?: string;
}

export function versionOf({ pet, etag }: ReadPet): Version {
  return { fields: fieldsOf(pet), ...(etag !== undefined && { etag }) };
}

/** The profile of a pet in its form, which is saved with the pet in one change. */
export interface ProfilePart {
  /** As typed. */
  mine: ProfileTexts;
  /** The changes since an earlier state of the form; undefined if there are none. */
  changesSince: (before: ProfileTexts) => ProfileBody | undefined;
  /**
   * The changes since the stored profile, which is read if something was typed.
   *
   * @throws an error that `report` understands if another user has changed the same field
   */
  readChanges: (petId: string) => Promise<ProfileBody | undefined>;
  /** Shows an error if it is about the profile. @returns whether it is */
  report: (error: unknown) => boolean;
}

const PROFILE_PATH = '/profile';

/** Where in the profile a problem is; undefined for problems of the pet itself. */
export function pathInProfile(path: string): string | undefined {
  return path.startsWith(PROFILE_PATH) ? path.slice(PROFILE_PATH.length) : undefined;
}

const SERVER_ERROR = 500;
const OF_SESSION: readonly number[] = [401, 403];

/**
 * Sends the changed fields and those of the profile, on the condition that the pet is still at the base version.
 *
 * @param id its digits
 * @throws MenagerieError (412 if the pet has changed), NetworkError
 */
export async function changePet(
  id: string,
  base: Version,
  fields: PetFields,
  profile: ProfileBody | undefined,
): Promise<ReadPet> {
  const body = petPatchBody(base.fields, await withKnownIds(fields, base.fields), profile);
  const ifMatch = base.etag !== undefined && { ifMatch: base.etag };
  return readPet(await client.patchPet.response({ petId: BigInt(id), body }, { ...ifMatch }));
}

/**
 * Creates a pet. Retries are idempotent.
 *
 * @param earlier the last attempt, if its outcome is unknown
 * @param remember receives the attempt before it is sent, and undefined once it is known to have failed
 * @throws MenagerieError, NetworkError
 */
export async function addPet(
  fields: PetFields,
  profile: ProfilePart,
  earlier: Attempt | undefined,
  remember: (attempt: Attempt | undefined) => void,
): Promise<ReadPet> {
  const known = earlier !== undefined && isKeyValid(earlier) ? earlier : undefined;
  const attempt = known ?? (await newAttempt(fields, profile));
  remember(attempt);
  const added = await sendNew(attempt, () => remember(undefined));
  const since = profile.changesSince(attempt.inputs ?? {});
  if (changedFields(attempt.fields, fields).length === 0 && since === undefined) return added;
  // The fields were changed after an attempt that may have succeeded: update that pet.
  return changePet(String(added.pet.id), versionOf(added), fields, since);
}

async function newAttempt(fields: PetFields, profile: ProfilePart): Promise<Attempt> {
  const sentProfile = profile.changesSince({});
  return {
    atMs: Date.now(),
    key: newKey(),
    fields,
    sent: await withKnownIds(fields, NEW_PET),
    inputs: profile.mine,
    ...(sentProfile !== undefined && { sentProfile }),
  };
}

async function sendNew({ key, sent, sentProfile }: Attempt, forget: () => void): Promise<ReadPet> {
  try {
    return readPet(await client.addPet.response({ body: newPetBody(sent, sentProfile) }, { idempotencyKey: key }));
  } catch (error) {
    if (error instanceof MenagerieError && isRefusal(error)) forget();
    throw error;
  }
}

/**
 * Whether neither this attempt nor a later one with its key adds the pet. A response with Retry-After, or about the
 * session, does not say that.
 */
function isRefusal({ status, retryAfterSeconds }: MenagerieError): boolean {
  return status < SERVER_ERROR && retryAfterSeconds === undefined && !OF_SESSION.includes(status);
}

function readPet({ value, etag }: { value: PetView | undefined; etag: string | undefined }): ReadPet {
  if (value === undefined) throw new TypeError('The response contains no pet.');
  return { pet: value, etag };
}

/** Random, like a UUID. `crypto.randomUUID` exists only in secure contexts (HTTPS or localhost). */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
