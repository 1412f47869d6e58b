import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { PAGE_PATHS } from '../../../src/api/pages.ts';
import { logIn } from '../../support/secured.ts';
import { getBrowser, skipWithoutBrowser } from '../support/browser.ts';
import { startStaffedService } from '../support/stock.ts';
import { waitFor } from '../support/waiting.ts';

/* Clickjacking: a website shows a page of the service in a frame, where the user clicks on what is below its own page. */

const { service, call, root } = await startStaffedService({ after });
await call('POST', 'pet', { headers: root, json: { id: 7, name: 'Rex', status: 'available' } });
await call('PUT', 'embedding', { headers: root, json: { sites: 'all' } });
const token = await logIn(call, 'root');

const FRAMED = ['/embed/pets', '/embed/pets/7'];
const REFUSED = [
  ...PAGE_PATHS.map((path) => path.replaceAll(/\$\w+/g, '7')),
  '/docs',
  '/oauth/authorize?response_type=code&client_id=none',
  '/sign-in/none',
  '/v2/pet/7',
  '/v2/user/logout',
  '/no-page',
];

const website = createServer((_request, response) => {
  const frames = [...FRAMED, ...REFUSED].map((path) => `<iframe src="${service.origin}${path}"></iframe>`);
  response.setHeader('content-type', 'text/html; charset=utf-8').end(`<!doctype html><body>${frames.join('')}`);
});
website.listen(0, '127.0.0.1');
await once(website, 'listening');
after(() => website.close());
const { port } = website.address() as AddressInfo;

/** Where a browser is when it refuses to show a page in a frame. */
const ERROR_PAGE = 'chrome-error://chromewebdata/';

for (const [what, host] of [
  ['another site', 'localhost'],
  // Its frames get the cookies of the service, because a site has all ports.
  ['another port of the same site', '127.0.0.1'],
] as const)
  void test(
    `clickjacking: a page of ${what} frames nothing but the pages for other websites`,
    { skip: skipWithoutBrowser },
    async (t) => {
      const context = await getBrowser().newContext();
      t.after(() => context.close());
      await context.addCookies([{ name: 'menagerie_session', value: token, url: service.origin }]);
      const page = await context.newPage();
      await page.goto(`http://${host}:${port}/`);
      const frames = page.mainFrame().childFrames();
      assert.equal(frames.length, FRAMED.length + REFUSED.length);
      for (const [index, path] of [...FRAMED, ...REFUSED].entries()) {
        const frame = frames[index] ?? assert.fail();
        const expected = FRAMED.includes(path) ? `${service.origin}${path}` : ERROR_PAGE;
        await waitFor(() => Promise.resolve(frame.url() === expected), `${path} is at ${expected}, not ${frame.url()}`);
      }
      await page.frameLocator('iframe >> nth=0').getByRole('link', { name: 'Rex' }).first().waitFor();
      await page.frameLocator('iframe >> nth=1').getByRole('link', { name: 'Rex' }).first().waitFor();
      const [session] = (await context.cookies(service.origin)).map(({ value }) => value);
      assert.equal(session, token, 'no frame logged out');
    },
  );
