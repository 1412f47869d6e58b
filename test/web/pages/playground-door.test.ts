import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { createClient } from '../../../src/client/client.ts';
import { startSecuredService } from '../../support/secured.ts';
import { startTestService } from '../../support/service.ts';
import { skipWithoutBrowser } from '../support/browser.ts';
import { checkState } from '../support/pages.ts';
import { openVisit } from '../support/visit.ts';

/* The page that creates a playground, for testers. */

const options = { skip: skipWithoutBrowser };

/** Stopped after the visits, which load code when they are idle. */
const secured = await startSecuredService({ after }, { web: true });

async function codeOf(page: Page, label: string): Promise<string> {
  return page.getByRole('region', { name: label, exact: true }).innerText();
}

void test(
  'page for testers: creates an empty playground, whose lines work, and which records only them',
  options,
  async (t) => {
    const service = await startTestService(t, { web: true });
    const visit = await openVisit(t, service);
    const { page } = visit;
    await visit.open('/');
    await page.getByRole('contentinfo').getByRole('link', { name: 'Playground' }).click();
    await page.getByRole('heading', { level: 1, name: 'Playgrounds' }).waitFor();
    for (const width of [375, 768, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      await checkState(page, `playground door ${width}`);
    }
    await page.getByLabel('Data').selectOption('Empty');
    let created = 0;
    page.on('request', (request) => (created += request.method() === 'POST' ? 1 : 0));
    await visit.expectShifts(async () => {
      // The second click comes before the answer.
      await page.getByRole('button', { name: 'Create playground' }).dblclick();
      await page.getByLabel('Base URL').waitFor();
    });
    assert.equal(created, 1);
    const base = await page.getByLabel('Base URL').inputValue();
    const client = createClient({ base: service.base });
    const token = tokenIn(base);
    assert.equal((await client.getPlayground({ token })).contents, 'empty');
    for (const width of [375, 768, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      await checkState(page, `playground of a tester ${width}`);
    }

    await promisify(execFile)('sh', ['-c', `${await codeOf(page, 'curl')} --fail --silent`]);
    await run(`${await codeOf(page, 'fetch')}\nif (!response.ok) throw new Error(pet.message);`);
    const typed = await codeOf(page, 'Typed client');
    await run(typed.replace("import { createClient } from 'menagerie/client';", ''), { createClient });
    await page.reload();
    assert.equal(await page.getByLabel('Base URL').inputValue(), base);
    await page.getByRole('link', { name: 'Faults, planted bugs and reset' }).click();
    await page.getByRole('heading', { level: 1, name: 'Playground', exact: true }).waitFor();
    await visit.waitForIdle();
    const requests = await client.listPlaygroundRequests({ token });
    assert.deepEqual(
      requests.map(({ operation, status }) => [operation, status]),
      [
        ['addPet', 200],
        ['addPet', 200],
        ['addPet', 200],
      ],
    );
  },
);

void test('page for testers: an expired playground is replaced, in German', options, async (t) => {
  const service = await startTestService(t, { web: true });
  const visit = await openVisit(t, service, { language: 'de', width: 375 });
  const { page } = visit;
  await visit.open('/playground');
  await visit.expectShifts(() => page.getByRole('button', { name: 'Playground anlegen' }).click());
  const base = await page.getByLabel('Basis-URL').inputValue();
  await checkState(page, 'playground of a tester, German');
  const client = createClient({ base: service.base });
  await client.deletePlayground({ token: tokenIn(base) });
  visit.expect(/status of 404/);
  await page.reload();
  await visit.expectShifts(async () => {
    await page.getByRole('button', { name: 'Playground anlegen' }).click();
    assert.notEqual(await page.getByLabel('Basis-URL').inputValue(), base);
  });
  await visit.waitForIdle();
});

void test('page for testers, secured access: only administrators create playgrounds', options, async (t) => {
  const anonymous = await openVisit(t, secured);
  await anonymous.open('/playground');
  await anonymous.page.getByText('On this service, administrators create playgrounds.').waitFor();
  assert.equal(await anonymous.page.getByRole('button', { name: 'Create playground' }).count(), 0);
  assert.equal(await anonymous.page.getByRole('contentinfo').getByRole('link', { name: 'Playground' }).count(), 0);
  await anonymous.waitForIdle();
  const { page, ...visit } = await openVisit(t, secured, { loggedInAs: 'root' });
  await visit.open('/playground');
  await visit.expectShifts(async () => {
    await page.getByRole('button', { name: 'Create playground' }).click();
    await page.getByLabel('Base URL').waitFor();
  });
  await visit.waitForIdle();
});

function tokenIn(base: string): string {
  return new URL(base).pathname.split('/')[2] ?? '';
}

/** Runs a program with these globals. */
async function run(program: string, globals: Readonly<Record<string, unknown>> = {}): Promise<void> {
  const AsyncFunction = (async () => {}).constructor as new (
    ...parts: string[]
  ) => (...given: unknown[]) => Promise<void>;
  await new AsyncFunction(...Object.keys(globals), program)(...Object.values(globals));
}
