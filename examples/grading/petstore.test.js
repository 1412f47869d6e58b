import assert from 'node:assert/strict';
import { test } from 'node:test';

/* Only operations of the public Petstore. Each test makes its own records, so that all can run at the same time. */

const base = `${process.env.MENAGERIE_URL ?? 'http://127.0.0.1:8080'}/v2`;

async function send(method, path, json) {
  const body = json && { body: JSON.stringify(json), headers: { 'content-type': 'application/json' } };
  const response = await fetch(`${base}/${path}`, { method, ...body });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

async function addPet(pet) {
  const { status, body } = await send('POST', 'pet', { name: 'Luna', photoUrls: [], status: 'available', ...pet });
  assert.equal(status, 200);
  return body;
}

async function addUser() {
  const username = `kim-${crypto.randomUUID()}`;
  const { status } = await send('POST', 'user', { username, firstName: 'Kim', password: 'a long enough password' });
  assert.equal(status, 200);
  return username;
}

test('added pet: is returned as it was sent', async () => {
  const { id } = await addPet();
  assert.deepEqual(await send('GET', `pet/${id}`), {
    status: 200,
    body: { id, name: 'Luna', photoUrls: [], tags: [], status: 'available' },
  });
});

test('changed pet: is returned as changed', async () => {
  const pet = await addPet();
  await send('GET', `pet/${pet.id}`);
  assert.equal((await send('PUT', 'pet', { ...pet, name: 'Kiwi' })).status, 200);
  assert.equal((await send('GET', `pet/${pet.id}`)).body.name, 'Kiwi');
});

test('deleted pet: is not found', async () => {
  const { id } = await addPet();
  await send('GET', `pet/${id}`);
  assert.equal((await send('DELETE', `pet/${id}`)).status, 200);
  assert.equal((await send('GET', `pet/${id}`)).status, 404);
  assert.equal((await send('DELETE', `pet/${id}`)).status, 404);
});

test('list by status: has each pet with the status', async () => {
  const { id } = await addPet({ status: 'pending' });
  const { body } = await send('GET', 'pet/findByStatus?status=pending');
  assert.ok(body.some((pet) => pet.id === id));
});

test('list by tags: has a pet with several of them once', async () => {
  const tags = [crypto.randomUUID(), crypto.randomUUID()];
  const { id } = await addPet({ tags: tags.map((name) => ({ name })) });
  const { body } = await send('GET', `pet/findByTags?tags=${tags.join()}`);
  assert.deepEqual(
    body.map((pet) => pet.id),
    [id],
  );
});

test('changed user: is returned as changed', async () => {
  const username = await addUser();
  assert.equal((await send('GET', `user/${username}`)).body.firstName, 'Kim');
  assert.equal((await send('PUT', `user/${username}`, { username, firstName: 'Ada' })).status, 200);
  assert.equal((await send('GET', `user/${username}`)).body.firstName, 'Ada');
});

test('login: needs the right password', async () => {
  const username = await addUser();
  const login = (password) => send('GET', `user/login?${new URLSearchParams({ username, password })}`);
  assert.equal((await login('a long enough password')).status, 200);
  assert.equal((await login('another password')).status, 400);
});
