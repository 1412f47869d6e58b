import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { clientOf } from '../../support/client.ts';
import { startTestService } from '../../support/service.ts';
import { getBrowser, skipWithoutBrowser } from '../support/browser.ts';

/*
 * Front ends in development run on another port than the service.
 */

const frontEnd = createServer((_request, response) =>
  response.setHeader('content-type', 'text/html').end('<!doctype html><title>Front end</title><img alt="A pet">'),
).listen(0, '127.0.0.1');
await once(frontEnd, 'listening');
after(() => frontEnd.close());
const { port } = frontEnd.address() as AddressInfo;

async function openFrontEnd(t: { after: (end: () => Promise<void>) => void }, host: string): Promise<Page> {
  const context = await getBrowser().newContext();
  t.after(() => context.close());
  context.setDefaultTimeout(30_000);
  const page = await context.newPage();
  await page.goto(`http://${host}:${port}/`);
  return page;
}

interface SentOptions {
  method?: string;
  mode?: 'no-cors';
  headers?: Record<string, string>;
  body?: string;
  credentials?: 'include' | 'omit';
}

/**
 * Sends requests from a script of the page. Returns the status and the text of each response, or the error if the page
 * may not read it.
 */
function sendFrom(
  page: Page | ReturnType<Page['frames']>[number],
  requests: readonly [url: string, options: SentOptions][],
) {
  return page.evaluate(async (all) => {
    const results: string[] = [];
    for (const [url, options] of all)
      results.push(
        await fetch(url, options).then(
          async (response) => `${response.status} ${response.headers.get('etag') ?? ''} ${await response.text()}`,
          (error: unknown) => String(error),
        ),
      );
    return results;
  }, requests);
}

const json = (method: string, body: object): SentOptions => ({
  method,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
  credentials: 'include',
});

void test(
  'open access: a page on another port reads, changes, logs in and shows photos',
  { skip: skipWithoutBrowser },
  async (t) => {
    const { base } = await startTestService(t, { flags: [] });
    await clientOf(base)('POST', 'user', { json: { username: 'ada', password: 'pw' } });
    for (const host of ['localhost', '127.0.0.1']) {
      const page = await openFrontEnd(t, host);
      const sent = await sendFrom(page, [
        [`${base}/pet`, json('POST', { id: 700, name: 'Rex' })],
        [`${base}/pet`, json('PUT', { id: 700, name: 'Max' })],
        [`${base}/pet/700`, { headers: { 'if-none-match': '"0"' } }],
        [`${base}/pet/700`, { method: 'DELETE', headers: { api_key: 'special-key' } }],
        [`${base}/user/login?username=ada&password=pw`, { credentials: 'include' }],
        [`${base}/pet/987654321`, {}],
      ]);
      for (const result of sent.slice(0, -1)) assert.match(result, /^200 /);
      assert.match(sent[2] ?? '', /^200 "\d+" \{"id":700,"name":"Max"/);
      assert.match(sent.at(-1) ?? '', /^404 .*Pet not found/);
      const { photoUrls } = JSON.parse((await clientOf(base)('GET', 'pet/1')).text) as { photoUrls: string[] };
      await page.getByRole('img').evaluate(async (image: HTMLImageElement, url) => {
        image.src = url;
        await image.decode();
      }, photoUrls[0] ?? '');
    }
  },
);

void test(
  'open access: a page of another origin reads and changes nothing',
  { skip: skipWithoutBrowser },
  async (t) => {
    const { base } = await startTestService(t, { flags: [] });
    const page = await openFrontEnd(t, 'localhost');
    // The origin of a sandboxed frame is opaque: its requests have `Origin: null`, like those of a file.
    await page.setContent('<iframe sandbox="allow-scripts" srcdoc="<p>Another site</p>"></iframe>');
    const frame = page.frames().find((each) => each !== page.mainFrame()) ?? assert.fail();
    await frame.getByText('Another site').waitFor();
    const sent = await sendFrom(frame, [
      [`${base}/pet/1`, {}],
      [`${base}/pet`, json('POST', { id: 700, name: 'Rex' })],
      [`${base}/pet/1`, { method: 'POST', mode: 'no-cors', body: new URLSearchParams({ name: 'Stolen' }).toString() }],
      [`${base}/pet/2`, { method: 'DELETE' }],
    ]);
    assert.deepEqual(
      sent.map((result) => /^(?:TypeError: Failed to fetch|0 )/.test(result)),
      [true, true, true, true],
      sent.join('\n'),
    );
    const call = clientOf(base);
    assert.equal((await call('GET', 'pet/700')).status, 404);
    assert.equal((await call('GET', 'pet/2')).status, 200);
    assert.doesNotMatch((await call('GET', 'pet/1')).text, /Stolen/);
  },
);

void test('sandbox access: a page of any origin reads and changes', { skip: skipWithoutBrowser }, async (t) => {
  const { base } = await startTestService(t, { flags: ['--access', 'sandbox'] });
  const page = await openFrontEnd(t, 'localhost');
  await page.setContent('<iframe sandbox="allow-scripts" srcdoc="<p>Another site</p>"></iframe>');
  const frame = page.frames().find((each) => each !== page.mainFrame()) ?? assert.fail();
  await frame.getByText('Another site').waitFor();
  const sent = await sendFrom(frame, [
    [`${base}/pet`, { ...json('POST', { id: 700, name: 'Rex' }), credentials: 'omit' }],
    [`${base}/pet/700`, {}],
  ]);
  for (const result of sent) assert.match(result, /^200 .*"Rex"/);
});
