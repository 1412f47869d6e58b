import {
  UPLOAD_PHASES,
  type JudgedPet,
  type PhasedListing,
  type UploadPhase,
} from '../domain/listing-administration.ts';
import {
  fieldOfProblem,
  isRefused,
  PROBLEM_CODES,
  SITE_IDS,
  type ListingProblem as DomainProblem,
  type ProblemCode,
  type ProblemField,
  type SiteId,
} from '../domain/listing-site.ts';
import { LISTING_FILES } from '../domain/listing-files.ts';
import { PET_STATUSES, type PetStatus } from '../../../domain/pets/pet.ts';
import { count, exactly, int64, optionalTime, time } from '../../../api/records/fields.ts';
import { Profile } from '../../../api/records/profile.ts';
import { JsonText, jsonText, recordText } from '../../../api/records/record-text.ts';
import * as Type from '../../../api/records/type.ts';

/* Listing sites as administrators see them. The key of a feed is only in `CreatedFeedKey`. */

const Urls = Type.Array(Type.String());

export const Listing = Type.Object(
  {
    site: Type.Unsafe<SiteId>({ type: 'string', enum: [...SITE_IDS] }),
    on: Type.Boolean({ description: 'Whether the site gets pets. One that is off gets an empty file.' }),
    urls: Type.Unsafe<string[]>({ ...Urls, description: 'The URLs of its files, which also need the key.' }),
    keyCreatedAt: Type.Optional(time('The time at which the key was created. Absent without a key.')),
    uploadTo: Type.Optional(Type.String({ description: 'The server that files are uploaded to.' })),
    uploadPhase: Type.Optional(
      Type.Unsafe<UploadPhase>({
        type: 'string',
        enum: [...UPLOAD_PHASES],
        description: '`waiting`: something was changed since the last upload, or an upload was requested.',
      }),
    ),
    nextUploadAt: Type.Optional(time('After a failure: no attempt before this time.')),
    sentAt: Type.Optional(time('The time of the last upload that succeeded.')),
    sentPets: count('The number of pets in that upload.'),
    failedAt: Type.Optional(time('The time of the last upload that failed.')),
    failingSince: Type.Optional(time('The first failure since the last upload that succeeded.')),
    error: Type.Optional(Type.String({ description: 'Why the last upload failed.' })),
  },
  exactly('Listing'),
);
export type Listing = Type.Static<typeof Listing>;

export const SentListing = Type.Object(
  { on: Type.Unsafe<boolean>({ type: 'boolean', message: 'must be true or false' }) },
  { title: 'SentListing', message: 'must be a JSON object' },
);

export const SentListedPet = Type.Object(
  { listed: Type.Unsafe<boolean>({ type: 'boolean', message: 'must be true or false' }) },
  { title: 'SentListedPet', message: 'must be a JSON object' },
);

export const CreatedFeedKey = Type.Object(
  {
    key: Type.String({ description: 'The key. It is shown only once.' }),
    urls: Type.Unsafe<string[]>({ ...Urls, description: 'The URLs of the files, with the key.' }),
  },
  exactly('CreatedFeedKey'),
);
export type CreatedFeedKey = Type.Static<typeof CreatedFeedKey>;

const ListingProblem = Type.Object(
  {
    code: Type.Unsafe<ProblemCode>({ type: 'string', enum: [...PROBLEM_CODES] }),
    refused: Type.Boolean({ description: 'Whether it keeps the pet out. Otherwise only this value is left out.' }),
    value: Type.Optional(Type.String({ description: 'The value that the site does not know.' })),
    field: Type.Optional(
      Type.Unsafe<ProblemField>({
        type: 'string',
        description: 'The field of the profile that solves it. Absent if no field does.',
      }),
    ),
  },
  exactly('ListingProblem'),
);

/** The fields of the profile without which sites refuse pets, in the order of a form. */
export const REQUIRED_FIELDS = [
  'species',
  'breedPrimary',
  'sex',
  'birthDate',
  'size',
] as const satisfies ProblemField[];

export const ListingPet = Type.Object(
  {
    id: int64('The ID of the pet.'),
    name: Type.String(),
    status: Type.Optional(Type.Unsafe<PetStatus>({ type: 'string', enum: [...PET_STATUSES] })),
    listed: Type.Boolean({ description: 'Whether the staff lets the site have the pet.' }),
    refused: Type.Boolean({ description: 'Whether the site would refuse the pet, so that it is left out.' }),
    problems: Type.Array(ListingProblem),
    profile: Profile,
  },
  exactly('ListingPet'),
);
export type ListingPet = Type.Static<typeof ListingPet>;

/** @param origin where the client reaches the service @param uploadTo undefined without uploads */
export function listingText(
  { site, isOn, keyCreatedAtMs, upload, phase }: PhasedListing,
  origin: string,
  uploadTo: string | undefined,
): string {
  return recordText<Listing>({
    site,
    on: isOn,
    urls: feedUrls(site, origin),
    keyCreatedAt: optionalTime(keyCreatedAtMs),
    uploadTo: uploadTo,
    uploadPhase: phase,
    nextUploadAt: optionalTime(upload.failingSinceMs && upload.nextAtMs),
    sentAt: optionalTime(upload.sentAtMs),
    sentPets: upload.sentPets,
    failedAt: optionalTime(upload.failedAtMs),
    failingSince: optionalTime(upload.failingSinceMs),
    error: upload.error,
  });
}

export function createdKeyText(site: SiteId, key: string, origin: string): string {
  return recordText<CreatedFeedKey>({ key, urls: feedUrls(site, origin).map((url) => `${url}?key=${key}`) });
}

export function listingPetText({ pet, problems, isListed }: JudgedPet): string {
  return recordText<ListingPet>({
    id: pet.id,
    name: pet.name,
    status: pet.status,
    listed: isListed,
    refused: isRefused({ problems }),
    problems: problems.map(problemOf),
    profile: new JsonText(jsonText(Object.fromEntries(REQUIRED_FIELDS.map((name) => [name, pet.profile[name]])))),
  });
}

function problemOf({ code, isRefusal, value }: DomainProblem): Type.Static<typeof ListingProblem> {
  const field = fieldOfProblem(code);
  return { code, refused: isRefusal, ...(value !== undefined && { value }), ...(field !== undefined && { field }) };
}

function feedUrls(site: SiteId, origin: string): string[] {
  return LISTING_FILES[site].map((file) => `${origin}/v2/feeds/${site}/${file}`);
}
