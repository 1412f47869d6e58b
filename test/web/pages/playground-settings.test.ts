import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PlaygroundBugs } from '../../../src/api/records/playgrounds/bugs.ts';
import { clientOf } from '../../support/client.ts';
import { createPlayground } from '../../support/playgrounds.ts';
import { startTestService } from '../../support/service.ts';
import { skipWithoutBrowser } from '../support/browser.ts';
import { checkState } from '../support/pages.ts';
import { openVisit } from '../support/visit.ts';

/* The page of a playground with its faults and planted bugs. */

void test('page of a playground: sets faults and bugs, and resets', { skip: skipWithoutBrowser }, async (t) => {
  const service = await startTestService(t, { web: true });
  const call = clientOf(service.base);
  const playground = await createPlayground(call, { contents: 'empty' });
  const prefix = new URL(playground.page).pathname;
  const visit = await openVisit(t, service);
  const { page } = visit;
  await visit.open(prefix);
  await page.getByRole('contentinfo').getByRole('link', { name: 'Playground' }).click();
  await page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor();

  await page.getByLabel('Fault', { exact: true }).selectOption({ label: 'Unavailable (503)' });
  await page.getByLabel('Operation', { exact: true }).fill('addPet');
  await page.getByLabel('Share of requests in percent').fill('50');
  await page.getByRole('button', { name: 'Add fault' }).click();
  await page.getByText('addPet · 50% of requests').waitFor();
  // Checked when the service has stored it, so `check()` would look too early.
  await page.getByRole('checkbox', { name: 'bug-07' }).click();
  await page.getByRole('checkbox', { name: 'bug-07', checked: true }).waitFor();
  assert.equal(await page.getByText('addPet responds with 201').count(), 0);
  await page.getByRole('button', { name: 'Show descriptions' }).click();
  await page.getByText('addPet responds with 201 instead of 200.').waitFor();
  await visit.waitForIdle();
  const { text } = await call('GET', `playgrounds/${playground.token}/bugs`);
  assert.deepEqual(
    (JSON.parse(text) as PlaygroundBugs).bugs.flatMap(({ id, on }) => (on ? [id] : [])),
    ['bug-07'],
  );
  for (const width of [375, 768, 1440])
    await visit.expectShifts(async () => {
      await page.setViewportSize({ width, height: 900 });
      await checkState(page, `playground settings ${width}`);
    });

  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('addPet · 50% of requests').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Reset' }).click();
  const loaded = page.waitForEvent('load');
  await page.getByRole('dialog').getByRole('button', { name: 'Reset' }).click();
  await loaded;
  await page.getByRole('checkbox', { name: 'bug-07', checked: true }).waitFor();
});

void test('page of a playground: describes planted bugs in German', { skip: skipWithoutBrowser }, async (t) => {
  const service = await startTestService(t, { web: true });
  const playground = await createPlayground(clientOf(service.base), { contents: 'empty' });
  const visit = await openVisit(t, service, { language: 'de' });
  await visit.open(`${new URL(playground.page).pathname}playground`);
  await visit.page.getByRole('button', { name: 'Beschreibungen anzeigen' }).click();
  await visit.page.getByText('addPet antwortet mit 201 statt mit 200.').waitFor();
  await visit.waitForIdle();
});

void test('page without playgrounds: is unknown', { skip: skipWithoutBrowser }, async (t) => {
  const service = await startTestService(t, { flags: ['--max-playgrounds', '0'], web: true });
  const visit = await openVisit(t, service);
  await visit.open('/playground');
  await visit.page.getByRole('heading', { name: 'Page not found' }).waitFor();
  await visit.waitForIdle();
  assert.equal(await visit.page.getByRole('contentinfo').getByRole('link', { name: 'Playground' }).count(), 0);
  assert.doesNotMatch((await clientOf(service.origin)('GET', '/docs')).text, /playground/i);
});
