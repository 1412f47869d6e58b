import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertRefused, type CallOptions } from '../support/client.ts';
import { setUpTotp } from '../support/factors.ts';
import { bearer, logIn, startSecuredService } from '../support/secured.ts';

/*
 * Links of invitations: what they are called, and that a link is no way around a login and its second factor.
 */

const { call } = await startSecuredService({ after });
const root = bearer(await logIn(call, 'root'));
const DAY_MS = 24 * 3_600_000;
const PASSWORD = 'green lanterns over calm water';

async function ok(method: string, path: string, options: CallOptions = {}) {
  const response = await call(method, path, { headers: root, ...options });
  assert.equal(response.status, 200, `${method} ${path}: ${response.text}`);
  return response;
}

async function linkOf(method: string, path: string, json?: object): Promise<{ link: string; token: string }> {
  const { text } = await ok(method, path, json === undefined ? {} : { json });
  return JSON.parse(text) as { link: string; token: string };
}

const use = (token: string) => call('POST', 'password-reset', { json: { token, newPassword: PASSWORD } });

async function newestDetails(action: string): Promise<Record<string, string>> {
  const { text } = await ok('GET', `admin/audit?action=${action}&limit=1`);
  return (JSON.parse(text) as { details: Record<string, string> }[])[0]?.details ?? {};
}

void test('invitation: a copied link is the mailed one, is logged as an invitation, and works once', async () => {
  const first = await linkOf('POST', 'admin/users', { username: 'nora', role: 'editor' });
  const second = await linkOf('POST', 'admin/users/nora/reset-link');
  for (const { link, token } of [first, second])
    assert.match(link, new RegExp(`/reset-password\\?for=invitation#${token}$`));
  assert.equal((await newestDetails('account.reset-link-issued'))['invitation'], 'true');
  assertRefused(await use(first.token), 400);
  const accepted = await use(second.token);
  assert.deepEqual(JSON.parse(accepted.text), { code: 200, type: 'unknown', message: 'ok', username: 'nora' });
  assert.equal(accepted.headers.get('set-cookie'), null, 'a link begins no session');
  assertRefused(await use(second.token), 400);
  assert.equal((await call('POST', 'user/login', { json: { username: 'nora', password: PASSWORD } })).status, 200);
  const later = await linkOf('POST', 'admin/users/nora/reset-link');
  assert.doesNotMatch(later.link, /invitation/);
  assert.equal((await newestDetails('account.reset-link-issued'))['invitation'], undefined);
});

void test('links: an invitation works for seven days, a reset link for one', async (t) => {
  let nowMs = Date.now();
  const service = await startSecuredService(t, { clock: () => nowMs, nodes: 1 });
  const createLink = async (path: string, json?: object) => {
    const headers = bearer(await logIn(service.call, 'root'));
    const { text } = await service.call('POST', path, { headers, ...(json && { json }) });
    return (JSON.parse(text) as { token: string }).token;
  };
  const follow = async (token: string) =>
    (await service.call('POST', 'password-reset', { json: { token, newPassword: PASSWORD } })).status;
  const [nora, ida] = [
    await createLink('admin/users', { username: 'nora', role: 'editor' }),
    await createLink('admin/users', { username: 'ida', role: 'editor' }),
  ];
  nowMs += 7 * DAY_MS - 1000;
  assert.equal(await follow(nora), 200);
  nowMs += 2000;
  assert.equal(await follow(ida), 400);
  const again = await createLink('admin/users/ida/reset-link');
  nowMs += 2 * DAY_MS;
  assert.equal(await follow(again), 200, 'created again, it is still an invitation');
  const reset = await createLink('admin/users/ida/reset-link');
  nowMs += DAY_MS + 1000;
  assert.equal(await follow(reset), 400);
});

void test('invitation: the link of a closed account is refused', async () => {
  const { token } = await linkOf('POST', 'admin/users', { username: 'closed', role: 'viewer' });
  await ok('POST', 'admin/users/closed/close');
  assertRefused(await use(token), 400);
});

void test('reset link of an account with a second factor: begins no session, and the login asks for the factor', async () => {
  await setUpTotp(call, await logIn(call, 'vera'), Date.now());
  const { link, token } = await linkOf('POST', 'admin/users/vera/reset-link');
  assert.doesNotMatch(link, /invitation/);
  const reset = await use(token);
  assert.equal(reset.headers.get('set-cookie'), null);
  const login = await call('POST', 'user/login', { json: { username: 'vera', password: PASSWORD } });
  assertRefused(login, 401);
  assert.notEqual(login.headers.get('x-second-factor'), null);
});
