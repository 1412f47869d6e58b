import assert from 'node:assert/strict';
import { randomInt, randomUUID } from 'node:crypto';
import { clientOf, type Call, type HttpResponse } from '../support/client.ts';
import { fileUpload } from '../support/multipart.ts';
import { makePhoto } from '../support/photos.ts';

/*
 * A compact check of the contract against any base URL: what a client relies on, in a few requests for each rule. It
 * makes its own pets, so that it can run next to others, and again.
 */

export interface CheckedService {
  base: string;
  /** Credentials of an administrator, if the service requires them. */
  headers?: Readonly<Record<string, string>>;
}

interface Pet {
  id: number;
  name: string;
  photoUrls: string[];
  tags: { name: string }[];
}

type Check = (call: Call, service: CheckedService) => Promise<void>;

/** @returns the rules that do not hold, with what is wrong */
export async function checkContract(service: CheckedService): Promise<ReadonlyMap<string, string>> {
  const call = clientOf(service.base);
  const withCredentials: Call = (method, path, { headers, ...options } = {}) =>
    call(method, path, { ...options, headers: { ...service.headers, ...headers } });
  const problems = new Map<string, string>();
  for (const [rule, check] of Object.entries(CHECKS)) {
    try {
      await check(withCredentials, service);
    } catch (error) {
      problems.set(rule, (error as Error).message);
    }
  }
  return problems;
}

async function ok(response: Promise<HttpResponse>): Promise<HttpResponse> {
  const { status, text } = await response;
  assert.equal(status, 200, text);
  return response;
}

const petIn = ({ text }: HttpResponse) => JSON.parse(text) as Pet;
const searchIn = ({ text }: HttpResponse) => JSON.parse(text) as { pets: Pet[]; total: number };
const usernameIn = ({ text }: HttpResponse) => (JSON.parse(text) as { username: string }).username;
const petsIn = ({ text }: HttpResponse) => JSON.parse(text) as Pet[];

async function addPet(call: Call, pet: object = {}): Promise<Pet> {
  return petIn(await ok(call('POST', 'pet', { json: { name: 'Luna', ...pet } })));
}

async function addUser(call: Call, username = `Kim-${randomUUID()}`): Promise<string> {
  await ok(call('POST', 'user', { json: { username, password: PASSWORD } }));
  return username;
}

async function idsOf(response: Promise<HttpResponse>): Promise<number[]> {
  return petsIn(await ok(response)).map(({ id }) => id);
}

const PASSWORD = 'a long enough password';

/** IDs that nobody else uses, in their order. */
function freeIds(count: number): number[] {
  const first = randomInt(10 ** 11);
  return Array.from({ length: count }, (_, index) => first * 1000 + index);
}

const CHECKS: Readonly<Record<string, Check>> = {
  async 'pages: have every pet once, up to the last'(call) {
    const tag = randomUUID();
    const added: number[] = [];
    for (let index = 0; index < 5; index++) added.push((await addPet(call, { tags: [tag] })).id);
    const seen: number[] = [];
    let path: string | undefined = `pet/findByTags?tags=${tag}&limit=2`;
    while (path !== undefined) {
      const page = await ok(call('GET', path));
      seen.push(...petsIn(page).map(({ id }) => id));
      path = /<([^>]*)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1];
    }
    assert.deepEqual(seen, added);
  },

  async 'changes: need the current version with If-Match'(call) {
    const { id } = await addPet(call);
    const { headers } = await ok(call('GET', `pet/${id}`));
    const condition = { 'if-match': headers.get('etag') ?? assert.fail('no ETag') };
    await ok(call('PUT', 'pet', { json: { id, name: 'Kiwi' }, headers: condition }));
    const late = await call('PUT', 'pet', { json: { id, name: 'Rex' }, headers: condition });
    assert.equal(late.status, 412);
  },

  async 'IDs: have all their digits'(call) {
    const id = 2n ** 62n + BigInt(randomInt(10 ** 9)) * 2n + 1n;
    await ok(call('POST', 'pet', { body: Buffer.from(`{"id":${id},"name":"Luna"}`), ...JSON_BODY }));
    assert.match((await ok(call('GET', `pet/${id}`))).text, new RegExp(`^\\{"id":${id},`));
  },

  async 'search: filters by category, and counts what it finds'(call) {
    const category = randomUUID();
    const { id } = await addPet(call, { category: { name: category } });
    await addPet(call);
    const found = searchIn(await ok(call('GET', `pet?category=${category}`)));
    assert.deepEqual([found.pets.map((pet) => pet.id), found.total], [[id], 1]);
  },

  async 'reads: return the last change'(call) {
    const { id } = await addPet(call);
    const before = await ok(call('GET', `pet/${id}`));
    await ok(call('PUT', 'pet', { json: { id, name: 'Kiwi' } }));
    const after = await ok(call('GET', `pet/${id}`));
    assert.equal(petIn(after).name, 'Kiwi');
    assert.notEqual(after.headers.get('etag'), before.headers.get('etag'));
  },

  async 'deletions: require credentials in secured access'(call, { base, headers }) {
    if (headers === undefined) return;
    const { id } = await addPet(call);
    assert.equal((await clientOf(base)('DELETE', `pet/${id}`)).status, 401);
  },

  async 'addPet: responds with 200'(call) {
    assert.equal((await call('POST', 'pet', { json: { name: 'Luna' } })).status, 200);
  },

  async 'lists by status: are sorted by ID'(call) {
    const ids = freeIds(1).flatMap((id) => [id, id * 10]);
    for (const id of [...ids, 9, 10]) await ok(call('POST', 'pet', { json: { id, name: 'Luna', status: 'sold' } }));
    const listed = await idsOf(call('GET', 'pet/findByStatus?status=sold'));
    assert.deepEqual(
      listed,
      listed.toSorted((one, other) => one - other),
    );
  },

  async 'lists by tags: have each pet once'(call) {
    const tags = [randomUUID(), randomUUID()];
    const { id } = await addPet(call, { tags });
    assert.deepEqual(await idsOf(call('GET', `pet/findByTags?tags=${tags.join()}`)), [id]);
  },

  async 'deleted pets: are not found'(call) {
    const { id } = await addPet(call);
    await ok(call('GET', `pet/${id}`));
    await ok(call('DELETE', `pet/${id}`));
    const { status, text } = await call('GET', `pet/${id}`);
    assert.deepEqual([status, text], [404, '{"code":1,"type":"error","message":"Pet not found"}']);
    assert.equal((await call('DELETE', `pet/${id}`)).status, 404);
  },

  async 'lists by status: have the pet that was added last'(call) {
    const { id } = await addPet(call, { status: 'pending' });
    assert.ok((await idsOf(call('GET', 'pet/findByStatus?status=pending'))).includes(id));
  },

  async 'pets that have not changed: are not sent again'(call) {
    const { id } = await addPet(call);
    const { headers } = await ok(call('GET', `pet/${id}`));
    const known = { 'if-none-match': headers.get('etag') ?? assert.fail('no ETag') };
    assert.equal((await call('GET', `pet/${id}`, { headers: known })).status, 304);
  },

  async 'bodies: are JSON or XML'(call) {
    const text = { body: Buffer.from('Luna'), headers: { 'content-type': 'text/plain' } };
    assert.equal((await call('POST', 'pet', text)).status, 415);
  },

  async 'users: are returned as last changed, without the password'(call) {
    const username = await addUser(call);
    assert.doesNotMatch((await ok(call('GET', `user/${username}`))).text, /password/);
    await ok(call('PUT', `user/${username}`, { json: { firstName: 'Kim' } }));
    assert.match((await ok(call('GET', `user/${username}`))).text, /"firstName":"Kim"/);
  },

  async 'login: needs the password'(call, { base }) {
    const username = await addUser(call);
    const wrong = await clientOf(base)('GET', `user/login?username=${username}&password=wrong`);
    assert.deepEqual([wrong.status, wrong.headers.get('x-expires-after')], [400, null]);
  },

  async 'sessions and users: need a login in secured access, until the logout'(call, { base, headers }) {
    if (headers === undefined) return;
    const username = await addUser(call);
    await ok(call('GET', `user/${username}`));
    const visitor = clientOf(base);
    assert.equal((await visitor('GET', `user/${username}`)).status, 401);
    const login = await ok(visitor('POST', 'user/login', { json: { username, password: PASSWORD } }));
    const session = { headers: { authorization: `Bearer ${/session:([^"]+)/.exec(login.text)?.[1]}` } };
    await ok(visitor('GET', `user/${username}`, session));
    await ok(visitor('GET', 'user/logout', session));
    assert.equal((await visitor('GET', `user/${username}`, session)).status, 401);
  },

  async 'user names: are found in any case'(call) {
    const username = await addUser(call);
    assert.equal(usernameIn(await ok(call('GET', `user/${username.toUpperCase()}`))), username);
  },

  async 'XML: is sent as what it is'(call) {
    const { id } = await addPet(call);
    const { headers, text } = await ok(call('GET', `pet/${id}`, { headers: { accept: 'application/xml' } }));
    assert.equal(headers.get('content-type'), 'application/xml');
    assert.match(text, /<Pet>/);
  },

  async 'photos: are all listed by the pet'(call) {
    const { id } = await addPet(call);
    for (const width of [8, 9])
      await ok(call('POST', `pet/${id}/uploadImage`, fileUpload(await makePhoto({ width, height: 8 }))));
    assert.equal(petIn(await ok(call('GET', `pet/${id}`))).photoUrls.length, 2);
  },

  async 'names: are stored as they are sent'(call) {
    const name = 'Long '.repeat(40).trim();
    const { id } = await addPet(call, { name });
    assert.equal(petIn(await ok(call('GET', `pet/${id}`))).name, name);
  },

  async 'tags: are a list even if there are none'(call) {
    const { id } = await addPet(call);
    assert.deepEqual(petIn(await ok(call('GET', `pet/${id}`))).tags, []);
  },

  async 'idempotency key: executes a request once'(call) {
    const request = { json: { name: 'Luna' }, headers: { 'idempotency-key': randomUUID() } };
    const [first, second] = [await ok(call('POST', 'pet', request)), await ok(call('POST', 'pet', request))];
    assert.equal(second.text, first.text);
  },
};

const JSON_BODY = { headers: { 'content-type': 'application/json' } };
