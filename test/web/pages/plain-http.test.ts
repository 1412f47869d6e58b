import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { bearer, PASSWORDS, startSecuredService } from '../../support/secured.ts';
import { getBrowser, skipWithoutBrowser } from '../support/browser.ts';

/*
 * A browser that reaches the service over plain HTTP, under a name that is not loopback: it sends no Fetch Metadata.
 */

const HOST = 'http://menagerie.example.net';
const OTHER = 'http://other.example.org';

const service = await startSecuredService({ after }, { web: true });

void test(
  'plain HTTP: the application logs in and out; links and typed addresses cannot',
  { skip: skipWithoutBrowser },
  async (t) => {
    // The service acts as its own proxy, so that it can be reached under any name.
    const context = await getBrowser().newContext({ proxy: { server: service.origin } });
    t.after(() => context.close());
    context.setDefaultTimeout(30_000);
    const page = await context.newPage();
    const readAccount = async () => {
      const session = (await context.cookies(HOST)).find(({ name }) => name === 'menagerie_session');
      return service.call('GET', 'account', { headers: bearer(session?.value ?? '') });
    };

    await page.goto(`${HOST}/login?to=%2Faccount`);
    await page.getByLabel('Username').fill('vera');
    await page.locator('input[name=password]').fill(PASSWORDS['vera'] ?? '');
    const [sent] = await Promise.all([
      page.waitForRequest(`${HOST}/v2/sign-in/password`),
      page.getByRole('button', { name: 'Log in' }).click(),
    ]);
    assert.equal((await sent.allHeaders())['sec-fetch-site'], undefined, 'the browser says nothing of where it was');
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    const before = await readAccount();
    assert.match(before.text, /"username":"vera"/);

    const otto = new URLSearchParams({ username: 'otto', password: PASSWORDS['otto'] ?? '' }).toString();
    for (const path of ['user/logout', `user/login?${otto}`]) {
      const typed = await page.goto(`${HOST}/v2/${path}`);
      assert.equal(typed?.status(), 403);
      await page.goto(`${OTHER}/livez`);
      await page.setContent(`<a href="${HOST}/v2/${path}">A picture of a cat</a>`);
      const [followed] = await Promise.all([
        page.waitForResponse(`${HOST}/v2/${path}`),
        page.getByRole('link').click(),
      ]);
      assert.equal(followed.status(), 403);
    }
    assert.equal((await readAccount()).text, before.text);

    await page.goto(`${HOST}/account`);
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByText('You are logged out.').waitFor();
    assert.equal((await readAccount()).status, 401);
  },
);
