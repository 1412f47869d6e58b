import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientOf } from '../../support/client.ts';
import { createPlayground } from '../../support/playgrounds.ts';
import { startTestService } from '../../support/service.ts';
import { skipWithoutBrowser } from '../support/browser.ts';
import { checkState } from '../support/pages.ts';
import { openVisit } from '../support/visit.ts';

/* The page with the recorded requests of a playground. */

for (const width of [375, 1440])
  void test(
    `recorded requests at ${width} px: appear, open, are filtered and deleted`,
    { skip: skipWithoutBrowser },
    async (t) => {
      const service = await startTestService(t, { web: true });
      const playground = await createPlayground(clientOf(service.base));
      const visit = await openVisit(t, service, { width });
      const { page } = visit;
      await visit.open(`${new URL(playground.page).pathname}requests`);
      await page.getByText('No requests yet').waitFor();

      await playground.call('POST', 'pet', { json: { name: "Luna's <b>friend</b>" } });
      await playground.call('GET', 'pet/404404');
      const list = page.getByRole('list', { name: 'Requests' });
      await visit.expectShifts(() => list.getByText('/v2/pet/404404').waitFor());
      assert.match((await list.getByRole('listitem').first().textContent()) ?? '', /404.*GET \/v2\/pet\/404404/);

      await visit.expectShifts(() => list.getByText('POST').click());
      const command = page.getByRole('region', { name: 'Command' });
      assert.match((await command.textContent()) ?? '', /--request POST .*\/v2\/pet[^]*Luna'\\''s <b>friend/);
      await page.getByText(`"name":"Luna's <b>friend</b>"`, { exact: false }).first().waitFor();
      await page.context().grantPermissions(['clipboard-write', 'clipboard-read']);
      await page.getByRole('button', { name: 'Copy as curl' }).click();
      await page.getByRole('button', { name: 'Copied' }).waitFor();
      assert.equal(await page.evaluate(() => navigator.clipboard.readText()), await command.textContent());
      await visit.expectShifts(() => checkState(page, `recorded requests ${width}`));

      await visit.expectShifts(async () => {
        await page.getByLabel('Status').selectOption('4xx');
        await list.getByText('POST').waitFor({ state: 'detached' });
        await page.getByLabel('Status').selectOption('');
        await page.getByRole('button', { name: 'Delete all' }).click();
        await page.getByText('No requests yet').waitFor();
      });
      const recorded = await clientOf(service.base)('GET', `playgrounds/${playground.token}/requests`);
      assert.equal(recorded.text, '[]');
    },
  );

void test('recorded requests at the root: only playgrounds have them', { skip: skipWithoutBrowser }, async (t) => {
  const visit = await openVisit(t, await startTestService(t, { web: true }));
  await visit.open('/requests');
  await visit.page.getByText('Only playgrounds record their requests.').waitFor();
  await visit.waitForIdle();
  await visit.end();
});
