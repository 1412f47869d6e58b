import { expect } from '@playwright/test';
import { test } from './menagerie.ts';

test('a pet that was added is found', async ({ menagerie, request }) => {
  await menagerie.client.addPet({ body: { name: 'Rex', status: 'pending', tags: ['brand-new'] } });
  const answer = await request.get('/v2/pet/findByTags?tags=brand-new');
  await expect(answer).toBeOK();
  expect(await answer.json()).toMatchObject([{ id: 21, name: 'Rex', status: 'pending' }]);
});

test('the next test does not meet it', async ({ request }) => {
  const answer = await request.get('/v2/pet/21');
  expect(answer.status()).toBe(404);
});
