import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { createKey, logIn } from '../../../support/secured.ts';
import { temporaryFolder } from '../../../support/service.ts';
import { skipWithoutBrowser } from '../../support/browser.ts';
import { checkQuickClicks, confirmed, dialogButton, pageButton, type QuickCase } from '../../support/quick-clicks.ts';
import { startStaffedService } from '../../support/stock.ts';
import { openVisit } from '../../support/visit.ts';

/*
 * Each form and each button that changes something is activated twice in the same task. The second time does nothing.
 */

const place = await temporaryFolder({ after });
const { service, call, root } = await startStaffedService({ after }, { flags: ['--backup-to', place] });
const options = { skip: skipWithoutBrowser };
const PASSWORD = 'green lanterns over calm water';

async function addUser(username: string): Promise<void> {
  const answer = await call('POST', 'user', { headers: root, json: { username, password: PASSWORD } });
  assert.equal(answer.status, 200, answer.text);
}

void test('quick clicks: users', options, async (t) => {
  await addUser('target');
  await createKey(call, await logIn(call, 'target', PASSWORD), ['read:pets'], { name: 'robot' });
  const visit = await openVisit(t, service, { loggedInAs: 'root' });
  const path = '/admin/users/target';
  const cases: readonly QuickCase[] = [
    {
      name: 'create a user',
      path: '/admin/users',
      prepare: async (page) => {
        await pageButton(page, 'Invite user').click();
        await page.getByRole('dialog').getByLabel('Username').fill('invited');
        return dialogButton(page, 'Invite user');
      },
      sent: ['inviteUser'],
      done: (page) => page.getByRole('dialog').getByLabel('Link'),
    },
    {
      name: 'set a role',
      path,
      prepare: async (page) => {
        await page.getByRole('radio', { name: 'Editor' }).check();
        return confirmed('Change role', 'Change role')(page);
      },
      sent: ['setUserRole'],
      done: (page) => page.getByText('target now has the role Editor.'),
    },
    {
      name: 'close an account',
      path,
      prepare: confirmed('Close account', 'Close account'),
      sent: ['closeUser'],
      done: (page) => page.getByText('Account target closed.'),
    },
    {
      name: 'reopen an account',
      path,
      prepare: confirmed('Reopen account', 'Reopen account'),
      sent: ['reopenUser'],
      done: (page) => page.getByText('Account target reopened.'),
    },
    {
      name: 'create a reset link',
      path,
      prepare: confirmed('Create reset link', 'Create reset link'),
      sent: ['issueResetLink'],
      done: (page) => page.getByRole('dialog').getByLabel('Link'),
    },
    {
      name: 'revoke a key',
      path,
      prepare: confirmed('Revoke API key robot', 'Revoke'),
      sent: ['revokeAnyKey'],
      done: (page) => page.getByText('API key revoked.'),
    },
    {
      name: 'end sessions',
      path,
      prepare: async (page) => {
        await logIn(call, 'target', PASSWORD);
        await page.reload();
        return confirmed('End all sessions', 'End all sessions')(page);
      },
      sent: ['endUserSessions'],
      done: (page) => page.getByText('All sessions of target ended.'),
    },
    {
      name: 'delete a user',
      path,
      prepare: async (page) => {
        await pageButton(page, 'Delete account').click();
        await page.getByLabel('Type target to confirm').fill('target');
        return dialogButton(page, 'Delete account');
      },
      sent: ['deleteUser'],
      done: (page) => page.getByText('Account target deleted.'),
    },
  ];
  for (const each of cases) await checkQuickClicks(visit, each);
});

const openWebhook = async (page: Page) => {
  await page.getByRole('link', { name: /shelter\.example\.org/ }).click();
  await page.getByRole('heading', { name: 'shelter.example.org' }).waitFor();
};

const chooseFile = (records: 'pets' | 'users', text: string) => async (page: Page) => {
  const section = page.getByRole('region', { name: `Import ${records}` });
  const file = { name: `${records}.csv`, mimeType: 'text/csv', buffer: Buffer.from(text) };
  await section.getByLabel('File', { exact: true }).setInputFiles(file);
  return section.getByRole('button', { name: 'Import 1 row' });
};

void test('quick clicks: webhooks, backups, health and imports', options, async (t) => {
  const visit = await openVisit(t, service, { loggedInAs: 'root' });
  // Whether a user in a file exists.
  visit.allow(/status of 404/);
  const cases: readonly QuickCase[] = [
    {
      name: 'create a webhook',
      path: '/admin/webhooks',
      prepare: async (page) => {
        await pageButton(page, 'Create webhook').click();
        await page.getByLabel('URL').fill('https://shelter.example.org/hook');
        return dialogButton(page, 'Create webhook');
      },
      sent: ['createWebhook'],
      done: (page) => page.getByLabel('Secret'),
    },
    {
      name: 'change a webhook',
      path: '/admin/webhooks',
      prepare: async (page) => {
        await openWebhook(page);
        await pageButton(page, 'Edit').click();
        await page.getByLabel('URL').fill('https://shelter.example.org/other');
        return dialogButton(page, 'Save');
      },
      sent: ['updateWebhook'],
      done: (page) => page.getByText('https://shelter.example.org/other'),
    },
    {
      name: 'pause a webhook',
      path: '/admin/webhooks',
      prepare: async (page) => {
        await openWebhook(page);
        return pageButton(page, 'Pause');
      },
      sent: ['updateWebhook'],
      done: (page) => pageButton(page, 'Resume'),
    },
    {
      name: 'rotate the secret of a webhook',
      path: '/admin/webhooks',
      prepare: async (page) => {
        await openWebhook(page);
        return confirmed('Rotate secret', 'Rotate secret')(page);
      },
      sent: ['rotateWebhookSecret'],
      done: (page) => page.getByLabel('Secret'),
    },
    {
      name: 'end the rotation of a secret',
      path: '/admin/webhooks',
      prepare: async (page) => {
        await openWebhook(page);
        return confirmed('End rotation', 'End rotation')(page);
      },
      sent: ['endSecretRotation'],
      done: (page) => page.getByText('The previous secret is no longer used.'),
    },
    {
      name: 'delete a webhook',
      path: '/admin/webhooks',
      prepare: async (page) => {
        await openWebhook(page);
        return confirmed('Delete webhook', 'Delete webhook')(page);
      },
      sent: ['deleteWebhook'],
      done: (page) => page.getByText('Webhook deleted.'),
    },
    {
      name: 'start a backup',
      path: '/admin/backups',
      prepare: (page) => pageButton(page, 'Back up now'),
      sent: ['startBackup'],
      done: (page) => page.getByText('Finished', { exact: true }),
    },
    {
      name: 'check the health',
      path: '/admin/health',
      prepare: (page) => pageButton(page, 'Check now'),
      sent: ['checkHealth'],
      done: (page) => page.getByText(/^Last check/),
    },
    {
      name: 'import pets',
      path: '/pets/transfer',
      prepare: chooseFile('pets', 'name,status\nImported once,available\n'),
      sent: ['changePets'],
      done: (page) => page.getByText('Import finished'),
    },
    {
      name: 'import users',
      path: '/pets/transfer',
      prepare: chooseFile('users', 'username\nimported-once\n'),
      sent: ['createUser'],
      done: (page) => page.getByText('Import finished'),
    },
  ];
  for (const each of cases) await checkQuickClicks(visit, each);
});

void test('quick clicks: the second click of a double click does not close a secret', options, async (t) => {
  const visit = await openVisit(t, service, { loggedInAs: 'root' });
  const { page } = visit;
  await visit.open('/admin/users/edna');
  await pageButton(page, 'Create reset link').click();
  await dialogButton(page, 'Create reset link').click();
  const done = dialogButton(page, 'Done');
  await done.evaluate((element) => element.dispatchEvent(new MouseEvent('click', { bubbles: true, detail: 2 })));
  await visit.waitForIdle();
  await page.getByRole('textbox', { name: 'Link' }).waitFor();
  await done.click();
  await page.getByRole('textbox', { name: 'Link' }).waitFor({ state: 'detached' });
});
