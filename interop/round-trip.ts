import assert from 'node:assert/strict';

/*
 * One round through the sixteen operations, with whatever client.
 */

export interface SentPet {
  id?: number;
  category?: { id?: number; name?: string };
  name: string;
  photoUrls: string[];
  tags?: { id?: number; name?: string }[];
  status?: 'available' | 'pending' | 'sold';
}

export interface SentUser {
  username: string;
  firstName?: string;
  email?: string;
  password?: string;
  userStatus?: number;
}

/**
 * Petstore's operations as a client offers them. Each returns what came back, as JavaScript; one that is refused
 * throws, with the status.
 */
export interface PetstoreClient {
  addPet(pet: SentPet): Promise<unknown>;
  updatePet(pet: SentPet): Promise<unknown>;
  findPetsByStatus(status: readonly ('available' | 'pending' | 'sold')[]): Promise<readonly SentPet[]>;
  findPetsByTags(tags: readonly string[]): Promise<readonly SentPet[]>;
  getPetById(petId: number): Promise<SentPet>;
  updatePetWithForm(petId: number, name: string, status: string): Promise<unknown>;
  deletePet(petId: number, apiKey: string): Promise<unknown>;
  uploadFile(
    petId: number,
    additionalMetadata: string,
    file: Uint8Array<ArrayBuffer>,
  ): Promise<{ code?: number; type?: string; message?: string }>;
  createUser(user: SentUser): Promise<unknown>;
  createUsersWithArrayInput(users: readonly SentUser[]): Promise<unknown>;
  createUsersWithListInput(users: readonly SentUser[]): Promise<unknown>;
  loginUser(username: string, password: string): Promise<string>;
  logoutUser(): Promise<unknown>;
  getUserByName(username: string): Promise<SentUser>;
  updateUser(username: string, user: SentUser): Promise<unknown>;
  deleteUser(username: string): Promise<unknown>;
  /** The status of a refusal, as this client tells it. */
  statusOf(error: unknown): number | undefined;
}

/** @throws AssertionError where a response breaks docs/rules.md */
export async function roundTrip(client: PetstoreClient, picture: Uint8Array<ArrayBuffer>): Promise<void> {
  const pet: SentPet = {
    id: 4711,
    category: { id: 1, name: 'Dogs' },
    name: 'Rex',
    photoUrls: ['https://example.org/rex.jpg'],
    tags: [{ id: 7, name: 'calm' }],
    status: 'available',
  };
  await client.addPet(pet);
  assert.deepEqual(plain(await client.getPetById(4711)), pet);
  await client.updatePet({ ...pet, status: 'pending' });
  assert.deepEqual(idsOf(await client.findPetsByStatus(['pending', 'sold'])), [4711]);
  assert.deepEqual(idsOf(await client.findPetsByTags(['calm', 'wild'])), [4711]);
  await client.updatePetWithForm(4711, 'Rex the second', 'sold');
  assert.deepEqual(plain(await client.getPetById(4711)), { ...pet, name: 'Rex the second', status: 'sold' });
  const uploaded = await client.uploadFile(4711, 'in the garden', picture);
  assert.equal(uploaded.code, 200);
  assert.match(uploaded.message ?? '', /^additionalMetadata: in the garden\nFile uploaded to \.\/.*, \d+ bytes$/);
  const withPicture = await client.getPetById(4711);
  assert.equal(withPicture.photoUrls.length, 2);
  assert.match((await fetch(withPicture.photoUrls[1] ?? '')).headers.get('content-type') ?? '', /^image\//);
  await client.deletePet(4711, 'special-key');
  assert.equal(await refusalOf(client, client.getPetById(4711)), 404);

  const user: SentUser = { username: 'lena', firstName: 'Lena', email: 'lena@example.org', userStatus: 2 };
  await client.createUser({ ...user, password: 'slow lemurs love lychees' });
  await client.createUsersWithArrayInput([{ username: 'hugo', password: 'some long password' }]);
  await client.createUsersWithListInput([{ username: 'mara', password: 'another long password' }]);
  assert.equal(await refusalOf(client, client.createUser(user)), 409);
  const { id, ...shown } = plain(await client.getUserByName('lena')) as SentUser & { id: number };
  assert.ok(id > 0);
  assert.deepEqual(shown, user);
  // Some clients hand on the JSON string as it came: with its quote marks, which the service takes back.
  assert.match(await client.loginUser('lena', 'slow lemurs love lychees'), /^"?logged in user session:[\w-]+"?$/);
  assert.equal(await refusalOf(client, client.loginUser('lena', 'wrong')), 400);
  await client.logoutUser();
  await client.updateUser('lena', { ...user, firstName: 'Magdalena' });
  assert.equal((await client.getUserByName('lena')).firstName, 'Magdalena');
  for (const username of ['lena', 'hugo', 'mara']) await client.deleteUser(username);
  assert.equal(await refusalOf(client, client.getUserByName('lena')), 404);
}

async function refusalOf(client: PetstoreClient, response: Promise<unknown>): Promise<number | undefined> {
  try {
    return assert.fail(`was not refused: ${JSON.stringify(await response)}`);
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error;
    return client.statusOf(error);
  }
}

/** Without what a class of a client adds: what JSON has no word for. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function idsOf(pets: readonly SentPet[]): readonly (number | undefined)[] {
  return pets.map(({ id }) => id);
}
