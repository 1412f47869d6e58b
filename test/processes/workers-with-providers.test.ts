import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { HttpResponse } from '../support/client.ts';
import { CLIENT_ID, CLIENT_SECRET, startProvider } from '../support/openid-provider.ts';
import { newSecuredFolder } from '../support/secured.ts';
import { removeFolder } from '../support/service.ts';
import { TestBrowser } from '../support/test-browser.ts';
import { openToBoth, startTwoWorkers } from '../support/workers.ts';

/* A login at a provider that one worker begins and another one completes. */

const options = { skip: process.platform !== 'linux' && 'finds processes in /proc' };

const PUBLIC_URL = 'https://pets.example.org';

void test('two workers: each completes logins at a provider that the other one began', options, async (t) => {
  const shelter = await startProvider({ after }, PUBLIC_URL, 'shelter');
  const dataDir = await newSecuredFolder();
  t.after(() => removeFolder(dataDir));
  const providers = `shelter = { issuer = "${shelter.issuer}", client-id = "${CLIENT_ID}", client-secret = "${CLIENT_SECRET}", sign-up = true }`;
  const flags = ['--access', 'secured', '--public-url', PUBLIC_URL, '--providers', providers];
  const { origin } = await startTwoWorkers({ after }, dataDir, flags);
  const [[one], [other]] = await openToBoth(t, origin, 1);
  assert.ok(one !== undefined && other !== undefined);
  for (const [username, first, last] of [
    ['ann', one, other],
    ['ben', other, one],
  ] as const) {
    shelter.people.set(username, { preferred_username: username });
    shelter.subject = username;
    const begun = await first.call('GET', 'sign-in/shelter');
    assert.equal(begun.status, 302, begun.text);
    const { url } = await new TestBrowser(PUBLIC_URL, origin).open(begun.headers.get('location') ?? '', isCallback);
    const callback = url.slice(PUBLIC_URL.length + 1);
    const stolen = await first.call('GET', callback.replace(/state=[^&]+/, 'state=another'));
    assert.equal(stolen.status, 400);
    const completed = await last.call('GET', callback, { headers: { cookie: cookieOf(begun) } });
    assert.equal(completed.status, 303, completed.text);
    const headers = { cookie: cookieOf(completed) };
    for (const worker of [first, last]) {
      const { text } = await worker.call('GET', 'v2/account', { headers });
      assert.equal((JSON.parse(text) as { username?: string }).username, username);
    }
    const again = await first.call('GET', callback, { headers: { cookie: cookieOf(begun) } });
    assert.equal(again.status, 400, 'it is completed once');
  }
});

function isCallback(url: string): boolean {
  return url.startsWith(`${PUBLIC_URL}/sign-in/`);
}

/** The cookies that the response sets. */
function cookieOf({ headers }: HttpResponse): string {
  const pairs = headers.getSetCookie().map((line) => line.split(';')[0] ?? '');
  return pairs.filter((pair) => !pair.endsWith('=')).join('; ');
}
