import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { startTestService } from '../../support/service.ts';
import { checkAccessibility } from '../support/accessibility.ts';
import { skipWithoutBrowser } from '../support/browser.ts';
import { openVisit } from '../support/visit.ts';

/*
 * Chunks that cannot be loaded: the service or one of its nodes runs another version, or there is no network.
 */

const service = await startTestService({ after }, { web: true });

const ENTRY = /\/assets\/index-[^/]+\.js$/;
const DASHBOARD = /\/assets\/dashboard-page-[^/]+\.js$/;
const STAFF_STYLES = /\/assets\/staff-[^/]+\.css$/;
const GERMAN = /\/assets\/texts-[^/]+\.js$/;

void test('missing entry chunk: the page is reloaded once', { skip: skipWithoutBrowser }, async (t) => {
  const visit = await openVisit(t, service);
  visit.expect(/status of 404/);
  await respondNotFoundOnce(visit.page, ENTRY);
  await visit.open('/');
  await visit.page.getByRole('heading', { name: 'No pets yet' }).waitFor();
});

void test('missing entry chunk: if a reload fails, the page says so', { skip: skipWithoutBrowser }, async (t) => {
  const visit = await openVisit(t, service);
  const { page } = visit;
  visit.expect(/status of 404/);
  let loads = 0;
  page.on('framenavigated', () => (loads += 1));
  await page.route(ENTRY, respondNotFound);
  await visit.open('/');
  await page.getByRole('alert').getByText('A part of this page could not be loaded.').waitFor();
  assert.equal(loads, 2, 'once more, and not again');
  await page.unroute(ENTRY);
  await page.getByRole('button', { name: 'Reload page' }).click();
  await page.getByRole('heading', { name: 'No pets yet' }).waitFor();
});

void test('missing texts: the page shows an error', { skip: skipWithoutBrowser }, async (t) => {
  const visit = await openVisit(t, service, { language: 'de' });
  const { page } = visit;
  visit.expect(/status of 404/);
  await page.route(GERMAN, respondNotFound);
  await visit.open('/');
  await page.getByRole('alert').getByText('Ein Teil dieser Seite konnte nicht geladen werden.').waitFor();
});

void test('missing page chunk: the document is reloaded', { skip: skipWithoutBrowser }, async (t) => {
  const visit = await openVisit(t, service);
  const { page } = visit;
  visit.expect(/status of 404/);
  visit.expect(/could not be loaded/);
  await visit.open('/');
  await page.getByRole('heading', { name: 'No pets yet' }).waitFor();
  await respondNotFoundOnce(page, DASHBOARD);
  await page.getByRole('link', { name: 'Dashboard' }).click();
  await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor();
});

void test('missing style sheet of staff: the document is reloaded', { skip: skipWithoutBrowser }, async (t) => {
  const visit = await openVisit(t, service);
  const { page } = visit;
  visit.expect(/status of 404/);
  visit.expect(/could not be loaded/);
  await visit.open('/dashboard');
  await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor();
  await respondNotFoundOnce(page, STAFF_STYLES);
  await page.getByRole('link', { name: 'Import and export' }).click();
  await page.getByRole('heading', { level: 1, name: 'Import and export' }).waitFor();
  await page.locator('link[rel="stylesheet"][href*="/staff-"]').waitFor({ state: 'attached' });
});

void test('offline: the page is loaded when the network is back', { skip: skipWithoutBrowser }, async (t) => {
  const visit = await openVisit(t, service);
  const { page } = visit;
  visit.expect(/ERR_INTERNET_DISCONNECTED/);
  visit.expect(/could not be loaded/);
  visit.allow(/Couldn't load preload assets/);
  await visit.open('/');
  await page.getByRole('heading', { name: 'No pets yet' }).waitFor();
  await visit.waitForIdle();
  await visit.context.setOffline(true);
  await page.getByRole('link', { name: 'Dashboard' }).click();
  await page.getByText("Part of the application couldn't be loaded.").waitFor();
  await checkAccessibility(page, 'A page that could not be loaded');
  await visit.context.setOffline(false);
  await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor();
});

type Route = Parameters<Parameters<Page['route']>[1]>[0];

function respondNotFound(route: Route): Promise<void> {
  return route.fulfill({ status: 404, body: '' });
}

async function respondNotFoundOnce(page: Page, file: RegExp): Promise<void> {
  // The route stays: when the last one is removed, pending requests may never get a response.
  let isFirst = true;
  await page.route(file, (route) => {
    if (!isFirst) return route.continue();
    isFirst = false;
    return respondNotFound(route);
  });
}
