import { createClient } from 'menagerie/client';
import { startMenagerie } from 'menagerie/testing';

let menagerie;
let client;
beforeAll(async () => {
  menagerie = await startMenagerie();
});
beforeEach(async () => {
  const { base } = await menagerie.client.createPlayground({ body: { contents: 'samples' } });
  client = createClient({ base, integers: 'number' });
});
afterAll(() => menagerie.close());

test('new pet: has the next ID', async () => {
  const pet = await client.addPet({ body: { name: 'Luna', status: 'available' } });
  expect(pet.id).toBe(21);
  expect(JSON.parse(JSON.stringify(pet))).toEqual(await client.getPetById({ petId: 21 }));
});

test('deleted pet: is gone only here', async () => {
  await client.deletePet({ petId: 1 });
  await expect(client.getPetById({ petId: 1 })).rejects.toMatchObject({ status: 404 });
});

test('sample catalogue: is complete', async () => {
  expect(await client.getPetById({ petId: 1 })).toMatchObject({ id: 1, name: 'Biscuit' });
});
