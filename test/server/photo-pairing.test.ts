import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { ownPhoto } from '../../src/domain/photos/photo.ts';
import type { PhotoStore } from '../../src/domain/photos/ports.ts';
import { createPhotosInMemory } from '../../src/storage/memory/photo-store.ts';
import { openStoresInMemory } from '../../src/server/stores/memory-stores.ts';
import { pairPhotos } from '../../src/server/stores/pairing.ts';
import { fillWithSamples } from '../../src/server/stores/sample-catalogue.ts';
import type { Stores } from '../../src/server/stores/stores.ts';
import { openStores } from '../../src/server/stores/open-stores.ts';
import { photo, putPet } from '../support/changes.ts';
import { outputOf, runCommand } from '../support/operator-commands.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';
import { temporaryFolder, testConfig } from '../support/service.ts';

const FOREIGN = /the photos in \S+ belong to another database\. Use the matching database/;
const UNKNOWN = /the photos in \S+ belong to another database: this one is new/;
const MISSING = /the photos of this database are not in \S+\. Mount or restore them/;

const places = { dataDir: '/srv/pets' };

/** A database and photos that were never paired, as an earlier version left them. */
function makeInstallation(t: TestContext): Stores {
  const stores = openStoresInMemory();
  t.after(() => stores.close());
  return stores;
}

async function makePaired(t: TestContext, ...contents: readonly string[]): Promise<Stores> {
  const stores = makeInstallation(t);
  await pairPhotos(stores, places);
  for (const content of contents) await addPhoto(stores, content);
  return stores;
}

/** Adds a pet with a photo that no other pet has. */
async function addPhoto({ pets, photoStore }: Stores, content: string): Promise<void> {
  const digest = hash('sha256', content, 'hex');
  await photoStore.put(digest, Buffer.from(content));
  await pets.apply(putPet({ photoUrls: [ownPhoto(digest)] }, undefined, { photo: { ...photo('a'), digest } }));
}

const addSamples = (stores: Stores) => fillWithSamples({ clock: Date.now, ...stores });

/** The photos as an earlier version left them. */
async function withoutId({ photoStore }: Stores): Promise<PhotoStore> {
  const copy = createPhotosInMemory();
  for await (const digest of photoStore.listStoredBefore(Infinity))
    await copy.put(digest, (await photoStore.read(digest)) ?? assert.fail());
  return copy;
}

const pair = (stores: Stores, photoStore: PhotoStore) => pairPhotos({ ...stores, photoStore }, places);

async function assertRefused(stores: Stores, photoStore: PhotoStore, sentence: RegExp): Promise<void> {
  const before = await readIds({ ...stores, photoStore });
  for (let start = 1; start <= 2; start++) await assert.rejects(pair(stores, photoStore), sentence);
  assert.deepEqual(await readIds({ ...stores, photoStore }), before);
}

void test('first start: photos and database get the same ID, and match from then on', async (t) => {
  const stores = await makePaired(t);
  const id = await stores.installation.find();
  assert.match(id ?? '', /^[0-9a-f-]{36}$/);
  assert.equal(await stores.photoStore.findInstallationId(), id);
  await addPhoto(stores, 'one');
  await pairPhotos(stores, places);
  assert.equal(await stores.photoStore.findInstallationId(), id);
});

void test('new database with the photo store of another: is refused, even if the store is empty', async (t) => {
  const { photoStore } = await makePaired(t, 'one');
  await assertRefused(makeInstallation(t), photoStore, UNKNOWN);
  await assertRefused(makeInstallation(t), (await makePaired(t)).photoStore, UNKNOWN);
});

void test('new database with photos of an earlier version, also sample photos: is refused', async (t) => {
  await assertRefused(makeInstallation(t), await withoutId(await makePaired(t, 'one')), UNKNOWN);
  const samples = makeInstallation(t);
  await addSamples(samples);
  await assertRefused(makeInstallation(t), samples.photoStore, UNKNOWN);
});

void test('another database: is refused, with and without IDs', async (t) => {
  const one = await makePaired(t, 'one');
  await assertRefused(await makePaired(t, 'other'), one.photoStore, FOREIGN);
  const other = makeInstallation(t);
  await addSamples(other);
  await addSamples(makeInstallation(t));
  // Both have the sample photos.
  const both = makeInstallation(t);
  await addSamples(both);
  await addPhoto(both, 'one');
  await assertRefused(other, both.photoStore, UNKNOWN);
  await addPhoto(other, 'other');
  await assertRefused(other, both.photoStore, MISSING);
});

void test('missing photos: the start is refused', async (t) => {
  const samples = makeInstallation(t);
  await addSamples(samples);
  for (const stores of [await makePaired(t, 'one'), samples])
    await assertRefused(stores, createPhotosInMemory(), MISSING);
});

void test('installation of an earlier version: gets an ID, even with the remains of an upload', async (t) => {
  const stores = makeInstallation(t);
  await addSamples(stores);
  await addPhoto(stores, 'one');
  await stores.photoStore.put(hash('sha256', 'unfinished', 'hex'), Buffer.from('unfinished'));
  await pairPhotos(stores, places);
  assert.equal(await stores.photoStore.findInstallationId(), await stores.installation.find());
});

void test('restored backup of an earlier version: gets the ID of the photos', async (t) => {
  const today = await makePaired(t, 'one', 'two', 'three');
  const backup = makeInstallation(t);
  await addPhoto(backup, 'one');
  await pair(backup, today.photoStore);
  assert.equal(await backup.installation.find(), await today.installation.find());
});

void test('photos restored without their ID: get the ID of the database', async (t) => {
  const stores = await makePaired(t, 'one', 'two');
  const restored = await withoutId(stores);
  await pair(stores, restored);
  assert.equal(await restored.findInstallationId(), await stores.installation.find());
});

void test('photos that another node adds during the start: do not make it fail', async (t) => {
  const stores = makeInstallation(t);
  const { photoStore } = stores;
  let isFirst = true;
  const filled: PhotoStore = {
    ...photoStore,
    async *listStoredBefore(timeMs) {
      if (isFirst) {
        isFirst = false;
        await pairPhotos(stores, places);
        await photoStore.put(photo('a').digest, Buffer.from('a'));
      }
      yield* photoStore.listStoredBefore(timeMs);
    },
  };
  await pair(stores, filled);
});

void test('photo store that does not keep an ID: the start is refused', async (t) => {
  const stores = makeInstallation(t);
  const forgetful: PhotoStore = { ...stores.photoStore, setInstallationId: () => Promise.resolve() };
  await assert.rejects(pair(stores, forgetful), /photos does not keep the ID of the installation/);
});

/** Opens the stores as the start of a server does. */
async function start<T>(flags: readonly string[], dataDir: string, work: (stores: Stores) => Promise<T>): Promise<T> {
  const stores = await openStores(testConfig(dataDir, flags));
  try {
    return await work(stores);
  } finally {
    await stores.close();
  }
}

const nothing = () => Promise.resolve();

const readIds = ({ installation, photoStore }: Stores) =>
  Promise.all([installation.find(), photoStore.findInstallationId()]);

/** The start is refused, and succeeds after the suggested command. */
async function assertHelped(flags: readonly string[], dataDir: string, sentence: RegExp): Promise<void> {
  const photos = () => readdir(join(dataDir, 'photos'), { recursive: true });
  const before = await photos();
  const refused = await start(flags, dataDir, nothing).catch((error: unknown) => error);
  assert.ok(refused instanceof Error, 'the start is refused');
  assert.match(refused.message, sentence);
  assert.deepEqual(await photos(), before);
  const command = /npx menagerie (photos adopt [^,]*)/.exec(refused.message)?.[1] ?? assert.fail(refused.message);
  const [, url] = flags;
  const environment = url === undefined ? {} : { MENAGERIE_DATABASE_URL: url };
  outputOf(await runCommand(command.split(' '), { environment }));
  await start(flags, dataDir, nothing);
}

void test('lost database, then lost photos: each start is refused until the suggested command', async (t) => {
  const dataDir = await temporaryFolder(t);
  await start([], dataDir, (stores) => addPhoto(stores, 'one'));
  for (const name of await readdir(dataDir)) if (name.startsWith('menagerie.db')) await rm(join(dataDir, name));
  await assertHelped([], dataDir, UNKNOWN);
  await start([], dataDir, (stores) => addPhoto(stores, 'two'));
  await rename(join(dataDir, 'photos'), join(dataDir, 'elsewhere'));
  await assert.rejects(start([], dataDir, nothing), MISSING);
  await assertHelped([], dataDir, MISSING);
});

void test('nodes that start at the same time on one PostgreSQL: agree; one on an empty database is refused', async (t) => {
  const server = await sharedPostgres();
  const newFlags = async () => {
    const url = await server.createDatabase({ template: server.template });
    t.after(() => server.dropDatabase(url));
    return ['--database-url', url];
  };
  const dataDir = await temporaryFolder(t);
  const flags = await newFlags();
  const ids = await Promise.all(Array.from({ length: 3 }, () => start(flags, dataDir, readIds)));
  assert.equal(new Set(ids.flat()).size, 1);
  assert.notEqual(ids[0]?.[0], undefined);
  await start(flags, dataDir, (stores) => addPhoto(stores, 'one'));
  await assertHelped(await newFlags(), dataDir, UNKNOWN);
});
