import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { clientOf } from '../../support/client.ts';
import { startTestService } from '../../support/service.ts';
import { checkAccessibility } from '../support/accessibility.ts';
import { skipWithoutBrowser } from '../support/browser.ts';
import { addManyPets, addPet } from '../support/stock.ts';
import { openVisit } from '../support/visit.ts';
import { waitFor, waitForValue } from '../support/waiting.ts';

/*
 * Navigation from a pet: back to its position in the list, to its neighbours, and to other available pets.
 */

const large = await startTestService({ after }, { web: true });
await addManyPets(clientOf(large.base), 200);
const small = await startTestService({ after }, { web: true });
const call = clientOf(small.base);

void test(
  'back link: leads to the same search, and the focus returns to the card of the pet',
  { skip: skipWithoutBrowser },
  async (t) => {
    const visit = await openVisit(t, large, { width: 1440, height: 900 });
    const { page } = visit;
    await visit.open('/?sort=id');
    const card = page.getByRole('link', { name: 'Nimbus 9', exact: true });
    await card.scrollIntoViewIfNeeded();
    const before = await card.boundingBox();
    await card.click();
    await arrive(page, 'Nimbus 9');
    const entries = await page.evaluate(() => history.length);
    await page.getByRole('link', { name: 'Back to pets' }).click();
    await waitForFocus(page, 'Nimbus 9');
    assert.equal(page.url(), `${large.origin}/?sort=id`);
    assert.equal(await page.evaluate(() => history.length), entries);
    // The scroll position is restored.
    await waitForValue(() => card.boundingBox(), before);
    // After any other navigation, the focus is on the heading.
    await card.click();
    await arrive(page, 'Nimbus 9');
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Pets' }).click();
    await waitForFocus(page, 'Meet the pets');
  },
);

void test(
  'previous and next: lead through the list without adding history entries',
  { skip: skipWithoutBrowser },
  async (t) => {
    const visit = await openVisit(t, large, { width: 375 });
    const { page } = visit;
    await visit.open('/?sort=id');
    await page.getByRole('link', { name: 'Juno 1', exact: true }).click();
    await arrive(page, 'Juno 1');
    const steps = page.getByRole('navigation', { name: 'Pets in this list' });
    await steps.getByText('1 of 200').waitFor();
    assert.equal(await steps.getByRole('link', { name: /^Previous/ }).count(), 0, 'the first pet has no previous one');
    const entries = await page.evaluate(() => history.length);
    // Beyond the 24 that came with the page.
    for (let place = 2; place <= 26; place += 1) {
      await steps.getByRole('link', { name: /^Next pet: / }).click();
      await steps.getByText(`${place} of 200`).waitFor();
    }
    await steps.getByRole('link', { name: /^Previous pet: / }).click();
    await steps.getByText('25 of 200').waitFor();
    await checkAccessibility(page, 'A pet with links to its neighbours');
    assert.equal(await page.evaluate(() => history.length), entries);
    await page.goBack();
    await page.waitForURL('**/?sort=id');
    const card = page.locator('[data-index="24"] a');
    await page.waitForFunction(
      () => document.activeElement?.closest('[data-index]')?.getAttribute('data-index') === '24',
    );
    await waitFor(async () => isOnScreen(page, await card.boundingBox()), 'the card is on the screen');
  },
);

void test(
  'other pets: shows available pets, those of the same category before all others',
  { skip: skipWithoutBrowser },
  async (t) => {
    for (const [name, category, status] of [
      ['Ada', 'Dogs', 'available'],
      ['Bo', 'Dogs', 'sold'],
      ['Cleo', 'Cats', 'available'],
      ['Dax', 'Dogs', 'available'],
    ] as const)
      await addPet(call, { name, category: { name: category }, status });
    const visit = await openVisit(t, small);
    const { page } = visit;
    await visit.open('/');
    await page.getByRole('link', { name: 'Bo', exact: true }).click();
    await arrive(page, 'Bo');
    const others = page.getByRole('region', { name: 'Also looking for a home' });
    await waitForValue(
      () => others.getByRole('article').getByRole('heading').allTextContents(),
      ['Dax', 'Ada', 'Cleo'],
    );
    await others.getByRole('link', { name: 'Ada' }).click();
    await arrive(page, 'Ada');
    await others.getByRole('link', { name: 'View all available pets' }).click();
    await page.waitForURL('**/?status=available');
    visit.expect(/status of 404/);
    await visit.open('/pets/987654');
    await others.getByRole('link', { name: 'Cleo' }).waitFor();
  },
);

void test('other pets: those of the same species come first', { skip: skipWithoutBrowser }, async (t) => {
  const ids: string[] = [];
  for (const [name, category, status, species] of [
    ['Ina', 'Rescued', 'sold', 'cat'],
    ['Jin', 'Indoors', 'available', 'cat'],
    ['Kim', 'Rescued', 'available', 'dog'],
    ['Lou', 'Indoors', 'available', undefined],
    ['Mia', 'Indoors', 'pending', 'cat'],
  ] as const) {
    const id = await addPet(call, { name, category: { name: category }, status });
    ids.push(id);
    const { text, status: stored } = await call('PUT', `pet/${id}/profile`, { json: { species } });
    assert.equal(stored, 200, text);
  }
  const visit = await openVisit(t, small);
  const { page } = visit;
  await visit.open(`/pets/${ids[0]}`);
  const others = page.getByRole('region', { name: 'Also looking for a home' });
  await waitForValue(
    async () => (await others.getByRole('article').getByRole('heading').allTextContents()).slice(0, 3),
    ['Jin', 'Kim', 'Lou'],
  );
});

void test('other pets: those of a similar age and size come first', { skip: skipWithoutBrowser }, async (t) => {
  const ids: string[] = [];
  for (const [name, birthDate, size] of [
    ['Ara', '2024-01-01', 'M'],
    ['Bea', '2014-01-01', 'M'],
    ['Cleo', '2024-06-01', 'M'],
    ['Dot', '2023-06-01', 'XL'],
  ] as const) {
    const id = await addPet(call, { name, status: 'available' });
    ids.push(id);
    await call('PUT', `pet/${id}/profile`, { json: { species: 'horse', birthDate, size } });
  }
  const visit = await openVisit(t, small);
  const { page } = visit;
  await visit.open(`/pets/${ids[0]}`);
  const others = page.getByRole('region', { name: 'Also looking for a home' });
  await waitForValue(
    async () => (await others.getByRole('article').getByRole('heading').allTextContents()).slice(0, 3),
    ['Cleo', 'Dot', 'Bea'],
  );
});

void test('previous and next: follow the last search', { skip: skipWithoutBrowser }, async (t) => {
  const visit = await openVisit(t, large);
  const { page } = visit;
  await visit.open('/?category=Lions&tag=calm&sort=name');
  await page.locator('[data-index="1"] a').click();
  await page
    .getByRole('navigation', { name: 'Pets in this list' })
    .getByText(/^2 of \d\d$/)
    .waitFor();
});

async function arrive(page: Page, name: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
}

async function waitForFocus(page: Page, text: string): Promise<void> {
  await page.waitForFunction((wanted) => document.activeElement?.textContent === wanted, text);
}

async function isOnScreen(page: Page, box: { y: number; height: number } | null): Promise<boolean> {
  const height = await page.evaluate(() => window.innerHeight);
  return box !== null && box.y >= 0 && box.y + box.height <= height;
}
