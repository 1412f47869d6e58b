import { DEFAULT_ROLE } from '../domain/access.ts';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PutPet } from '../domain/pets/pet-change.ts';
import { stampOf, type Stamp } from '../domain/audit.ts';
import { Failure, type FailureCode } from '../domain/failure.ts';
import type { Clock } from '../domain/ports.ts';
import { recordOf, type PetStatus } from '../domain/pets/pet.ts';
import { ownPhoto, type Photo } from '../domain/photos/photo.ts';
import type { PetStore, PhotoStore } from '../domain/pets/ports.ts';
import type { NewAccount, UserStore } from '../domain/accounts/ports.ts';

export interface SampleNeeds {
  pets: PetStore;
  users: UserStore;
  photoStore: PhotoStore;
  clock: Clock;
}

/** Whose doing the samples are, in the audit trail. */
const SAMPLER = { kind: 'operator', name: 'sample catalogue' } as const;

/** How much was put in. */
export interface Samples {
  pets: number;
  users: number;
}

const DONE_BY_ANOTHER: ReadonlySet<FailureCode> = new Set(['conflict', 'precondition-failed']);

export const SAMPLE_PHOTOS_FOLDER = join(import.meta.dirname, '../../assets/sample-photos');

/** By the name of the picture. */
export type SamplePhotos = Readonly<Record<string, Photo>>;

export async function readSamplePhotos(): Promise<SamplePhotos> {
  return JSON.parse(await readFile(join(SAMPLE_PHOTOS_FOLDER, 'photos.json'), 'utf8')) as SamplePhotos;
}

/** Petstore's four categories, under Petstore's ids. */
const CATEGORIES = { Dogs: 1n, Cats: 2n, Rabbits: 3n, Lions: 4n } as const;

type SamplePet = [category: keyof typeof CATEGORIES, name: string, status: PetStatus, tags: string[], picture: string];

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

/** Petstore's accounts. `user?10` is there for those who test whether their client encodes a path. None has a password: nobody can log in. */
const LAST_SAMPLE_USERNAME = 'user?10';
const SAMPLE_USERNAMES = [...Array.from({ length: 10 }, (_, index) => `user${index + 1}`), LAST_SAMPLE_USERNAME];

/**
 * Fills a new, empty database; undefined where it is not. The pets come with their pictures in one transaction, so that a start which is cut off leaves
 * either all of them or none; then the next start goes on.
 */
export async function fillWithSamples(needs: SampleNeeds): Promise<Samples | undefined> {
  const { pets, users, clock } = needs;
  const stamp = stampOf(SAMPLER, clock());
  if (!(await pets.isUnused()) || !(await hasNoAccountsButSamples(users))) return undefined;
  const known = await readSamplePhotos();
  const photos = await Promise.all(SAMPLE_PETS.map(([, , , , picture]) => storePicture(picture, known, needs)));
  if (await users.isUnused()) {
    const accounts = SAMPLE_USERNAMES.map(sampleAccount);
    await users.apply({ kind: 'create', accounts, isList: true, stamp }).catch(passOverDoneByAnother);
  }
  // All in one turn of the event loop, and so in one batch.
  await Promise.all(
    photos.map((photo, index) => pets.apply(samplePet(BigInt(index + 1), photo, stamp)).catch(passOverDoneByAnother)),
  );
  return { pets: SAMPLE_PETS.length, users: SAMPLE_USERNAMES.length };
}

/** Several nodes may start on one new database at once: what one of them has put in, the others leave as it is. */
function passOverDoneByAnother(error: unknown): void {
  const isDone = error instanceof Failure && DONE_BY_ANOTHER.has(error.code);
  if (!isDone) throw error;
}

async function hasNoAccountsButSamples(users: UserStore): Promise<boolean> {
  return (await users.isUnused()) || (await users.find(LAST_SAMPLE_USERNAME)) !== undefined;
}

/** Drawn by us, they are as they should be: upright, without metadata. What is known of each is known beforehand, and stands beside them. */
async function storePicture(picture: string, photos: SamplePhotos, { photoStore }: SampleNeeds): Promise<Photo> {
  const photo = photos[picture];
  if (photo === undefined) throw new Error(`photos.json does not have ${picture}: npm run sample-photos -- --describe`);
  await photoStore.put(photo.digest, await readFile(join(SAMPLE_PHOTOS_FOLDER, `${picture}.jpg`)));
  return photo;
}

function samplePet(id: bigint, photo: Photo, stamp: Stamp): PutPet {
  const [category, name, status, tags] = SAMPLE_PETS[Number(id) - 1] as SamplePet;
  const record = recordOf({
    category: { id: CATEGORIES[category], name: category },
    name,
    photoUrls: [ownPhoto(photo.digest)],
    tags: tags.map((tag) => ({ id: TAG_IDS.get(tag) as bigint, name: tag })),
    status,
  });
  return { kind: 'put', id, record, mustExist: false, mustBeNew: true, photo, stamp };
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
