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

test('reset: the next test starts with all samples', async () => {
  const pets = await Array.fromAsync(menagerie.client.findPetsByTags.all({ tags: ['playful', 'shy'] }));
  expect(pets.map(({ name }) => name)).toContain('Biscuit');
});
