import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openDatabase } from '../../../src/storage/sqlite/engine/database.ts';
import { bearer, createKey, logIn, PASSWORDS } from '../../support/secured.ts';
import { until } from '../../support/until.ts';
import { checkAccessibility } from '../support/accessibility.ts';
import { skipWithoutBrowser } from '../support/browser.ts';
import { keepScreenshot } from '../support/screenshots.ts';
import { addManyPets, addPet, patchPet, startStaffedService } from '../support/stock.ts';
import { openVisit } from '../support/visit.ts';

/*
 * The pages of administrators: users and the audit log.
 */

const { service, call, root } = await startStaffedService({ after });
const options = { skip: skipWithoutBrowser };
interface Ids {
  id: number;
  accountId: number;
}

const PASSWORD = 'green lanterns over calm water';

/** The message of the browser console for an error response. */
const statusError = (status: number) => new RegExp(`status of ${status}`);

void test('role: a new role applies immediately and is in the audit log', options, async (t) => {
  const vera = bearer(await logIn(call, 'vera'));
  await call('POST', 'user/login', { json: { username: 'vera', password: 'a wrong one' } });
  const add = () => call('POST', 'pet', { headers: vera, json: { name: 'Rex' } });
  assert.equal((await add()).status, 403);
  const visit = await openVisit(t, service, { loggedInAs: 'root' });
  const { page } = visit;
  await visit.open('/admin/users');
  await page.getByRole('link', { name: 'vera' }).waitFor();
  await page.getByLabel('Search').fill('VER');
  await page.getByText('1 user', { exact: true }).waitFor();
  await page.waitForURL('**/admin/users?text=VER');
  await page.getByRole('link', { name: 'vera' }).click();
  await page.getByRole('heading', { name: 'vera', level: 1 }).waitFor();
  await page.getByRole('radio', { name: 'Editor' }).check();
  await checkAccessibility(page, 'The page of a user');
  await page.getByRole('button', { name: 'Change role' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change the role of vera to Editor?' });
  await dialog.waitFor();
  await dialog.getByRole('button', { name: 'Change role' }).click();
  await page.getByText('vera now has the role Editor.').waitFor();
  assert.equal((await add()).status, 200);

  await visit.open('/admin/audit?subject=vera');
  await page.getByText('root changed the role of vera from Viewer to Editor.').waitFor();
  await page.getByText('Failed login as vera: wrong password.').waitFor();
  await page.getByText('vera was denied access: write pets.').waitFor({ state: 'detached' });
  await page.getByLabel('Outcome').selectOption('refused');
  await page.getByLabel('Target').fill('');
  await page.getByLabel('User', { exact: true }).fill('vera');
  await page.getByText('vera was denied access: write pets.').waitFor();
  await page.waitForURL(/outcome=refused&actor=vera$/);
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export CSV' }).click(),
  ]);
  const csv = await readFile(await file.path(), 'utf8');
  assert.match(csv, /^\uFEFFid,at,action,/);
  assert.match(csv, /,access,refused,vera,/);
  assert.doesNotMatch(csv, /role-set/, 'the file has matching entries only');
});

void test('audit log: an entry shows the pet, the changed fields and the local time', options, async (t) => {
  const id = await addPet(call, { name: 'Ada of the audit log', status: 'available' }, root);
  await patchPet(call, id, { status: 'sold', tags: ['calm'] }, root);
  await patchPet(call, id, { name: 'Ada' }, root);
  const visit = await openVisit(t, service, { loggedInAs: 'root' });
  const { page } = visit;
  const rows = page.getByRole('listitem');
  const rowOf = (text: string) => rows.filter({ hasText: text });
  await visit.open(`/admin/audit?subject=${id}`);
  await rowOf(`root edited Ada (pet ${id}).`)
    .filter({ hasText: /Changed: Name(?!,)/ })
    .waitFor();
  const edited = rowOf(`root edited Ada of the audit log (pet ${id}).`);
  await edited.filter({ hasText: 'Changed: Status and Tags' }).waitFor();
  assert.match(await edited.innerText(), /\d\d:\d\d:\d\d CES?T/, 'the time in Berlin');
  await checkAccessibility(page, 'The audit log of a pet');
  // The same entries as written by an earlier version of the service.
  const db = openDatabase(join(service.dataDir, 'menagerie.db'));
  const columns = 'at_ms, via, actor_id, actor_name, credential_id, address, action, subject_kind, subject_id, outcome';
  db.exec(`insert into audit (${columns}) select ${columns} from audit where subject_id = '${id}' order by id`);
  db.close();
  await visit.open(`/admin/audit?subject=${id}`);
  await edited.filter({ hasText: 'Changed: Status and Tags' }).nth(1).waitFor();
  await rowOf(`root added Ada of the audit log (pet ${id}).`).nth(1).waitFor();
  await rowOf(`root edited Ada (pet ${id}).`).filter({ hasText: 'Changed: Name' }).nth(1).waitFor();
});

void test('audit log: a bulk change is one row that expands', options, async (t) => {
  await addManyPets(call, 30, root);
  const visit = await openVisit(t, service, { loggedInAs: 'root', width: 375 });
  const { page } = visit;
  await visit.open('/admin/audit?action=pet.added');
  const group = page
    .getByRole('listitem')
    .filter({ hasText: /^[^]*root added 3\d pets\./ })
    .first();
  await group.waitFor();
  assert.equal(await page.getByText(/^root added Biscuit 11 /).count(), 0);
  await group.getByRole('button', { name: /^Show these 3\d entries$/ }).press('Enter');
  await group.getByText(/^root added Biscuit 11 \(pet \d+\)\.$/).waitFor();
  await checkAccessibility(page, 'The audit log with an open group');
  // The page ignores a second key press on a button that has changed within half a second.
  const hide = group.getByRole('button', { name: /^Hide these 3\d entries$/ });
  await until('the group is closed', async () => {
    if ((await hide.count()) > 0) await hide.press('Enter');
    return (await group.getByText(/^root added Biscuit 11 /).count()) === 0;
  });
});

void test(
  'invitation: pending until the user chooses the password, with one entry in the audit log',
  options,
  async (t) => {
    const visit = await openVisit(t, service, { loggedInAs: 'root', width: 375, theme: 'dark' });
    const { page, context } = visit;
    await visit.open('/admin/users');
    await page.getByRole('button', { name: 'Invite user' }).click();
    await page.getByLabel('Username').fill('new keeper? 🦒 50%');
    await page.getByRole('radio', { name: 'Editor' }).check();
    await checkAccessibility(page, 'The dialog for adding a user');
    await page.getByRole('dialog').getByRole('button', { name: 'Invite user' }).click();
    await page.getByRole('textbox', { name: 'Link', exact: true }).waitFor();
    await checkAccessibility(page, 'The dialog with a reset link');
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('link', { name: 'new keeper? 🦒 50%' }).click();
    await page.getByRole('heading', { name: 'new keeper? 🦒 50%', level: 1 }).waitFor();
    await page.reload();
    await page.getByText('Invitation pending').waitFor();
    await page.getByText('the user has not accepted the invitation').waitFor();
    await page.getByRole('button', { name: 'Create invitation link' }).waitFor();
    await keepScreenshot(page, 'invitation pending', { isWhole: true });
    const { text: entries } = await call('GET', 'admin/audit?limit=1000', { headers: root });
    const about = (JSON.parse(entries) as { action: string; subject: { name: string } | null }[]).filter(
      ({ subject }) => subject?.name === 'new keeper? 🦒 50%',
    );
    assert.deepEqual(
      about.map(({ action }) => action),
      ['account.created'],
    );
    await page.getByText('No active sessions.').waitFor();
    await page.getByText('No API keys.').waitFor();
    // A second link is an invitation as well, and replaces the first.
    await page.getByRole('button', { name: 'Create invitation link' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Create invitation link' }).click();
    const again = await page.getByRole('textbox', { name: 'Link', exact: true }).inputValue();
    assert.match(again, /\/reset-password\?for=invitation#/);
    await page.getByRole('button', { name: 'Done' }).click();
    await visit.open('/admin/audit?action=account.reset-link-issued');
    await page.getByText('root created an invitation link for new keeper? 🦒 50%.').waitFor();

    await context.clearCookies();
    await visit.open(again.replace(service.origin, ''));
    await page.getByRole('heading', { name: 'Accept your invitation' }).waitFor();
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByRole('heading', { name: 'Welcome, new keeper? 🦒 50%' }).waitFor();
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Add pet' }).waitFor();
    await page.getByRole('link', { name: 'Later' }).click();
    await page.waitForURL(`${service.origin}/`);
  },
);

void test('user page: closes and reopens an account in use, ends sessions and revokes API keys', options, async (t) => {
  const token = await logIn(call, 'otto');
  await createKey(call, token, ['read:pets'], { name: 'A forgotten script' });
  const user = await openVisit(t, service, { loggedInAs: 'otto' });
  user.expect(statusError(401));
  user.expect(statusError(400));
  await user.open('/account');
  await user.page.getByLabel('Phone').fill('0123 456');

  const visit = await openVisit(t, service, { loggedInAs: 'root', width: 768 });
  const { page } = visit;
  await visit.open('/admin/users/otto');
  const keys = page.getByRole('region', { name: 'API keys' });
  await keys.getByRole('button', { name: 'Revoke API key A forgotten script' }).click();
  await confirm(page, 'Revoke API key A forgotten script?', 'Revoke');
  await keys.getByText('No API keys.').waitFor();
  assert.equal((await call('GET', 'admin/users/otto/keys', { headers: root })).text, '[]');
  const sessions = page.getByRole('region', { name: 'Active sessions' });
  await sessions.getByRole('button', { name: 'End all sessions' }).click();
  await confirm(page, 'End all sessions of otto?', 'End all sessions');
  await sessions.getByText('No active sessions.').waitFor();
  assert.equal((await call('GET', 'account', { headers: bearer(token) })).status, 401);

  await page.getByRole('button', { name: 'Close account' }).click();
  await confirm(page, 'Close account otto?', 'Close account');
  await page.getByText('This account is closed').waitFor();
  const password = PASSWORDS['otto'] ?? '';
  await user.page.getByRole('button', { name: 'Save profile' }).click();
  const again = user.page.getByRole('dialog', { name: 'Log in again' });
  await again.getByLabel(/^Password/).fill(password);
  await again.getByRole('button', { name: 'Log in' }).click();
  await again.getByRole('alert').getByText('Incorrect username or password').waitFor();

  await page.getByRole('button', { name: 'Reopen account' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Reopen account' }).click();
  await page.getByText('This account can log in.').waitFor();
  assert.equal((await call('POST', 'user/login', { json: { username: 'otto', password } })).status, 200);
  await visit.open('/admin/audit?subject=otto');
  for (const text of ['root closed the account otto.', /^root ended \d+ sessions of otto\.$/])
    await page.getByText(text).first().waitFor();
});

async function confirm(page: Page, question: string, action: string): Promise<void> {
  const dialog = page.getByRole('dialog', { name: question });
  await dialog.waitFor();
  await checkAccessibility(page, `The dialog "${question}"`);
  await dialog.getByRole('button', { name: action }).click();
}

void test('user page: shows the right account, also if its user ID is a known account ID', options, async (t) => {
  const { id, accountId } = JSON.parse((await call('GET', 'admin/users/root', { headers: root })).text) as Ids;
  assert.equal(id, accountId);
  const password = 'quiet otters juggle yellow lemons';
  await call('POST', 'user', { headers: root, json: { id, username: 'imitator', password } });
  const token = await logIn(call, 'imitator', password);
  const own = JSON.parse((await call('GET', 'account', { headers: bearer(token) })).text) as Ids;
  const visit = await openVisit(t, service, { loggedInAs: 'root' });
  const { page } = visit;
  await visit.open('/admin/users?text=imitator');
  await page.getByRole('link', { name: 'imitator' }).click();
  await page.getByRole('heading', { name: 'imitator', level: 1 }).waitFor();
  const facts = page.getByRole('region', { name: 'Profile' });
  await facts.getByText(`Account ID${own.accountId}`).waitFor();
  await facts.getByText(`ID${id}`, { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Close account' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Close account' }).click();
  await page.getByText('This account is closed').waitFor();
  assert.equal((await call('GET', 'account', { headers: bearer(token) })).status, 401);
  assert.equal((await call('GET', 'account', { headers: root })).status, 200);
});

void test('role: the last administrator cannot be demoted', options, async (t) => {
  const visit = await openVisit(t, service, { loggedInAs: 'root' });
  const { page } = visit;
  await visit.open('/admin/users/root');
  await page.getByRole('radio', { name: 'Viewer' }).check();
  await page.getByRole('button', { name: 'Change role' }).click();
  await page.getByText('only another administrator can give it back').waitFor();
  visit.expect(statusError(409));
  await page.getByRole('dialog').getByRole('button', { name: 'Change role' }).click();
  await page.getByText('This is the only administrator who can log in.').waitFor();
  const entry = await call('GET', 'admin/users/root', { headers: root });
  assert.match(entry.text, /"role":"admin"/);
});

void test('access: other users see why a page is not shown; an unknown user is reported', options, async (t) => {
  const anonymous = await openVisit(t, service, { width: 375 });
  await anonymous.open('/admin/audit?outcome=failed');
  const link = anonymous.page.getByRole('main').getByRole('link', { name: 'Log in' });
  assert.equal(await link.getAttribute('href'), '/login?to=%2Fadmin%2Faudit%3Foutcome%3Dfailed');
  const edna = await openVisit(t, service, { loggedInAs: 'edna' });
  await edna.open('/admin/users');
  await edna.page.getByText('You are logged in as edna, who is not an administrator.').waitFor();
  const admin = await openVisit(t, service, { loggedInAs: 'root' });
  admin.expect(statusError(404));
  await admin.open('/admin/users/nobody');
  await admin.page.getByRole('heading', { name: 'User not found' }).waitFor();
});

void test('health: a check shows its progress, then the findings, in both languages', options, async (t) => {
  const db = openDatabase(join(service.dataDir, 'menagerie.db'));
  db.exec(`insert into pet_tag (name, pet_id) values ('ghost', 424242)`);
  t.after(() => {
    db.exec(`delete from pet_tag where name = 'ghost'`);
    db.close();
  });
  const visit = await openVisit(t, service, { loggedInAs: 'root' });
  const { page } = visit;
  await visit.open('/admin/users');
  await page.getByRole('link', { name: 'Health' }).click();
  await page.getByRole('heading', { name: 'Health', level: 1 }).waitFor();
  await page.getByText('No check yet').waitFor();
  // The page asks for the progress until the check has finished. The response comes once the progress has been seen.
  const seen = Promise.withResolvers<void>();
  await page.route('**/v2/admin/health', async (route) => {
    if (route.request().method() === 'GET') await seen.promise;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Check now' }).click();
  await page.getByRole('progressbar').waitFor();
  seen.resolve();
  await page.getByText('Rows of tags that are missing or that no pet has: 1.').waitFor();
  await page.getByText('pet 424242: ghost').waitFor();
  await page.getByRole('progressbar').waitFor({ state: 'detached' });
  await page.getByText('Run: menagerie doctor --repair').first().waitFor();
  await checkAccessibility(page, 'The findings');
  const german = await openVisit(t, service, { loggedInAs: 'root', language: 'de' });
  await german.open('/admin/health');
  await german.page.getByText('Tag-Zeilen, die fehlen oder die kein Tier hat: 1.').waitFor();
  await german.page.getByText('Ausführen: menagerie doctor --repair').first().waitFor();
});

void test('health: shows the servers of the database, in both languages', options, async (t) => {
  const lagging = { name: 'a-long-name-of-a-standby.database.pets.example.org:5433', role: 'standby', timeline: 3 };
  const databaseServers = [
    { name: 'db1:5432', reachable: true, role: 'primary', timeline: 3, replayLagSeconds: null, replayLagBytes: null },
    { ...lagging, reachable: true, replayLagSeconds: 61.3, replayLagBytes: 42_000_000 },
    { name: 'db3:5432', reachable: false, role: null, timeline: null, replayLagSeconds: null, replayLagBytes: null },
  ];
  for (const language of ['en', 'de'] as const)
    for (const [theme, width] of [
      ['light', 375],
      ['dark', 768],
      ['light', 1440],
    ] as const) {
      const visit = await openVisit(t, service, { loggedInAs: 'root', language, theme, width });
      const { page } = visit;
      await page.route('**/v2/admin/health', async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, json: { ...((await response.json()) as object), databaseServers } });
      });
      await visit.open('/admin/health');
      const servers = page.getByRole('region', { name: language === 'de' ? 'Server der Datenbank' : 'Servers of the' });
      await servers.getByText('db1:5432').waitFor();
      const behind = language === 'de' ? '61,3 s und 42 MB hinter dem' : '61.3 s and 42 MB behind the';
      await servers.getByText(behind).waitFor();
      await servers.getByText(language === 'de' ? 'Antwortet nicht' : 'Does not respond').waitFor();
      await checkAccessibility(page, `The servers in ${language}`);
      await keepScreenshot(page, `servers ${language} ${theme} ${width}`);
    }
});

const menuOf = (page: Page) => page.getByRole('navigation', { name: 'Administration' });

for (const width of [375, 1440])
  void test(`menu at ${width} px: has the same place on all pages`, options, async (t) => {
    const visit = await openVisit(t, service, { width, loggedInAs: 'root' });
    const { page } = visit;
    await visit.open('/admin/users');
    const menu = menuOf(page).locator('a, button:visible');
    await menuOf(page).waitFor();
    const readPlaces = () =>
      menu.evaluateAll((items) =>
        items.map((item) => {
          const { x, y, width: wide } = item.getBoundingClientRect();
          return `${item.textContent} ${x} ${y} ${wide}`;
        }),
      );
    const places = await readPlaces();
    assert.ok(places.length > 10, String(places.length));
    for (const path of await menuOf(page)
      .locator('a')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''))) {
      await visit.open(path);
      await menuOf(page).waitFor();
      await visit.waitForIdle();
      assert.deepEqual(await readPlaces(), places, path);
      assert.equal(await menuOf(page).locator('[aria-current="page"]').getAttribute('href'), path);
      await keepScreenshot(page, `menu ${path.replaceAll('/', ' ').trim()} ${width}`);
    }
  });

void test('menu: by keyboard, group after group, to a page whose heading has the focus', options, async (t) => {
  const visit = await openVisit(t, service, { width: 1440, loggedInAs: 'root' });
  const { page } = visit;
  await visit.open('/admin/users');
  const groups = menuOf(page).getByRole('list');
  await groups.first().waitFor();
  assert.deepEqual(
    await groups.evaluateAll((lists) =>
      lists.map((list) => document.getElementById(list.getAttribute('aria-labelledby') ?? '')?.textContent),
    ),
    ['People', 'Organisation', 'Data', 'Service'],
  );
  const [first, ...others] = await menuOf(page).getByRole('link').allTextContents();
  await menuOf(page)
    .getByRole('link', { name: first ?? '' })
    .focus();
  for (const name of others.slice(0, others.indexOf('Listings') + 1)) {
    await page.keyboard.press('Tab');
    assert.equal(await page.locator(':focus').textContent(), name);
  }
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Listings', level: 1 }).and(page.locator(':focus')).waitFor();
  const item = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Administration' });
  assert.equal(await item.getAttribute('aria-current'), 'true');
});

void test('menu on a phone: opens, closes with Escape, and with a page', options, async (t) => {
  const visit = await openVisit(t, service, { width: 375, loggedInAs: 'root' });
  const { page } = visit;
  await visit.open('/admin/users');
  const toggle = menuOf(page).getByRole('button', { name: 'Administration', expanded: false });
  await toggle.waitFor();
  assert.equal(await menuOf(page).getByRole('link').count(), 0);
  await visit.expectShifts(async () => {
    await toggle.press('Enter');
    await menuOf(page).getByRole('link', { name: 'Health' }).waitFor();
    await checkAccessibility(page, 'The open menu of the administration');
    await keepScreenshot(page, 'open menu 375');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Escape');
    await toggle.and(page.locator(':focus')).waitFor();
    assert.equal(await menuOf(page).getByRole('link').count(), 0);
    await toggle.click();
    await menuOf(page).getByRole('link', { name: 'Health' }).click();
    await page.getByRole('heading', { name: 'Health', level: 1 }).waitFor();
  });
  await toggle.waitFor();
});
