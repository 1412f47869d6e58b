import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import { startMenagerie } from 'menagerie/testing';

const menagerie = await startMenagerie();
const { client } = menagerie;
afterEach(() => menagerie.reset());
after(() => menagerie.close());

test('a pet that is sold is not available any more', async () => {
  const { id } = await client.addPet({ body: { name: 'Rex', status: 'available' } });
  await client.updatePetWithForm({ petId: id, body: { status: 'sold' } });
  assert.deepEqual(await client.findPetsByStatus({ status: ['available'] }), []);
});

test('every test begins with an empty catalogue, and ids from 1', async () => {
  const { id } = await client.addPet({ body: { name: 'Max' } });
  assert.equal(id, 1n);
});

test('a pet that is not there is told by its code', async () => {
  await assert.rejects(client.getPetById({ petId: 7 }), { code: 'not-found', message: 'Pet not found' });
});
