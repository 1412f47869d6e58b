import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient, MenagerieError, NetworkError, type Client } from '../../src/client/client.ts';
import { ENDPOINTS, type OperationId } from '../../src/api/endpoints.ts';
import { skipOperation } from '../support/nodes.ts';
import { makePhoto } from '../support/photos.ts';
import { newSecuredFolder, PASSWORDS, startSecuredService } from '../support/secured.ts';
import { removeFolder, temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

const dataDir = await newSecuredFolder();
const place = await temporaryFolder({ after });
const service = await startSecuredService({ after }, { dataDir, flags: ['--backup-to', place] });
after(() => removeFolder(dataDir));

const MAX_ID = 2n ** 63n - 1n;

async function clientAs(username: string): Promise<Client> {
  const client = createClient({ base: service.base });
  await client.login(username, PASSWORDS[username] ?? assert.fail());
  return client;
}

const admin = await clientAs('root');
const anonymous = createClient({ base: service.base });
const photoFile = new File([new Uint8Array(await makePhoto())], 'rex.jpg');

let count = 0;
const newName = (prefix: string) => `${prefix}${++count}`;

async function newPet(): Promise<bigint> {
  return (await admin.addPet({ body: { name: newName('pet'), status: 'available' } })).id;
}

async function newUser(): Promise<string> {
  const username = newName('user');
  await admin.createUser({ body: { username, password: PASSWORDS['otto'] ?? '' } });
  return username;
}

/** A client logged in to its own account. */
async function newLoggedInUser(): Promise<{ client: Client; username: string }> {
  const username = await newUser();
  const client = createClient({ base: service.base });
  await client.login(username, PASSWORDS['otto'] ?? '');
  return { client, username };
}

async function newPhoto(): Promise<{ petId: bigint; digest: string }> {
  const petId = await newPet();
  await admin.uploadFile({ petId, body: { file: photoFile, additionalMetadata: 'Rex at the lake' } });
  const { photoUrls } = await admin.getPetById({ petId });
  return { petId, digest: photoUrls[0]?.split('/').at(-1) ?? assert.fail() };
}

/** One operation of each kind, in typical use: parameters, bodies, conditions, pages, lines, texts, photos and files. */
const CALLS: Partial<Record<OperationId, () => Promise<unknown>>> = {
  async addPet() {
    const tags = [{ id: MAX_ID, name: 'large' }, 'small'];
    const pet = await admin.addPet({ body: { id: MAX_ID, name: 'Rex', category: { id: 7, name: 'Dogs' }, tags } });
    assert.deepEqual(pet, {
      id: MAX_ID,
      category: { id: 7n, name: 'Dogs' },
      name: 'Rex',
      photoUrls: [],
      tags: [{ id: MAX_ID, name: 'large' }, { name: 'small' }],
    });
  },
  async findPetsByTags() {
    const tag = 'a, b&c';
    const { id } = await admin.addPet({ body: { name: 'Rex', tags: [{ name: 'x' }] } });
    assert.deepEqual(
      (await admin.findPetsByTags({ tags: ['x'] })).map((pet) => pet.id),
      [id],
    );
    assert.deepEqual(await admin.findPetsByTags({ tags: [tag] }), []);
  },
  async getPetById() {
    const petId = await newPet();
    assert.equal((await admin.getPetById({ petId: Number(petId) })).id, petId);
    const { etag, value } = await admin.getPetById.response({ petId });
    assert.equal(value?.id, petId);
    const again = await admin.getPetById.response({ petId }, { ifNoneMatch: etag ?? '' });
    assert.deepEqual([again.status, again.value], [304, undefined]);
    await assert.rejects(admin.getPetById({ petId }, { ifNoneMatch: '*' }), { code: 'not-modified', status: 304 });
  },
  async updatePetWithForm() {
    const petId = await newPet();
    await admin.updatePetWithForm({ petId, body: { name: 'Max', status: 'sold' } }, { ifMatch: '*' });
    const { name, status } = await admin.getPetById({ petId });
    assert.deepEqual([name, status], ['Max', 'sold']);
  },
  async changePets() {
    const id = await newPet();
    const body = [
      { op: 'patch', id, patch: { name: 'Max' } },
      { op: 'delete', id },
      { op: 'delete', id },
    ] as const;
    const responses = await Array.fromAsync(admin.changePets.lines({ body }));
    const again = await admin.changePets({ body: body.slice(1) });
    assert.deepEqual(
      again.map(({ status }) => status),
      [404, 404],
    );
    assert.deepEqual(
      responses.map(({ line, status }) => [line, status]),
      [
        [1, 200],
        [2, 200],
        [3, 404],
      ],
    );
    await assert.rejects(admin.getPetById({ petId: id }), { code: 'not-found' });
  },
  async deletePet() {
    const petId = await newPet();
    assert.equal((await admin.deletePet({ petId })).message, String(petId));
    await assert.rejects(admin.getPetById({ petId }), { code: 'not-found' });
  },
  async uploadFile() {
    const petId = await newPet();
    const body = { file: photoFile, additionalMetadata: 'Rex' };
    const { message } = await admin.uploadFile({ petId, body });
    assert.equal(message, `additionalMetadata: Rex\nFile uploaded to ./rex.jpg, ${photoFile.size} bytes`);
  },
  async createUser() {
    const username = newName('user');
    const { message } = await admin.createUser({ body: { id: 2n ** 60n, username, email: 'a@example.org' } });
    assert.equal(message, String(2n ** 60n));
    assert.equal((await admin.getUserByName({ username })).id, 2n ** 60n);
  },
  async createUsersWithListInput() {
    const username = newName('user');
    const body = [{ username }, { username }];
    await assert.rejects(admin.createUsersWithListInput({ body }), (error) => {
      assert.ok(error instanceof MenagerieError);
      assert.equal(error.code, 'conflict');
      assert.ok(error.errors.length > 0);
      return true;
    });
  },
  async loginUser() {
    const text = await admin.loginUser({ username: 'root', password: PASSWORDS['root'] ?? '' });
    assert.match(text, /^logged in user session:\S+$/);
  },
  async getUserByName() {
    const username = `who?${newName('ever')} & co/`.replace('/', '');
    await admin.createUser({ body: { username } });
    assert.equal((await admin.getUserByName({ username })).username, username);
  },
  async patchPet() {
    const petId = await newPet();
    const patched = await admin.patchPet({ petId, body: { status: null, category: { id: MAX_ID } } });
    assert.deepEqual([patched.status, patched.category], [undefined, { id: MAX_ID }]);
  },
  async replacePetProfile() {
    const petId = await newPet();
    const profile = { species: 'cat', weightKg: 4.2, bondedWith: [{ id: MAX_ID }] } as const;
    assert.deepEqual(await admin.replacePetProfile({ petId, body: profile }), profile);
    assert.deepEqual(await admin.getPetProfile({ petId }), profile);
  },
  async findPets() {
    const tag = newName('tag');
    const ids: bigint[] = [];
    for (let index = 0; index < 3; index++) ids.push((await admin.addPet({ body: { name: 'Rex', tags: [tag] } })).id);
    const { pets, total } = await admin.findPets({ text: 're', tags: [tag], limit: 1 });
    assert.deepEqual([pets.map(({ id }) => id), total], [ids.slice(0, 1), 3]);
    const { petId, digest } = await newPhoto();
    const { covers } = await admin.findPets({ sort: 'newest', limit: 1, covers: true });
    assert.deepEqual(
      covers?.map((cover) => [cover.petId, cover.digest, cover.alt]),
      [[petId, digest, 'Rex at the lake']],
    );
    const all = await Array.fromAsync(admin.findPets.all({ tags: [tag], limit: 2 }));
    assert.deepEqual(
      all.map(({ id }) => id),
      ids,
    );
  },
  async exportPets() {
    const id = await newPet();
    const pets = await Array.fromAsync(admin.exportPets.lines());
    assert.ok(pets.some((pet) => pet.id === id));
    const csv = await admin.exportPets({ format: 'csv' });
    assert.ok(typeof csv === 'string' && csv.includes(`\r\n${id},`));
  },
  async listPetHistory() {
    const petId = await newPet();
    await admin.patchPet({ petId, body: { name: 'Max' } });
    const history = await Array.fromAsync(admin.listPetHistory.all({ petId, limit: 1 }));
    assert.deepEqual(
      history.map(({ action }) => action),
      ['edited', 'added'],
    );
    assert.equal(typeof history[0]?.version, 'bigint');
  },
  async listDeletedPets() {
    const [first, second] = [await newPet(), await newPet()];
    for (const petId of [first, second]) await admin.deletePet({ petId });
    const removed: bigint[] = [];
    for await (const { id, actor } of admin.listDeletedPets.all({ limit: 1 })) {
      assert.equal(actor?.name, 'root');
      if (removed.push(id) === 2) break;
    }
    assert.deepEqual(removed, [second, first]);
  },
  async getOpenApiDocument() {
    const { etag, value } = await admin.getOpenApiDocument.response();
    assert.match(value?.openapi ?? '', /^3\.1/);
    assert.equal((await admin.getOpenApiDocument.response({}, { ifNoneMatch: etag ?? '' })).status, 304);
  },
  async getPhoto() {
    const { digest } = await newPhoto();
    const photo = await admin.getPhoto({ digest });
    assert.equal(photo.type, 'image/jpeg');
    assert.ok(photo.size > 100);
  },
  async createKey() {
    const edna = await clientAs('edna');
    const { key } = await edna.createKey({ body: { name: newName('key'), scopes: ['write:pets'] } });
    const program = createClient({ base: service.base, apiKey: key });
    assert.equal((await program.addPet({ body: { name: 'Rex' } })).name, 'Rex');
  },
  async getListingFeed() {
    const { key } = await admin.createFeedKey({ site: 'open' });
    const feed = await anonymous.getListingFeed({ site: 'open', file: 'pets.json', key });
    assert.ok(typeof feed === 'object' && feed.formatVersion === 1);
    const [other] = (await admin.createFeedKey({ site: 'adoptapet' })).urls;
    const config = {
      site: 'adoptapet',
      file: 'import.cfg',
      key: new URL(other ?? '').searchParams.get('key') ?? '',
    } as const;
    const text: unknown = await anonymous.getListingFeed(config);
    assert.ok(typeof text === 'string' && text.startsWith('#1:Id=Id\r\n'));
  },
  async downloadBackup() {
    const { name } = await admin.startBackup();
    const isFinished = async () => {
      const { backups } = await admin.listBackups();
      return backups.find((each) => each.name === name)?.state === 'finished';
    };
    await until('the backup is finished', isFinished);
    const archive = await admin.downloadBackup({ backup: name });
    assert.equal(Buffer.from(await new Response(archive).arrayBuffer()).byteLength % 512, 0);
  },
  async createPlayground() {
    const created = await admin.createPlayground({ body: { contents: 'empty', access: 'secured' } });
    const own = createClient({ base: created.base });
    const { username, password } = created.users.find(({ role }) => role === 'editor') ?? assert.fail();
    await own.login(username, password);
    assert.equal((await own.addPet({ body: { name: 'Rex' } })).id, 1n);
  },
  async listAuditEntries() {
    const id = await newPet();
    const filter = { action: 'pet.added', subject: String(id) };
    const [entry] = await admin.listAuditEntries(filter);
    assert.equal(typeof entry?.id, 'bigint');
    assert.equal(entry?.actor?.name, 'root');
    assert.deepEqual(await Array.fromAsync(admin.listAuditEntries.lines(filter)), [entry]);
  },
};

void describe('client', () => {
  for (const [id, call] of Object.entries(CALLS))
    void it(`calls ${id}`, { skip: skipOperation(id) }, async () => {
      await call();
    });

  void it('sends each operation with its method to its path', async (t) => {
    const requests: string[] = [];
    const { client } = await strange(t, (request, response) => {
      requests.push(`${request.method} ${request.url}`);
      response.writeHead(418).end();
    });
    for (const [id, { method, path }] of Object.entries(ENDPOINTS)) {
      const names = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);
      const operation = client[id as OperationId] as (input: object) => Promise<unknown> | AsyncIterable<unknown>;
      const result = operation(Object.fromEntries(names.map((name) => [name, `a ${name}`])));
      await assert.rejects('then' in result ? result : Array.fromAsync(result), { status: 418 }, id);
      const sent = path.replace('/v2', '/strange').replaceAll(/\{(\w+)\}/g, 'a%20$1');
      assert.equal(requests.at(-1), `${method} ${sent}`);
    }
    assert.equal(requests.length, Object.keys(ENDPOINTS).length);
  });

  void it('iterates over pages on demand', async () => {
    const [tag, other] = [newName('tag'), newName('tag')];
    const ids: bigint[] = [];
    for (let index = 0; index < 5; index++)
      ids.push((await admin.addPet({ body: { name: 'Rex', tags: [index % 2 === 0 ? tag : other] } })).id);
    const parameters = { tags: [tag, other], limit: 2 };
    const pages = await Array.fromAsync(admin.findPetsByTags.pages(parameters));
    assert.deepEqual(
      pages.map((page) => page.map((pet) => pet.id)),
      [ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)],
    );
    assert.deepEqual(
      (await Array.fromAsync(admin.findPetsByTags.all(parameters))).map((pet) => pet.id),
      ids,
    );
    for await (const pet of admin.findPetsByTags.all(parameters)) {
      assert.equal(pet.id, ids[0]);
      break;
    }
  });

  void it('reports the progress of an upload to its last byte', async () => {
    const large = new File([new Uint8Array(await makePhoto({ width: 2000, height: 1700 }))], 'ä "rex".jpg');
    const petId = await newPet();
    const reports: { sentBytes: number; totalBytes: number }[] = [];
    const body = { file: large, additionalMetadata: 'ein Löwe' };
    const { message } = await admin.uploadFile({ petId, body }, { onProgress: (progress) => reports.push(progress) });
    assert.match(message, new RegExp(`^additionalMetadata: ein Löwe\n.*, ${large.size} bytes$`));
    const { sentBytes, totalBytes } = reports.at(-1) ?? assert.fail();
    assert.equal(sentBytes, totalBytes);
    assert.ok(totalBytes > large.size);
    assert.ok(reports.length > 1);
    assert.deepEqual(
      reports.map((each) => each.sentBytes),
      reports.map((each) => each.sentBytes).toSorted((a, b) => a - b),
    );
  });

  void it('logs in with an expiry, and out', async () => {
    const client = createClient({ base: `${service.base}/` });
    const { token, expiresAt } = await client.login('vera', PASSWORDS['vera'] ?? '');
    assert.ok((expiresAt?.getTime() ?? 0) > Date.now());
    assert.equal((await createClient({ base: service.base, token }).getAccount()).username, 'vera');
    await client.logout();
    await assert.rejects(client.getAccount(), { code: 'unauthenticated' });
    await assert.rejects(createClient({ base: service.base, token }).getAccount(), { code: 'unauthenticated' });
  });

  void it('sends an idempotency key once for repeated calls', async () => {
    const idempotencyKey = newName('key');
    const [first, again] = [
      await admin.addPet({ body: { name: 'Rex' } }, { idempotencyKey }),
      await admin.addPet({ body: { name: 'Rex' } }, { idempotencyKey }),
    ];
    assert.deepEqual(again, first);
    const options = { idempotencyKey: newName('key') };
    const body = [{ op: 'create', pet: { name: 'Rex' } }] as const;
    const [lines, same] = [
      await Array.fromAsync(admin.changePets.lines({ body }, options)),
      await Array.fromAsync(admin.changePets.lines({ body }, options)),
    ];
    assert.equal(lines[0]?.status, 200);
    assert.deepEqual(same, lines);
  });

  void it('reports errors with details, and refuses ids that may have been rounded', async () => {
    await assert.rejects(admin.addPet({ body: { name: ' ', photoUrls: [] } }), (error) => {
      assert.ok(error instanceof MenagerieError);
      assert.deepEqual([error.status, error.code, error.errors[0]?.path], [400, 'invalid-input', '/name']);
      return true;
    });
    await assert.rejects(admin.getPetById.response({ petId: 2 ** 60 }), RangeError);
    await assert.rejects(admin.getPetById({ petId: 2 ** 60 }), RangeError);
    await assert.rejects(admin.getUserByName({ username: '' }), /username is missing/);
    for (const username of ['.', '..']) await assert.rejects(admin.getUserByName({ username }), TypeError);
  });
});

void describe('client: events', () => {
  void it('arrive with bigints, and continue after the last one', async () => {
    const petId = await newPet();
    const ending = new AbortController();
    const seen: { version: bigint; type: string }[] = [];
    const first = admin.events({ petId, lastEventId: 0 }, { signal: ending.signal });
    for await (const event of first) {
      seen.push(event);
      if (seen.length === 1) await admin.patchPet({ petId, body: { name: 'Max' } });
      else break;
    }
    assert.deepEqual(
      seen.map(({ type }) => type),
      ['pet.added', 'pet.edited'],
    );
    await admin.deletePet({ petId });
    for await (const event of admin.events({ petId }, { lastEventId: seen[1]?.version ?? 0n })) {
      assert.deepEqual([event.type, 'id' in event && event.id], ['pet.deleted', petId]);
      break;
    }
  });

  void it('end on request, and are refused without permission', async () => {
    const ending = new AbortController();
    setTimeout(() => ending.abort(), 50);
    assert.deepEqual(await Array.fromAsync(admin.events({}, { signal: ending.signal })), []);
    const anonymous = createClient({ base: service.base });
    await assert.rejects(Array.fromAsync(anonymous.events({ kinds: ['account'] })), { code: 'unauthenticated' });
  });

  void it('end with an error when the session ends', async () => {
    const { client, username } = await newLoggedInUser();
    const other = createClient({ base: service.base });
    await other.login(username, PASSWORDS['otto'] ?? '');
    const petId = await newPet();
    const seen: string[] = [];
    await assert.rejects(
      async () => {
        for await (const { type } of client.events({ petId, lastEventId: 0 })) {
          seen.push(type);
          await other.endOtherSessions();
        }
      },
      { name: 'MenagerieError', code: 'unauthenticated' },
    );
    assert.deepEqual(seen, ['pet.added']);
  });

  void it('include resets, and continue after the version of one', async (t) => {
    const parameters: (string | string[] | undefined)[] = [];
    const { client } = await strange(t, (request, response) => {
      parameters.push(request.headers['last-event-id']);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const data = '{"version":7,"type":"reset","lastVersion":9}';
      response.end(`retry: 5\n\nid: 9\nevent: position\ndata: {"version":9}\n\nid: 7\nevent: reset\ndata: ${data}\n\n`);
    });
    const seen: unknown[] = [];
    for await (const event of client.events()) if (seen.push(event) === 2) break;
    const reset = { version: 7n, type: 'reset', lastVersion: 9n };
    assert.deepEqual(
      [seen, parameters],
      [
        [reset, reset],
        [undefined, '7'],
      ],
    );
  });

  void it('are complete and unique across broken connections', async (t) => {
    const parameters: (string | string[] | undefined)[] = [];
    const { client } = await strange(t, (request, response) => {
      parameters.push(request.headers['last-event-id']);
      const next = Number(request.headers['last-event-id'] ?? 0) + 1;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`retry: 5\n:\n\nid: ${next}\nevent: pet.added\ndata: {"version":${next},"type":"pet.added"}\n\n`);
      // The last event is truncated, and repeated on the next connection.
      response.write(`id: ${next + 1}\nevent: pet.added\ndata: {"version":`);
      setTimeout(() => response.destroy(), 5);
    });
    const versions: bigint[] = [];
    for await (const { version } of client.events()) if (versions.push(version) === 5) break;
    assert.deepEqual(versions, [1n, 2n, 3n, 4n, 5n]);
    assert.deepEqual(parameters, [undefined, '1', '2', '3', '4']);
  });
});

/** A server that the test controls, with a counter of requests, and a client of it. */
async function strange(t: TestContext, listener: RequestListener, options: Parameters<typeof createClient>[0] = {}) {
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    seen.push(request.method);
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  // Outside of /v2, whose responses must agree with the documents.
  const base = `http://127.0.0.1:${port}/strange`;
  return { seen, base, client: createClient({ base, ...options }) };
}

const busy: RequestListener = (request, response) => {
  request.resume();
  response.writeHead(503, { 'retry-after': '0', 'content-type': 'application/json' }).end('{"message":"Busy."}');
};

void describe('client with a failing server', () => {
  void it('retries reads the configured number of times', async (t) => {
    const { seen, client } = await strange(t, busy);
    await assert.rejects(client.getPetById({ petId: 1 }), { code: 'unavailable', retryAfterSeconds: 0 });
    assert.equal(seen.length, 3);
    const eager = await strange(t, busy, { retries: 0 });
    await assert.rejects(eager.client.getPetById({ petId: 1 }), { message: 'Busy.' });
    assert.equal(eager.seen.length, 1);
  });

  void it('retries changes only with an idempotency key', async (t) => {
    const { seen, client } = await strange(t, busy);
    await assert.rejects(client.addPet({ body: { name: 'Rex' } }), { status: 503 });
    await assert.rejects(client.deletePet({ petId: 1 }), { status: 503 });
    assert.deepEqual(seen, ['POST', 'DELETE']);
    await assert.rejects(client.deletePet({ petId: 1 }, { idempotencyKey: 'k' }), { status: 503 });
    assert.equal(seen.length, 3);
    await assert.rejects(client.addPet({ body: { name: 'Rex' } }, { idempotencyKey: 'k' }), { status: 503 });
    assert.equal(seen.length, 6);
  });

  for (const { status, header, times } of [
    { status: 409, header: { 'retry-after': '0' }, times: 3 },
    { status: 409, header: { 'retry-after': '31' }, times: 1 },
    { status: 409, header: {}, times: 1 },
    { status: 502, header: {}, times: 3 },
  ])
    void it(`sends a POST with a key ${times} times after ${status} ${JSON.stringify(header)}`, async (t) => {
      const keys: unknown[] = [];
      const { client, seen } = await strange(t, (request, response) => {
        request.resume();
        keys.push(request.headers['idempotency-key']);
        response.writeHead(status, header).end();
      });
      await assert.rejects(client.addPet({ body: { name: 'Rex' } }, { idempotencyKey: 'k' }), { status });
      assert.deepEqual(keys, Array(times).fill('k'));
      await assert.rejects(client.addPet({ body: { name: 'Rex' } }), { status });
      assert.equal(seen.length, times + 1);
    });

  for (const status of [301, 302, 303, 307, 308])
    void it(`does not follow redirects: ${status}`, async (t) => {
      const elsewhere = await strange(t, (_request, response) => void response.end('{"id":1}'));
      const leading: RequestListener = (request, response) => {
        request.resume();
        response.writeHead(status, { location: `${elsewhere.base}${request.url}` }).end();
      };
      const { client } = await strange(t, leading, { token: 'a', apiKey: 'b' });
      const calls = [
        () => client.getPetById({ petId: 1 }),
        () => client.addPet({ body: { name: 'Rex' } }),
        () => client.login('root', 'secret'),
        () => client.uploadFile({ petId: 1, body: { file: photoFile } }, { onProgress: () => {} }),
        () => Array.fromAsync(client.events()),
        () => Array.fromAsync(client.listAuditEntries.lines()),
      ];
      for (const call of calls)
        await assert.rejects(call(), { name: 'MenagerieError', status, message: /redirects are not followed/ });
      assert.deepEqual(elsewhere.seen, []);
    });

  void it('waits without a timeout if configured', async (t) => {
    const { client } = await strange(t, (_request, response) => {
      setTimeout(() => response.end('{"id":1}'), 50);
    });
    for (const timeoutMs of [Infinity, 2 ** 31])
      assert.equal((await client.getPetById({ petId: 1 }, { timeoutMs })).id, 1n);
  });

  void it('distinguishes network failures from error responses', async (t) => {
    const { client, seen } = await strange(t, (request) => void request.destroy());
    await assert.rejects(client.getPetById({ petId: 1 }), (error) => error instanceof NetworkError && !error.isTimeout);
    assert.equal(seen.length, 3);
    await assert.rejects(client.deletePet({ petId: 1 }), NetworkError);
    await assert.rejects(client.addPet({ body: { name: 'Rex' } }), NetworkError);
    assert.equal(seen.length, 5);
    const half = await strange(t, (_request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{"id":1,');
      setTimeout(() => response.destroy(), 20);
    });
    await assert.rejects(half.client.getPetById({ petId: 1 }), NetworkError);
    await assert.rejects(Array.fromAsync(half.client.listAuditEntries.lines()), NetworkError);
  });

  void it('times out, and stops on an abort signal', async (t) => {
    const { client } = await strange(t, () => {}, { timeoutMs: 50 });
    await assert.rejects(client.getPetById({ petId: 1 }), (error) => error instanceof NetworkError && error.isTimeout);
    const reason = new Error('enough');
    const calls = [
      (signal: AbortSignal) => client.getPetById({ petId: 1 }, { signal, timeoutMs: 10_000 }),
      (signal: AbortSignal) => Array.fromAsync(client.listAuditEntries.lines({}, { signal, timeoutMs: 10_000 })),
      (signal: AbortSignal) =>
        client.uploadFile({ petId: 1, body: { file: photoFile } }, { signal, onProgress: () => {} }),
    ];
    for (const call of calls) {
      const ending = new AbortController();
      const outcome = assert.rejects(call(ending.signal), (error) => error === reason);
      await delay(20);
      ending.abort(reason);
      await outcome;
      await assert.rejects(call(AbortSignal.abort(reason)), (error) => error === reason);
    }
  });

  void it('events: reconnects after Retry-After', async (t) => {
    const askedAtMs: number[] = [];
    const { client } = await strange(t, (_request, response) => {
      askedAtMs.push(performance.now());
      if (askedAtMs.length === 1) response.writeHead(503, { 'retry-after': '1' }).end();
      else
        response
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .write('id: 1\nevent: pet.added\ndata: {"version":1}\n\n');
    });
    for await (const event of client.events()) if (event.version === 1n) break;
    const [refusedAtMs = 0, followedAtMs = 0] = askedAtMs;
    assert.ok(followedAtMs - refusedAtMs > 950, `${followedAtMs - refusedAtMs} ms`);
  });

  for (const status of [409, 503])
    void it(`stops during a wait between retries after ${status}`, async (t) => {
      const ending = new AbortController();
      // The whole response is there, so the client reads it without waiting for the network.
      const fetchThenAbort: typeof fetch = async (...request) => {
        const response = await fetch(...request);
        const { headers } = response;
        const received = new Response(await response.text(), { status, headers });
        setImmediate(() => ending.abort());
        return received;
      };
      const { client, seen } = await strange(
        t,
        (request, response) => {
          request.resume();
          response.writeHead(status, { 'retry-after': '20' }).end();
        },
        { fetch: fetchThenAbort },
      );
      const options = { idempotencyKey: 'k', signal: ending.signal };
      await assert.rejects(client.addPet({ body: { name: 'Rex' } }, options), { name: 'AbortError' });
      assert.equal(seen.length, 1);
    });

  void it('refuses the HTML page of a proxy as a response', async (t) => {
    const { client } = await strange(
      t,
      (_request, response) => void response.writeHead(502).end('<h1>Bad gateway</h1>'),
    );
    await assert.rejects(client.getPetById({ petId: 1 }), { code: 'unexpected', status: 502 });
    const { client: other } = await strange(
      t,
      (_request, response) => void response.end('<h1>Log in to this Wi-Fi</h1>'),
    );
    await assert.rejects(other.getPetById({ petId: 1 }), NetworkError);
    await assert.rejects(Array.fromAsync(other.events()), { code: 'unexpected', status: 200 });
  });
});
