import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { ANONYMOUS } from '../domain/access.ts';
import { Failure } from '../domain/failure.ts';
import type { PetStatus } from '../domain/pet.ts';
import type { PetCatalogue } from '../domain/pet-catalogue.ts';
import type { Pets, UploadStaging } from '../domain/ports.ts';
import type { NewUser } from '../domain/user.ts';
import type { UserAccounts } from '../domain/user-accounts.ts';

export interface SampleNeeds {
  catalogue: PetCatalogue;
  accounts: UserAccounts;
  pets: Pets;
  staging: UploadStaging;
}

/** How much was put in. */
export interface Samples {
  pets: number;
  users: number;
}

const PICTURES_FOLDER = join(import.meta.dirname, '../../assets/sample-pictures');
const MAX_PICTURE_BYTES = 1024 * 1024;

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

/** Petstore's accounts. `user?10` is there for those who test whether their client encodes a path. None has a password: nobody can log in. */
const SAMPLE_USERNAMES = [...Array.from({ length: 10 }, (_, index) => `user${index + 1}`), 'user?10'];

/** Fills a database that never held a pet; undefined where it did. An account that is there already is left as it is. */
export async function fillWithSamples({
  catalogue,
  accounts,
  pets,
  staging,
}: SampleNeeds): Promise<Samples | undefined> {
  if (!(await pets.isUnused())) return undefined;
  const usernames = await Promise.all(SAMPLE_USERNAMES.map((username) => addUser(accounts, username)));
  const stored = await Promise.all(SAMPLE_PETS.map((sample) => addPet(catalogue, sample)));
  await Promise.all(stored.map(({ id }, index) => addPicture(id, SAMPLE_PETS[index]?.[4] ?? '', catalogue, staging)));
  return { pets: stored.length, users: usernames.length };
}

async function addUser(accounts: UserAccounts, username: string): Promise<void> {
  const number = /\d+/.exec(username)?.[0] ?? '';
  const user: NewUser = {
    username,
    firstName: 'Sample',
    lastName: `User ${number}`,
    email: `user${number}@example.org`,
    userStatus: 1,
  };
  try {
    await accounts.createUser(user);
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'conflict') throw error;
  }
}

function addPet(catalogue: PetCatalogue, [category, name, status, tags]: SamplePet) {
  const details = {
    category: { id: CATEGORIES[category], name: category },
    name,
    photoUrls: [],
    tags: tags.map((tag) => ({ name: tag })),
    status,
  };
  return catalogue.addPet(ANONYMOUS, undefined, details);
}

async function addPicture(
  petId: bigint,
  picture: string,
  catalogue: PetCatalogue,
  staging: UploadStaging,
): Promise<void> {
  const path = join(PICTURES_FOLDER, `${picture}.jpg`);
  const upload = await staging.stage(createReadStream(path), MAX_PICTURE_BYTES);
  try {
    await catalogue.addPhoto(ANONYMOUS, petId, upload);
  } finally {
    await upload.discard();
  }
}
