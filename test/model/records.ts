import type { PetAction } from '../../src/domain/pets/pet-change.ts';
import type { Fields, Profile, ProfilePatch } from './steps.ts';

/* What the model remembers, and how it is written in responses. */

/** A version of a pet. */
export interface Version {
  version: bigint;
  action: PetAction;
  /** Null if it deleted the pet. */
  fields: Fields | null;
  /** Of a deleted pet, the last one. */
  profile: Profile;
  /** The version that changed the profile last; 0 if none did. */
  profileVersion: bigint;
  /** The ID of the account. */
  by: string;
}

/** A pet that exists. */
export interface Current extends Version {
  fields: Fields;
}

/** The pet as it is; undefined if it does not exist. */
export function currentOf(versions: readonly Version[]): Current | undefined {
  const last = versions.at(-1);
  return last === undefined || last.fields === null ? undefined : { ...last, fields: last.fields };
}

/** No version is 0. A deletion has no ETag, so its version is unknown until the history is read. */
export const UNKNOWN = 0n;

/** The public address of the service. */
export const SITE = 'http://pets.example.org';

/** The JSON of a pet. */
export function petText(id: string, { name, category, tags = [], status, photos = [] }: Fields): string {
  const text = JSON.stringify({
    category,
    name,
    photoUrls: photos.map((digest) => `${SITE}/v2/photo/${digest}`),
    tags,
    status,
  });
  return `{"id":${id},${text.slice(1)}`;
}

/** What everyone may read of a profile. */
export function publicPart({ microchip: _chip, medicalNote: _note, unit: _unit, ...others }: Profile): Profile {
  return others;
}

const PROFILE_ORDER = [
  'species',
  'breedPrimary',
  'microchip',
  'medicalNote',
  'unit',
  'summary',
  'externalId',
  'isPublished',
] as const satisfies readonly (keyof Profile)[];

/** The fields that are not null, in the order of responses. */
export function known(profile: ProfilePatch): Profile {
  const fields = PROFILE_ORDER.map((name) => [name, profile[name] ?? undefined] as const);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

/** The JSON of a profile. */
export function profileText(profile: Profile): string {
  return JSON.stringify(known(profile));
}
