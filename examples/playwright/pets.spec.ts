import { expect } from '@playwright/test';
import { test } from './menagerie.ts';

test('added pet: is found', async ({ menagerie, request }) => {
  await menagerie.client.addPet({ body: { name: 'Rex', status: 'pending', tags: ['brand-new'] } });
  const response = await request.get('/v2/pet/findByTags?tags=brand-new');
  await expect(response).toBeOK();
  expect(await response.json()).toMatchObject([{ id: 21, name: 'Rex', status: 'pending' }]);
});

test('page of a pet: has its name', async ({ menagerie, page }) => {
  const { id } = await menagerie.client.addPet({ body: { name: 'Rex', status: 'available' } });
  await page.goto(`/pets/${id}`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Rex');
});

test('reset: the next test starts without it', async ({ request }) => {
  const response = await request.get('/v2/pet/21');
  expect(response.status()).toBe(404);
});
