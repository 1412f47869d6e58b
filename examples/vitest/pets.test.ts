import { startMenagerie, type Menagerie } from 'menagerie/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

let menagerie: Menagerie;
beforeAll(async () => {
  menagerie = await startMenagerie({ samples: true });
});
beforeEach(() => menagerie.reset());
afterAll(() => menagerie.close());

test('sample catalogue: can be changed', async () => {
  const { client } = menagerie;
  const biscuit = await client.getPetById({ petId: 1 });
  expect(biscuit).toMatchObject({ id: 1n, name: 'Biscuit', status: 'available' });
  await client.deletePet({ petId: 1 });
  await expect(client.getPetById({ petId: 1 })).rejects.toMatchObject({ status: 404 });
});

test('busy service: the client tries again', async () => {
  menagerie.setFaults([{ fault: 'unavailable', operation: 'getPetById', count: 1, retryAfterSeconds: 0 }]);
  expect(await menagerie.client.getPetById({ petId: 1 })).toMatchObject({ name: 'Biscuit' });
  expect(menagerie.faults()).toMatchObject([{ matched: 2, made: 1 }]);
});

test('reset: the next test starts with all samples', async () => {
  const pets = await Array.fromAsync(menagerie.client.findPetsByTags.all({ tags: ['playful', 'shy'] }));
  expect(pets.map(({ name }) => name)).toContain('Biscuit');
});
