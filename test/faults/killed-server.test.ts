import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { SharpImaging } from '../../src/services/imaging/imaging.ts';
import { Ledger, type State } from '../support/ledger.ts';
import { startServer, type RunningServer } from '../support/menagerie-process.ts';
import { makePhoto } from '../support/photos.ts';
import { temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

const KILLS = 20;
const CLIENTS = 16;
const PHOTOS_A_ROUND = 5;
/** Acknowledged changes before a kill. A minimum of photos is set as well, because they take longest. */
const CHANGES_A_ROUND = 100;
const ADDED_PHOTOS_A_ROUND = 3;
/** Longer on a busy machine. */
const PATIENCE_MS = 30_000;
/** Replaces the origin, which differs after each start. */
const ORIGIN = 'http://origin';

interface TestPhoto {
  sent: Uint8Array<ArrayBuffer>;
  /** As the service stores it. */
  digest: string;
  stored: Uint8Array;
}

interface PetView {
  id: number;
  name: string;
  photoUrls: string[];
  tags: { name: string }[];
  status: string;
}

/** The connection broke, so the outcome of the request is unknown. */
class NoResponse extends Error {}

async function send(url: string, init: RequestInit): Promise<string> {
  let status: number;
  let text: string;
  try {
    const response = await fetch(url, init);
    status = response.status;
    text = await response.text();
  } catch {
    throw new NoResponse();
  }
  assert.equal(status, 200, `${init.method} ${text}`);
  return text;
}

function sendJson(method: string, url: string, body: unknown): Promise<string> {
  return send(url, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
}

/** Pseudorandom numbers below `below`, the same in every run. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** A client that changes its own pets, photos and accounts without a pause until the connection breaks. */
class Client {
  /** Number of its acknowledged photos. */
  addedPhotos = 0;
  readonly #ledger: Ledger;
  readonly #number: number;
  readonly #random: (below: number) => number;
  readonly #pets: string[] = [];
  readonly #users: string[] = [];
  #count = 0;

  constructor(ledger: Ledger, number: number) {
    this.#ledger = ledger;
    this.#number = number;
    this.#random = numbersFrom(number + 1);
  }

  async work(server: RunningServer, photos: readonly TestPhoto[]): Promise<void> {
    try {
      for (;;) await this.#doSomething(server, photos);
    } catch (error) {
      if (!(error instanceof NoResponse)) throw error;
    }
  }

  #doSomething(server: RunningServer, photos: readonly TestPhoto[]): Promise<void> {
    this.#count += 1;
    const pet = this.#pick(this.#pets);
    const user = this.#pick(this.#users);
    const photo = photos[this.#random(photos.length)];
    const dice = this.#random(100);
    if (dice < 10) return this.#addUser(server);
    if (dice < 16 && user !== undefined) return this.#changeUser(server, user);
    if (dice < 20 && user !== undefined) return this.#removeUser(server, user);
    if (pet === undefined || dice < 45) return this.#addPet(server);
    if (dice < 55) return this.#addPetUnderChosenId(server);
    if (dice < 70) return this.#replacePet(server, pet);
    if (dice < 80) return this.#editPet(server, pet);
    if (dice < 90 || photo === undefined) return this.#removePet(server, pet);
    return this.#addPhoto(server, pet, photo);
  }

  /** A random existing one of these records, as far as is known. */
  #pick(keys: readonly string[]): string | undefined {
    const key = keys[this.#random(keys.length)];
    return key !== undefined && this.#ledger.certainOf(key) !== null ? key : undefined;
  }

  #newDetails() {
    const status = ['available', 'pending', 'sold'][this.#random(3)];
    const name = `Pet ${this.#number}/${this.#count}${'🐕'.repeat(this.#random(20))}`;
    return { name, photoUrls: [] as string[], tags: [{ name: `t${this.#random(9)}` }], status };
  }

  async #addPet({ base }: RunningServer): Promise<void> {
    const details = this.#newDetails();
    const text = await sendJson('POST', `${base}/pet`, details);
    const { id } = JSON.parse(text) as PetView;
    assert.equal(text, JSON.stringify({ id, ...details }));
    this.#ledger.add(`pet/${id}`, text);
    this.#pets.push(`pet/${id}`);
  }

  async #addPetUnderChosenId({ base }: RunningServer): Promise<void> {
    const id = 10 ** 12 + this.#number * 10 ** 6 + this.#count;
    const pet = { id, ...this.#newDetails() };
    await this.#ledger.change(`pet/${id}`, JSON.stringify(pet), () => sendJson('POST', `${base}/pet`, pet));
    this.#pets.push(`pet/${id}`);
  }

  async #replacePet({ base, origin }: RunningServer, key: string): Promise<void> {
    const { id, photoUrls } = this.#known(key);
    const pet = { id, ...this.#newDetails(), photoUrls: photoUrls.slice(this.#random(2)) };
    const text = JSON.stringify(pet);
    const sent = JSON.parse(text.replaceAll(ORIGIN, origin)) as unknown;
    const response = await this.#ledger.change(key, text, () => sendJson('PUT', `${base}/pet`, sent));
    assert.equal(response.replaceAll(origin, ORIGIN), text);
  }

  async #editPet({ base }: RunningServer, key: string): Promise<void> {
    const name = `Edited ${this.#count}`;
    const next = JSON.stringify({ ...this.#known(key), name });
    const init = { method: 'POST', body: new URLSearchParams({ name, status: '' }) };
    await this.#ledger.change(key, next, () => send(`${base}/${key}`, init));
  }

  async #removePet({ base }: RunningServer, key: string): Promise<void> {
    await this.#ledger.change(key, null, () => send(`${base}/${key}`, { method: 'DELETE' }));
  }

  async #addPhoto({ base }: RunningServer, key: string, { sent, digest }: TestPhoto): Promise<void> {
    const pet = this.#known(key);
    const url = `${ORIGIN}/v2/photo/${digest}`;
    const photoUrls = pet.photoUrls.includes(url) ? pet.photoUrls : [...pet.photoUrls, url];
    const body = new FormData();
    body.set('file', new Blob([sent]), 'picture.gif');
    const next = JSON.stringify({ ...pet, photoUrls });
    await this.#ledger.change(key, next, () => send(`${base}/${key}/uploadImage`, { method: 'POST', body }));
    this.addedPhotos += 1;
  }

  async #addUser({ base }: RunningServer): Promise<void> {
    const user = { username: `user-${this.#number}-${this.#count}`, firstName: 'New', userStatus: 1 };
    const key = `user/${user.username}`;
    await this.#ledger.change(key, JSON.stringify(user), () => sendJson('POST', `${base}/user`, user));
    this.#users.push(key);
  }

  async #changeUser({ base }: RunningServer, key: string): Promise<void> {
    const user = { username: key.slice('user/'.length), firstName: `Changed ${this.#count}`, userStatus: 2 };
    await this.#ledger.change(key, JSON.stringify(user), () => sendJson('PUT', `${base}/${key}`, user));
  }

  async #removeUser({ base }: RunningServer, key: string): Promise<void> {
    await this.#ledger.change(key, null, () => send(`${base}/${key}`, { method: 'DELETE' }));
  }

  #known(key: string): PetView {
    return JSON.parse(this.#ledger.certainOf(key) ?? '') as PetView;
  }
}

/** The current state of a record at the service, in the format of the ledger. */
async function stateOf({ base, origin }: RunningServer, key: string): Promise<State> {
  const response = await fetch(`${base}/${key}`);
  const text = await response.text();
  if (response.status === 404) return null;
  assert.equal(response.status, 200, key);
  if (key.startsWith('pet/')) return text.replaceAll(origin, ORIGIN);
  const { username, firstName, userStatus } = JSON.parse(text) as Record<string, unknown>;
  return JSON.stringify({ username, firstName, userStatus });
}

async function checkAll(server: RunningServer, ledger: Ledger, keys: readonly string[]): Promise<void> {
  const queue = [...keys];
  const check = async () => {
    for (let key = queue.pop(); key !== undefined; key = queue.pop()) ledger.check(key, await stateOf(server, key));
  };
  await Promise.all(Array.from({ length: 16 }, check));
}

/** Checks every photo of an acknowledged pet, byte for byte. */
async function checkPhotos(
  { origin }: RunningServer,
  ledger: Ledger,
  keys: readonly string[],
  photos: readonly TestPhoto[],
): Promise<number> {
  const shown = new Set(keys.flatMap((key) => ledger.certainOf(key)?.match(/\/v2\/photo\/[0-9a-f]{64}/g) ?? []));
  for (const path of shown) {
    const response = await fetch(origin + path);
    assert.equal(response.status, 200, path);
    const stored = photos.find(({ digest }) => path.endsWith(digest))?.stored;
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), Buffer.from(stored ?? []));
  }
  return shown.size;
}

function checkDatabase(dataDir: string): void {
  const db = new DatabaseSync(join(dataDir, 'menagerie.db'), { readOnly: true });
  try {
    assert.deepEqual(
      db
        .prepare('pragma integrity_check')
        .all()
        .map(({ integrity_check: result }) => result),
      ['ok'],
    );
    assert.deepEqual(db.prepare('pragma foreign_key_check').all(), []);
    // The rows derived for lists agree with the pets.
    const astray = db.prepare(
      `select id from pet where status is not json_extract(text, '$.status')
       or (select count(*) from pet_tag where pet_id = id) <> json_array_length(text, '$.tags')
       or (select count(*) from pet_photo where pet_id = id) <> json_array_length(text, '$.photoUrls')
       or text is not (select text from pet_version where pet_version.version = pet.version)`,
    );
    assert.deepEqual(astray.all(), []);
  } finally {
    db.close();
  }
}

/** Makes different photos from one GIF by changing a colour of its table. */
async function makePhotos(folder: string, count: number): Promise<readonly TestPhoto[]> {
  const gif = await makePhoto({ format: 'gif', width: 16, height: 12 });
  assert.ok(((gif[10] ?? 0) & 0x80) !== 0, 'the GIF has a table of colours');
  const imaging = new SharpImaging({ maxPixels: 10_000, concurrency: 1, maxWaiting: 1000 });
  const photos: TestPhoto[] = [];
  for (let index = 0; index < count; index++) {
    const sent = new Uint8Array(gif);
    for (let colour = 0; colour < 16; colour++) sent.set([index, (index * 7) & 255, colour], 13 + colour * 3);
    const path = join(folder, `${index}.gif`);
    await writeFile(path, sent);
    const { digest, bytes } = await imaging.prepare(path);
    photos.push({ sent, digest, stored: bytes });
  }
  assert.equal(new Set(photos.map(({ digest }) => digest)).size, count);
  return photos;
}

void it(`killed server (${KILLS} times while writing): keeps every acknowledged change, in an intact database`, async (t) => {
  const dataDir = await temporaryFolder(t);
  const photos = await makePhotos(await temporaryFolder(t), KILLS * PHOTOS_A_ROUND);
  const ledger = new Ledger();
  const clients = Array.from({ length: CLIENTS }, (_, number) => new Client(ledger, number));
  for (let round = 0; round < KILLS; round++) {
    const server = await startServer(t, dataDir);
    await checkRound(server);
    const changes = ledger.acknowledged + CHANGES_A_ROUND;
    const added = countPhotos() + ADDED_PHOTOS_A_ROUND;
    const known = photos.slice(0, (round + 1) * PHOTOS_A_ROUND);
    // Mostly new photos, sometimes a known one.
    const offered = [...known.slice(-PHOTOS_A_ROUND), ...known.slice(0, 2)];
    const working = Promise.all(clients.map((client) => client.work(server, offered)));
    // Without a deadline, since the kill must interrupt writes; errors reject immediately.
    const isReached = async () => ledger.acknowledged >= changes && countPhotos() >= added;
    await Promise.race([until('changes', isReached, PATIENCE_MS), working]);
    await delay((round * 97) % 300);
    const { signal } = await server.end('SIGKILL');
    assert.equal(signal, 'SIGKILL', 'it must run until it is killed');
    await working;
  }
  const server = await startServer(t, dataDir, ['--empty']);
  await checkRound(server);
  await checkAll(server, ledger, ledger.keys());
  assert.ok((await checkPhotos(server, ledger, ledger.keys(), photos)) > KILLS);
  assert.equal((await server.end('SIGTERM')).code, 0);
  checkDatabase(dataDir);
  t.diagnostic(`${ledger.acknowledged} changes of ${ledger.size} records acknowledged`);

  function countPhotos(): number {
    return clients.reduce((sum, { addedPhotos }) => sum + addedPhotos, 0);
  }

  async function checkRound(server: RunningServer): Promise<void> {
    const touched = ledger.takeTouched();
    await checkAll(server, ledger, touched);
    await checkPhotos(server, ledger, touched, photos);
    checkDatabase(dataDir);
  }
});
