import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import { startMenagerie } from 'menagerie/testing';

const menagerie = await startMenagerie();
const { client } = menagerie;
afterEach(() => menagerie.reset());
after(() => menagerie.close());

test('sold pet: is no longer available', async () => {
  const { id } = await client.addPet({ body: { name: 'Rex', status: 'available' } });
  await client.updatePetWithForm({ petId: id, body: { status: 'sold' } });
  assert.deepEqual(await client.findPetsByStatus({ status: ['available'] }), []);
});

test('reset: every test starts with an empty catalogue and IDs from 1', async () => {
  const { id } = await client.addPet({ body: { name: 'Max' } });
  assert.equal(id, 1n);
});

test('unknown pet: is reported with a code', async () => {
  await assert.rejects(client.getPetById({ petId: 7 }), { code: 'not-found', message: 'Pet not found' });
});
