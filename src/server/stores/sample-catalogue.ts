import { DEFAULT_ROLE } from '../../domain/access.ts';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PutPet } from '../../domain/pets/pet-change.ts';
import { stampOf, type Stamp } from '../../domain/audit.ts';
import { Failure, type FailureCode } from '../../domain/failure.ts';
import type { Clock } from '../../domain/ports.ts';
import { recordOf, type PetStatus } from '../../domain/pets/pet.ts';
import { ownPhoto, type Photo } from '../../domain/photos/photo.ts';
import type { PetStore } from '../../domain/pets/ports.ts';
import type { PhotoStore } from '../../domain/photos/ports.ts';
import type { NewAccount, UserStore } from '../../domain/accounts/ports.ts';
import { readSampleProfiles, sampleProfile, type SampleProfiles } from './sample-profiles.ts';

interface SampleDeps {
  pets: PetStore;
  users: UserStore;
  photoStore: PhotoStore;
  clock: Clock;
}

/** The actor in the audit log. */
const SAMPLER = { kind: 'operator', name: 'sample catalogue' } as const;

/** Number of records that were added. */
export interface Samples {
  pets: number;
  users: number;
}

const DONE_BY_ANOTHER: ReadonlySet<FailureCode> = new Set(['conflict', 'precondition-failed']);

export const SAMPLE_PHOTOS_FOLDER = fileURLToPath(new URL('../../../assets/sample-photos', import.meta.url));

/** By file name, without its extension. */
export type SamplePhotos = Readonly<Record<string, Photo>>;

export async function readSamplePhotos(): Promise<SamplePhotos> {
  return JSON.parse(await readFile(join(SAMPLE_PHOTOS_FOLDER, 'photos.json'), 'utf8')) as SamplePhotos;
}

/** Petstore's four categories, under Petstore's ids. */
const CATEGORIES = { Dogs: 1n, Cats: 2n, Rabbits: 3n, Lions: 4n } as const;

type SamplePet = [category: keyof typeof CATEGORIES, name: string, status: PetStatus, tags: string[], photo: string];

const SAMPLE_PETS: readonly SamplePet[] = [
  ['Dogs', 'Biscuit', 'available', ['scruffy', 'playful', 'small'], 'dog-biscuit'],
  ['Dogs', 'Juno', 'available', ['clever', 'active', 'good-with-kids'], 'dog-juno'],
  ['Dogs', 'Waffles', 'pending', ['gentle', 'good-with-kids'], 'dog-waffles'],
  ['Dogs', 'Pepper', 'sold', ['senior', 'calm'], 'dog-pepper'],
  ['Dogs', 'Olive', 'available', ['small', 'curious'], 'dog-olive'],
  ['Dogs', 'Bruno', 'available', ['big', 'gentle', 'house-trained'], 'dog-bruno'],
  ['Cats', 'Miso', 'available', ['playful', 'indoor'], 'cat-miso'],
  ['Cats', 'Luna', 'available', ['shy', 'indoor', 'calm'], 'cat-luna'],
  ['Cats', 'Clementine', 'pending', ['talkative', 'good-with-kids'], 'cat-clementine'],
  ['Cats', 'Smokey', 'sold', ['senior', 'calm'], 'cat-smokey'],
  ['Cats', 'Nimbus', 'available', ['fluffy', 'indoor'], 'cat-nimbus'],
  ['Cats', 'Ziggy', 'available', ['clever', 'talkative'], 'cat-ziggy'],
  ['Rabbits', 'Clover', 'available', ['calm', 'bonded-pair'], 'rabbit-clover'],
  ['Rabbits', 'Button', 'available', ['small', 'curious', 'bonded-pair'], 'rabbit-button'],
  ['Rabbits', 'Hazel', 'pending', ['shy'], 'rabbit-hazel'],
  ['Rabbits', 'Parsley', 'sold', ['playful', 'house-trained'], 'rabbit-parsley'],
  ['Lions', 'Amber', 'available', ['big', 'clever'], 'lion-amber'],
  ['Lions', 'Kito', 'pending', ['big', 'senior'], 'lion-kito'],
  ['Lions', 'Sefu', 'available', ['big', 'playful', 'active'], 'lion-sefu'],
  ['Lions', 'Zuri', 'sold', ['big', 'calm'], 'lion-zuri'],
];

/** Ids for the tags, in the order of their first use. */
const TAG_IDS: ReadonlyMap<string, bigint> = new Map(
  [...new Set(SAMPLE_PETS.flatMap(([, , , tags]) => tags))].map((tag, index) => [tag, BigInt(index + 1)]),
);

/**
 * The users of Petstore, without passwords, so logging in is impossible. `user?10` tests whether a client encodes
 * paths.
 */
const LAST_SAMPLE_USERNAME = 'user?10';
const SAMPLE_USERNAMES = [...Array.from({ length: 10 }, (_, index) => `user${index + 1}`), LAST_SAMPLE_USERNAME];

/**
 * Adds the sample catalogue to a new database; returns undefined if the database is in use. All pets are added in one
 * transaction, so an interrupted start leaves all of them or none, and the next start continues.
 *
 * @param isBesideAccounts whether a database with accounts counts as new: it gets the pets only
 */
export async function fillWithSamples(deps: SampleDeps, isBesideAccounts = false): Promise<Samples | undefined> {
  const { pets, users, clock } = deps;
  const stamp = stampOf(SAMPLER, clock());
  if (!(await pets.isUnused()) || !(isBesideAccounts || (await hasNoAccountsButSamples(users)))) return undefined;
  const [known, profiles] = await Promise.all([readSamplePhotos(), readSampleProfiles()]);
  const photos = await Promise.all(SAMPLE_PETS.map(([, , , , photo]) => storePhoto(photo, known, deps)));
  const isNew = await users.isUnused();
  if (isNew) {
    const accounts = SAMPLE_USERNAMES.map(sampleAccount);
    await users.apply({ kind: 'create', accounts, isList: true, stamp }).catch(ignoreDoneByAnother);
  }
  // All in one iteration of the event loop, so in one transaction.
  await Promise.all(
    photos.map((photo, index) =>
      pets.apply(samplePet(BigInt(index + 1), photo, profiles, stamp)).catch(ignoreDoneByAnother),
    ),
  );
  return { pets: SAMPLE_PETS.length, users: isNew ? SAMPLE_USERNAMES.length : 0 };
}

/** Several nodes may start on the same new database; another one may have added the record. */
function ignoreDoneByAnother(error: unknown): void {
  const isDone = error instanceof Failure && DONE_BY_ANOTHER.has(error.code);
  if (!isDone) throw error;
}

async function hasNoAccountsButSamples(users: UserStore): Promise<boolean> {
  return (await users.isUnused()) || (await users.find(LAST_SAMPLE_USERNAME)) !== undefined;
}

/** The files are upright and have no metadata, so they are stored unchanged; `photos.json` describes them. */
async function storePhoto(name: string, photos: SamplePhotos, { photoStore }: SampleDeps): Promise<Photo> {
  const photo = photos[name];
  if (photo === undefined) throw new Error(`photos.json does not have ${name}: npm run sample-photos -- --describe`);
  await photoStore.put(photo.digest, await readFile(join(SAMPLE_PHOTOS_FOLDER, `${name}.jpg`)));
  return photo;
}

function samplePet(id: bigint, photo: Photo, profiles: SampleProfiles, stamp: Stamp): PutPet {
  const [category, name, status, tags] = SAMPLE_PETS[Number(id) - 1] as SamplePet;
  const record = recordOf({
    category: { id: CATEGORIES[category], name: category },
    name,
    photoUrls: [ownPhoto(photo.digest)],
    tags: tags.map((tag) => ({ id: TAG_IDS.get(tag) as bigint, name: tag })),
    status,
  });
  const profile = { replacedBy: sampleProfile(profiles, name, stamp.atMs) };
  return { kind: 'put', id, record, profile, mustExist: false, mustBeNew: true, photo, stamp };
}

function sampleAccount(username: string): NewAccount {
  const number = /\d+/.exec(username)?.[0] ?? '';
  const profile = {
    username,
    firstName: 'Sample',
    lastName: `User ${number}`,
    email: `user${number}@example.org`,
    userStatus: 1,
  };
  return { publicId: undefined, profile, role: DEFAULT_ROLE, passwordHash: undefined };
}
