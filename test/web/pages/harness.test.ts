import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test, type TestContext } from 'node:test';
import { checkAccessibility } from '../support/accessibility.ts';
import { skipWithoutBrowser } from '../support/browser.ts';
import { openVisit } from '../support/visit.ts';

/*
 * The checks of a visit, tested on pages that violate them. Otherwise a broken check would go unnoticed.
 */

const PAGES: Readonly<Record<string, string>> = {
  '/good': '<h1>Good</h1>',
  '/complaint': '<script>console.error("a bad day")</script>',
  '/warning': '<script>console.warn("a cloudy day")</script>',
  '/error': '<script>setTimeout(() => { throw new Error("thrown away") })</script>',
  '/rejection': '<script>Promise.reject(new Error("turned down"))</script>',
  '/missing': '<img src="/nothing.png" alt="nothing">',
  '/foreign': '<script>fetch("http://127.0.0.1:9/", { mode: "no-cors" }).catch(() => {})</script>',
  '/forbidden': '<img src="data:image/png;base64,AAAA" alt="forbidden">',
  '/jump':
    '<p style="font-size:3rem">Stay</p><p id="done"></p><script>setTimeout(() => { ' +
    'document.body.prepend(Object.assign(document.createElement("div"), { style: "height:400px" })); ' +
    'requestAnimationFrame(() => requestAnimationFrame(() => { done.textContent = "moved" })) }, 300)</script>',
  '/jump-later':
    '<p style="font-size:3rem">Stay</p><p id="done"></p><script>addEventListener("keydown", () => setTimeout(() ' +
    '=> { document.body.prepend(Object.assign(document.createElement("div"), { style: "height:400px" })); ' +
    'requestAnimationFrame(() => requestAnimationFrame(() => { done.textContent = "moved" })) }, 900))</script>',
  '/response-later':
    '<p style="font-size:3rem">Stay</p><p id="done"></p><script>addEventListener("keydown", async () => { await ' +
    '(await fetch("/late")).text(); document.body.prepend(Object.assign(document.createElement("div"), { style: ' +
    '"height:400px" })); requestAnimationFrame(() => requestAnimationFrame(() => { done.textContent = "moved" ' +
    '})) })</script>',
  '/nameless': '<main><h1>Form</h1><input type="text"><p style="color:#aaa">faint</p></main>',
};

const server = createServer((request, response) => {
  const body = PAGES[request.url ?? ''];
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "img-src 'self'",
  };
  if (request.url === '/late') {
    setTimeout(() => response.end('At last.'), 900);
    return;
  }
  response.writeHead(body === undefined ? 404 : 200, headers);
  response.end(`<!doctype html><html lang="en"><title>Harness</title>${body ?? ''}`);
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
after(() => void server.close());
const site = { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };

void test('visit: a page without errors passes', { skip: skipWithoutBrowser }, async (t) => {
  const visit = await openVisit(t, site);
  await visit.open('/good');
  assert.equal(await visit.page.getByRole('heading').textContent(), 'Good');
  await visit.end();
});

void test('visit.expectShifts: expected layout shifts are ignored', { skip: skipWithoutBrowser }, async (t) => {
  const visit = await openVisit(t, site);
  await visit.open('/jump');
  await visit.expectShifts(() => visit.page.getByText('moved').waitFor());
  await visit.end();
});

void test(
  'layout shift after a late response: counted on a slow connection, not on a busy machine',
  { skip: skipWithoutBrowser },
  async (t) => {
    for (const isSlow of [false, true]) {
      const visit = await openVisit(withoutHooks(t), site, { isSlow });
      await visit.open('/response-later');
      await visit.page.keyboard.press('a');
      await visit.page.getByText('moved').waitFor();
      if (isSlow) await assert.rejects(visit.end(), /Layout shift of 0\.\d+/);
      else await visit.end();
    }
  },
);

const FAULTS: readonly { path: string; message: RegExp }[] = [
  { path: '/complaint', message: /a bad day/ },
  { path: '/warning', message: /a cloudy day/ },
  { path: '/error', message: /Uncaught error: Error: thrown away/ },
  { path: '/rejection', message: /Uncaught error: Error: turned down/ },
  { path: '/missing', message: /status of 404.*nothing\.png/ },
  { path: '/foreign', message: /another origin: http:\/\/127\.0\.0\.1:9\// },
  { path: '/forbidden', message: /Content Security Policy violation: img-src forbids data/ },
  { path: '/jump-later', message: /Layout shift of 0\.\d+/ },
  { path: '/jump', message: /Layout shift of 0\.\d+ .*:\n  0\.\d+ .* <body/ },
];

for (const { path, message } of FAULTS)
  void test(`visit: ${path} fails with the reason`, { skip: skipWithoutBrowser }, async (t) => {
    const fault = await faultOf(t, path);
    assert.match(fault.message, message);
  });

void test('visit.expect: an expected error passes, a missing one fails', { skip: skipWithoutBrowser }, async (t) => {
  const visit = await openVisit(t, site);
  visit.expect(/a bad day/);
  await visit.open('/complaint');
  await visit.end();
  const other = await openVisit(withoutHooks(t), site);
  other.expect(/a bad day/);
  await other.open('/good');
  await assert.rejects(other.end(), /Expected error missing/);
});

void test(
  'checkAccessibility: reports each violation with the rule and the element',
  { skip: skipWithoutBrowser },
  async (t) => {
    const visit = await openVisit(t, site);
    await visit.open('/nameless');
    await assert.rejects(checkAccessibility(visit.page, 'The form'), (fault: Error) => {
      assert.match(fault.message, /The form is not accessible/);
      assert.match(fault.message, /label: Form elements must have labels\n {2}input/);
      assert.match(fault.message, /color-contrast: .*\n {2}p {2}<p style/);
      return true;
    });
  },
);

/** Waits until the page is idle, and returns the error with which the visit ends. */
async function faultOf(t: TestContext, path: string): Promise<Error> {
  const visit = await openVisit(withoutHooks(t), site);
  await visit.open(path);
  if (path === '/jump-later') await visit.page.keyboard.press('a');
  if (path.startsWith('/jump')) await visit.page.getByText('moved').waitFor();
  await visit.page.waitForLoadState('networkidle');
  return visit.end().then(
    () => assert.fail('The visit passed.'),
    (fault: Error) => fault,
  );
}

/** A test context whose end does not end the visit again. */
function withoutHooks(t: TestContext): TestContext {
  return Object.create(t, { after: { value: () => {} } }) as TestContext;
}
