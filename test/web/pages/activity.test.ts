import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { skipWithoutBrowser } from '../support/browser.ts';
import { checkAccessibility } from '../support/accessibility.ts';
import { keepScreenshot } from '../support/screenshots.ts';
import { startStaffedService } from '../support/stock.ts';
import { openVisit } from '../support/visit.ts';

/* The charts and the log of the health page. */

const { service } = await startStaffedService({ after });
const options = { skip: skipWithoutBrowser };

const choose = (page: Page, view: string) => page.getByRole('radio', { name: view, exact: true }).check();

const MINUTES = 1000;

const NODE = 'pets-1 (4711)';

const valuesOf = (valueAt: (minute: number) => number | null) =>
  Array.from({ length: MINUTES }, (_, at) => valueAt(at));

/** A day with a pause, in which there was no request, and a peak. */
const ACTIVITY = {
  node: NODE,
  since: '2026-11-28T06:00:00.000Z',
  requests: valuesOf((at) => (at > 300 && at < 400 ? 0 : Math.round(400 + 300 * Math.sin(at / 90)))),
  errors: valuesOf((at) => (at > 700 && at < 720 ? 90 : 0)),
  p99Ms: valuesOf((at) => (at > 300 && at < 400 ? null : 4 + Math.round(at / 200) + (at === 650 ? 60 : 0))),
  memoryBytes: valuesOf((at) => 180_000_000 + at * 40_000),
  waitingChanges: valuesOf((at) => (at > 100 && at < 180 ? 4 : 1)),
  waitingPhotos: valuesOf((at) => (at > 500 && at < 560 ? 12 : 0)),
  waitingPasswords: valuesOf((at) => (at % 100 === 0 ? 3 : 0)),
  waitingSearches: valuesOf((at) => (at > 800 && at < 810 ? 7 : 0)),
};

const LOG = {
  node: NODE,
  since: '2026-11-28T22:00:00.000Z',
  entries: [
    {
      at: '2026-11-28T22:40:00.000Z',
      level: 'error',
      message: 'unexpected error',
      detail: 'TypeError',
      operation: 'PUT /v2/pet',
      requestId: '7df3d37c-2',
    },
    {
      at: '2026-11-28T22:10:00.000Z',
      level: 'warn',
      message: 'uploads to a listing site fail; retrying',
      fields: 'site=petfinder',
    },
    {
      at: '2026-11-28T22:00:01.000Z',
      level: 'info',
      message: 'added the sample catalogue',
      fields: 'pets=20 users=11',
    },
  ],
};

void test('charts and log: are readable on each device, in both themes and languages', options, async (t) => {
  for (const language of ['en', 'de'] as const)
    for (const [theme, width] of [
      ['light', 375],
      ['dark', 375],
      ['dark', 768],
      ['light', 1440],
      ['dark', 1440],
    ] as const) {
      const visit = await openVisit(t, service, { loggedInAs: 'root', language, theme, width });
      const { page } = visit;
      await page.route('**/v2/admin/activity', (route) => route.fulfill({ json: ACTIVITY }));
      await page.route('**/v2/admin/log*', (route) => route.fulfill({ json: LOG }));
      await visit.open('/admin/health');
      await choose(page, language === 'de' ? 'Aktivität' : 'Activity');
      const slider = page.getByRole('slider', {
        name: language === 'de' ? 'Anfragen pro Minute' : 'Requests per minute',
      });
      await slider.waitFor();
      assert.match(
        (await slider.getAttribute('aria-valuetext')) ?? '',
        language === 'de' ? /Anfragen: \d/ : /Requests: \d/,
      );
      await checkAccessibility(page, `The charts in ${language}`);
      await keepScreenshot(page, `activity ${language} ${theme} ${width}`, { isWhole: true });
      await choose(page, language === 'de' ? 'Protokoll' : 'Log');
      await page.getByText('unexpected error: TypeError').waitFor();
      await checkAccessibility(page, `The log in ${language}`);
      await keepScreenshot(page, `log ${language} ${theme} ${width}`, { isWhole: true });
    }
});

void test('charts: have a table; a second node that responds can be chosen', options, async (t) => {
  const visit = await openVisit(t, service, { loggedInAs: 'root' });
  const { page } = visit;
  let name = NODE;
  await page.route('**/v2/admin/log*', (route) => route.fulfill({ json: { ...LOG, node: name } }));
  await page.route('**/v2/admin/activity', (route) => route.fulfill({ json: ACTIVITY }));
  await visit.open('/admin/health');
  await choose(page, 'Activity');
  await page.getByRole('button', { name: 'Memory: show as table' }).click();
  const table = page.getByRole('region', { name: 'Memory as table' }).getByRole('row');
  assert.equal(await table.count(), MINUTES + 1);
  await choose(page, 'Log');
  const log = page.getByRole('region', { name: 'Log of the last hour' });
  await log.getByText(`Node ${NODE}, since`).waitFor();
  assert.equal(await log.getByLabel('Node').count(), 0);
  name = 'pets-2 (12)';
  await log.getByText(`Node ${name}, since`).waitFor();
  await log.getByLabel('Node').selectOption(NODE);
  await log.getByText(`Node ${NODE}, since`).waitFor();
});

void test('log: is followed until it is paused, and filtered by the service', options, async (t) => {
  const visit = await openVisit(t, service, { loggedInAs: 'root' });
  const { page } = visit;
  await visit.open('/admin/health');
  await choose(page, 'Activity');
  await page.getByText('The charts appear after two minutes.').waitFor();
  const isAsked = (query: string) => page.waitForResponse(`**/v2/admin/log${query}`);
  const asked = isAsked('');
  await choose(page, 'Log');
  await asked;
  await isAsked('');
  const log = page.getByRole('region', { name: 'Log of the last hour' });
  await log.getByRole('button', { name: 'Pause' }).click();
  await log.getByRole('button', { name: 'Follow' }).waitFor();
  const filtered = isAsked('?level=error&text=petfinder');
  await log.getByLabel('Level').selectOption('Errors and above');
  await log.getByLabel('Text').fill('petfinder');
  await filtered;
  await log.getByText('No entries match.').waitFor();
});
