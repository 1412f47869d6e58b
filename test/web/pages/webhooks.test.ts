import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { bearer, logIn, startSecuredService } from '../../support/secured.ts';
import { startReceiver } from '../../support/webhook-receiver.ts';
import { until } from '../../support/until.ts';
import { checkAccessibility } from '../support/accessibility.ts';
import { skipWithoutBrowser } from '../support/browser.ts';
import { keepScreenshot } from '../support/screenshots.ts';
import { openVisit } from '../support/visit.ts';

/*
 * The pages with the webhooks, with a real receiver.
 */

const service = await startSecuredService(
  { after },
  { web: true, flags: ['--webhook-private-addresses'], config: { features: { webhookRetryDelaysMs: [1000] } } },
);
const receiver = await startReceiver({ after });
const headers = bearer(await logIn(service.call, 'root'));
const options = { skip: skipWithoutBrowser };

async function readIds(path: string): Promise<readonly (string | number)[]> {
  const { text } = await service.call('GET', `admin/webhooks${path}`, { headers });
  return (JSON.parse(text) as { id: string | number }[]).map(({ id }) => id);
}

void test(
  'webhooks: one is created with the keyboard, tested, retried, paused, edited and deleted',
  options,
  async (t) => {
    const visit = await openVisit(t, service, { loggedInAs: 'root' });
    const { page } = visit;
    await visit.open('/admin/webhooks');
    await page.getByRole('heading', { name: 'No webhooks' }).waitFor();
    await page.getByRole('button', { name: 'Create webhook' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    const url = dialog.getByLabel('URL');
    await url.fill('ftp://shelter.example.org');
    await page.keyboard.press('Enter');
    await dialog.getByText('Enter a URL that starts with https://.').waitFor();
    await url.fill(`${receiver.origin}/hook`);
    assert.ok(await dialog.getByLabel('Pet added').isDisabled(), 'all pet events include it');
    await dialog.getByLabel('All pet events').uncheck();
    await dialog.getByLabel('Pet added').check();
    await keepScreenshot(page, 'webhooks form 1440 light');
    await url.focus();
    await page.keyboard.press('Enter');
    const secret = await dialog.getByLabel('Secret').inputValue();
    await dialog.getByRole('button', { name: 'Done' }).click();

    await visit.expectShifts(async () => {
      await page.getByRole('link', { name: `${receiver.origin}/hook` }).click();
      await page.getByText('No dead letters.').waitFor();
      await page.getByRole('button', { name: 'Send test event' }).click();
      await page.getByText('Delivered: the receiver responded with status 200.').waitFor();
      const [ping] = receiver.calls;
      new Webhook(secret).verify(ping?.body ?? '', ping?.headers as Record<string, string>);
      assert.ok(!(await page.content()).includes(secret), 'the secret is shown once');

      receiver.respond(500);
      await page.getByRole('button', { name: 'Send test event' }).click();
      await page.getByText('Not delivered: the receiver responded with status 500.').waitFor();
      await service.call('POST', 'pet', { headers, json: { name: 'Rex', photoUrls: [] } });
      const [id = ''] = await readIds('');
      await until('a dead letter', async () => (await readIds(`/${id}/dead-letters`)).length === 1);
      await page.reload();
      await page.getByText('Response with status 500').waitFor();
      await page.getByText(/^2 attempts, last on /).waitFor();
      await keepScreenshot(page, 'webhook dead letter 1440 light', { isWhole: true });
      receiver.respond(204);
      const before = receiver.calls.length;
      await page.getByRole('button', { name: /^Retry Event \d+$/ }).click();
      await page.getByText('No dead letters.').waitFor();
      await until('the event is delivered', async () => receiver.calls.length > before);

      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByText('Paused', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Edit webhook' }).click();
      await dialog.getByLabel('All account events').check();
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByText('All account events, Pet added').waitFor();
      await page.getByRole('button', { name: 'Resume' }).click();
      await page.getByText('Active', { exact: true }).waitFor();

      await page.getByRole('button', { name: 'Delete webhook' }).click();
      await dialog.getByRole('button', { name: 'Delete webhook' }).click();
      await page.getByRole('heading', { name: 'No webhooks' }).waitFor();
    });
    assert.deepEqual(await readIds(''), []);
  },
);

void test('webhooks: the secret is rotated once by a double click, and the rotation is ended', options, async (t) => {
  const json = { url: `${receiver.origin}/rotation`, events: ['account.*'] };
  const created = await service.call('POST', 'admin/webhooks', { headers, json });
  const { id, secret: previous } = JSON.parse(created.text) as { id: string; secret: string };
  t.after(() => service.call('DELETE', `admin/webhooks/${id}`, { headers }));
  const visit = await openVisit(t, service, { loggedInAs: 'root', width: 375 });
  const { page } = visit;
  const dialog = page.getByRole('dialog');
  const start = page.getByRole('main').getByRole('button', { name: 'Rotate secret' });
  await visit.open(`/admin/webhooks/${id}`);
  await visit.expectShifts(async () => {
    await start.click();
    await dialog.getByText('events are signed with both secrets').waitFor();
    await checkAccessibility(page, 'the question about a rotation');
    await dialog.getByRole('button', { name: 'Rotate secret' }).dblclick();
    const secret = await dialog.getByLabel('Secret').inputValue();
    assert.notEqual(secret, previous);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByText(/^Until .*, events are signed with the previous secret as well\.$/).waitFor();
    assert.equal(await start.isDisabled(), true);
    assert.ok(!(await page.content()).includes(secret), 'the secret is shown once');
    await checkAccessibility(page, 'a webhook during a rotation');
    await keepScreenshot(page, 'webhook rotation 375 light', { isWhole: true });
    await page.getByRole('button', { name: 'Send test event' }).click();
    await page.getByText('Delivered: the receiver responded with status').waitFor();
    const ping = receiver.calls.at(-1) ?? assert.fail();
    for (const each of [secret, previous]) new Webhook(each).verify(ping.body, ping.headers as Record<string, string>);

    await page.getByRole('button', { name: 'End rotation' }).click();
    await dialog.getByRole('button', { name: 'End rotation' }).dblclick();
    await page.getByText('The previous secret is no longer used.').waitFor();
    await page.getByRole('main').getByRole('button', { name: 'End rotation' }).waitFor({ state: 'detached' });
    assert.equal(await start.isDisabled(), false);
  });

  // Another administrator was faster.
  await service.call('POST', `admin/webhooks/${id}/secret-rotation`, { headers });
  visit.expect(/status of 409/);
  await visit.expectShifts(async () => {
    await start.click();
    await dialog.getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByText('The secret is being rotated already.').waitFor();
    await page.getByRole('button', { name: 'End rotation' }).waitFor();
  });
});

void test('webhooks: a refused URL is explained, and a deleted webhook has its own page', options, async (t) => {
  // Stopped after the visit has ended: the page loads scripts until then.
  const visit = await openVisit(t, await startSecuredService({ after }, { web: true }), {
    loggedInAs: 'root',
    language: 'de',
    width: 375,
  });
  const { page } = visit;
  visit.expect(/400/);
  await visit.open('/admin/webhooks');
  await page.getByRole('button', { name: 'Webhook erstellen' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('URL').fill('https://127.0.0.1/hook');
  await dialog.getByRole('button', { name: 'Webhook erstellen' }).click();
  await dialog.getByText('Der Dienst sendet nicht an diese URL.').waitFor();
  await page.waitForFunction(() => document.activeElement?.getAttribute('type') === 'url');
  await keepScreenshot(page, 'webhooks refused 375 light');
  await visit.open('/admin/webhooks/none');
  await page.getByRole('heading', { name: 'Webhook nicht gefunden' }).waitFor();
});
