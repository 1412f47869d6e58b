import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { createKey, logIn, PASSWORDS } from '../../../support/secured.ts';
import { skipWithoutBrowser } from '../../support/browser.ts';
import { checkQuickClicks, confirmed, dialogButton, pageButton, type QuickCase } from '../../support/quick-clicks.ts';
import { startStaffedService } from '../../support/stock.ts';
import { openVisit } from '../../support/visit.ts';

/*
 * Each form and each button that changes something is activated twice in the same task. The second time does nothing.
 */

const { service, call, root } = await startStaffedService({ after });
const options = { skip: skipWithoutBrowser };
const PASSWORD = 'green lanterns over calm water';

async function addUser(username: string): Promise<void> {
  const answer = await call('POST', 'user', { headers: root, json: { username, password: PASSWORD } });
  assert.equal(answer.status, 200, answer.text);
}

async function newLink(username: string): Promise<string> {
  const answer = await call('POST', `admin/users/${username}/reset-link`, { headers: root });
  return new URL((JSON.parse(answer.text) as { link: string }).link).hash;
}

void test('source: only queued changes use mutations without the guard', () => {
  const files = globSync('src/{web,features/*/web}/**/*.{ts,tsx}').filter((file) =>
    /\buseMutation\(/.test(readFileSync(file, 'utf8')),
  );
  const names = new Set(files.map((file) => file.split('/').at(-1)));
  assert.deepEqual(names, new Set(['action.ts', 'photo-changes.ts', 'publication.ts', 'status-change.ts']));
});

async function fillLogin(page: Page) {
  await page.getByLabel('Username').fill('vera');
  await page.locator('input[name=password]').fill(PASSWORDS['vera'] ?? '');
  return pageButton(page, 'Log in');
}

void test('quick clicks: anonymous users', options, async (t) => {
  await addUser('forgetful');
  const hash = await newLink('forgetful');
  const cases: readonly QuickCase[] = [
    {
      name: 'reset password',
      path: `/reset-password${hash}`,
      prepare: async (page) => {
        await page.locator('input[name=new-password]').fill(PASSWORD);
        return pageButton(page, 'Set password');
      },
      sent: ['resetPassword'],
      done: (page) => page.getByRole('heading', { name: 'Your new password is set' }),
    },
    {
      name: 'sign-up',
      path: '/sign-up',
      prepare: async (page) => {
        await page.getByLabel('Username').fill('twice');
        await page.locator('#password').fill(PASSWORD);
        return pageButton(page, 'Create account');
      },
      sent: ['createUser', 'signInWithPassword'],
      done: (page) => page.getByText('You are logged in as twice').or(page.getByText('you are logged in as twice')),
    },
    {
      name: 'login',
      path: '/login',
      prepare: fillLogin,
      sent: ['signInWithPassword'],
      done: (page) => page.getByText('You are logged in as vera'),
    },
  ];
  for (const each of cases) {
    const visit = await openVisit(t, service);
    await checkQuickClicks(visit, each);
    await visit.end();
  }
});

void test('quick clicks: the account page', options, async (t) => {
  await addUser('owner');
  const token = await logIn(call, 'owner', PASSWORD);
  await createKey(call, token, ['read:pets'], { name: 'old' });
  await logIn(call, 'owner', PASSWORD);
  await logIn(call, 'owner', PASSWORD);
  const visit = await openVisit(t, service);
  // The footer, when the account is loaded.
  visit.allow(/^Layout shift/);
  await visit.open('/login');
  await visit.page.getByLabel('Username').fill('owner');
  await visit.page.locator('input[name=password]').fill(PASSWORD);
  await visit.page.keyboard.press('Enter');
  await visit.page.getByText('You are logged in as owner').waitFor();
  const path = '/account';
  const cases: readonly QuickCase[] = [
    {
      name: 'profile',
      path,
      prepare: async (page) => {
        await page.getByLabel('First name').fill('Olga');
        return pageButton(page, 'Save profile');
      },
      sent: ['updateUser'],
      done: (page) => page.getByText('Profile saved.'),
    },
    {
      name: 'end a session',
      path,
      prepare: (page) => pageButton(page, /^End session/),
      sent: ['endSession'],
      done: (page) => page.getByText('Session ended.'),
    },
    {
      name: 'end other sessions',
      path,
      prepare: confirmed('End all other sessions', 'End all other sessions'),
      sent: ['endOtherSessions'],
      done: (page) => page.getByText('All other sessions ended.'),
    },
    {
      name: 'revoke an API key',
      path,
      prepare: confirmed('Revoke API key old', 'Revoke'),
      sent: ['revokeKey'],
      done: (page) => page.getByText('API key revoked.'),
    },
    {
      name: 'create an API key',
      path,
      prepare: async (page) => {
        await pageButton(page, 'Create API key').click();
        await page.getByLabel('Key name').fill('new');
        return dialogButton(page, 'Create key');
      },
      sent: ['createKey'],
      done: (page) => page.getByLabel('API key', { exact: true }),
    },
    {
      name: 'change the password',
      path,
      prepare: async (page) => {
        await page.getByLabel('Current password').fill(PASSWORD);
        await page.locator('input[autocomplete=new-password]').fill('another green lantern over water');
        return pageButton(page, 'Change password');
      },
      sent: ['changePassword'],
      done: (page) => page.getByText('Password changed.'),
    },
    {
      name: 'delete the account',
      path,
      prepare: async (page) => {
        await pageButton(page, 'Delete account').click();
        await page.getByLabel('Type owner to confirm').fill('owner');
        return dialogButton(page, 'Delete account');
      },
      sent: ['deleteUser'],
      done: (page) => page.getByText('Account owner deleted.'),
    },
  ];
  for (const each of cases) await checkQuickClicks(visit, each);
});

void test('quick clicks: log out, and log in again', options, async (t) => {
  const visit = await openVisit(t, service, { loggedInAs: 'otto' });
  visit.allow(/status of 401/);
  await checkQuickClicks(visit, {
    name: 'log in again',
    path: '/account',
    prepare: async (page) => {
      await pageButton(page, 'Save profile').waitFor();
      await call('DELETE', 'admin/users/otto/sessions', { headers: root });
      await pageButton(page, 'Save profile').click();
      await page
        .getByRole('dialog')
        .locator('input[type=password]')
        .fill(PASSWORDS['otto'] ?? '');
      return dialogButton(page, 'Log in');
    },
    sent: ['signInWithPassword', 'updateUser'],
    done: (page) => page.getByText('Profile saved.'),
  });
  await checkQuickClicks(visit, {
    name: 'log out',
    path: '/account',
    prepare: (page) => pageButton(page, 'Log out'),
    sent: ['logoutUser'],
    done: (page) => page.getByText('You are logged out.'),
  });
});
