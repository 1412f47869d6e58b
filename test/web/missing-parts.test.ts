import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { startTestService } from '../support/service.ts';
import { checkAccessibility } from './support/accessibility.ts';
import { skipWithoutBrowser } from './support/browser.ts';
import { openVisit } from './support/visit.ts';

/*
 * Files of the application that are not to be had: the service has another version by now, one node of several has, or there is no network.
 */

const service = await startTestService({ after }, { web: true });

const ENTRY = /\/assets\/index-[^/]+\.js$/;
const DASHBOARD = /\/assets\/dashboard-page-[^/]+\.js$/;
const GERMAN = /\/assets\/texts-[^/]+\.js$/;

void test('a page of another version is loaded once more', { skip: skipWithoutBrowser }, async (t) => {
  const visit = await openVisit(t, service);
  visit.expect(/status of 404/);
  await missOnce(visit.page, ENTRY);
  await visit.open('/');
  await visit.page.getByRole('heading', { name: 'No pets yet' }).waitFor();
});

void test('where that does not help, the page says so', { skip: skipWithoutBrowser }, async (t) => {
  const visit = await openVisit(t, service);
  const { page } = visit;
  visit.expect(/status of 404/);
  let loads = 0;
  page.on('framenavigated', () => (loads += 1));
  await page.route(ENTRY, miss);
  await visit.open('/');
  await page.getByRole('alert').getByText('A part of this page could not be loaded.').waitFor();
  assert.equal(loads, 2, 'once more, and not again');
  await page.unroute(ENTRY);
  await page.getByRole('button', { name: 'Load the page again' }).click();
  await page.getByRole('heading', { name: 'No pets yet' }).waitFor();
});

void test('without the texts of its language, nothing is shown by halves', { skip: skipWithoutBrowser }, async (t) => {
  const visit = await openVisit(t, service, { language: 'de' });
  const { page } = visit;
  visit.expect(/status of 404/);
  await page.route(GERMAN, miss);
  await visit.open('/');
  await page.getByRole('alert').getByText('Ein Teil dieser Seite konnte nicht geladen werden.').waitFor();
});

void test('a page that is missing is loaded with the document', { skip: skipWithoutBrowser }, async (t) => {
  const visit = await openVisit(t, service);
  const { page } = visit;
  visit.expect(/status of 404/);
  visit.expect(/could not be loaded/);
  await visit.open('/');
  await page.getByRole('heading', { name: 'No pets yet' }).waitFor();
  await missOnce(page, DASHBOARD);
  await page.getByRole('link', { name: 'Dashboard' }).click();
  await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor();
});

void test('without a network, it waits for it', { skip: skipWithoutBrowser }, async (t) => {
  const visit = await openVisit(t, service);
  const { page } = visit;
  visit.expect(/ERR_INTERNET_DISCONNECTED/);
  visit.expect(/could not be loaded/);
  visit.allow(/Couldn't load preload assets/);
  await visit.open('/');
  await page.getByRole('heading', { name: 'No pets yet' }).waitFor();
  await visit.waitForQuiet();
  await visit.context.setOffline(true);
  await page.getByRole('link', { name: 'Dashboard' }).click();
  await page.getByText('A part of the application could not be loaded.').waitFor();
  await checkAccessibility(page, 'A page that could not be loaded');
  await visit.context.setOffline(false);
  await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor();
});

type Route = Parameters<Parameters<Page['route']>[1]>[0];

function miss(route: Route): Promise<void> {
  return route.fulfill({ status: 404, body: '' });
}

async function missOnce(page: Page, file: RegExp): Promise<void> {
  // It stays in the way of the others: where the last of them goes, requests that are under way may never be answered.
  let isFirst = true;
  await page.route(file, (route) => {
    if (!isFirst) return route.continue();
    isFirst = false;
    return miss(route);
  });
}
