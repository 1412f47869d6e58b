import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { inTime } from '../support/deadline.ts';
import { openSocket, rawExchange } from '../support/raw-http.ts';
import { bearer, logIn, PASSWORDS, startSecuredService } from '../support/secured.ts';

/* Requests whose headers arrive while their authorization is valid, and whose body arrives after it is gone. */

const service = await startSecuredService({ after }, { flags: ['--trusted-proxies', '1'] });
const { call } = service;
const root = bearer(await logIn(call, 'root'));

/**
 * Sends the headers and the first byte of the body. Returns a function that sends the rest, and returns the status of
 * the response.
 */
async function hold(method: string, path: string, token: string, json: unknown) {
  const body = JSON.stringify(json);
  const socket = await openSocket(service.origin);
  const head = [
    `${method} /v2/${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    // The service asks for the body when it has the headers.
    'Expect: 100-continue',
    'Connection: close',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, 1)}`);
  await inTime('100 Continue', once(socket, 'data'));
  return async (): Promise<number> => {
    let response = '';
    socket.setEncoding('utf8').on('data', (text: string) => (response += text));
    socket.write(body.slice(1));
    await inTime('the response', once(socket, 'close'));
    return Number(/^HTTP\/1\.1 (\d+)/.exec(response)?.[1]);
  };
}

async function roleOf(username: string): Promise<unknown> {
  const response = await call('GET', `admin/users/${username}`, { headers: root });
  return (JSON.parse(response.text) as { role: unknown }).role;
}

void test('demotion during a request: the request changes nothing', async () => {
  await call('PUT', 'admin/users/otto/role', { headers: root, json: { role: 'admin' } });
  const token = await logIn(call, 'otto');
  const held = await Promise.all([
    hold('PUT', 'admin/users/otto/role', token, { role: 'admin' }),
    hold('POST', 'account/keys', token, { name: 'later', scopes: ['write:pets'] }),
    hold('POST', 'pet', token, { id: 4711, name: 'Rex' }),
    hold('PUT', 'user/otto', token, { password: 'a password for afterwards' }),
    hold('POST', 'account/password', token, { oldPassword: PASSWORDS['otto'], newPassword: 'another for afterwards' }),
  ]);
  const demotion = await call('PUT', 'admin/users/otto/role', { headers: root, json: { role: 'viewer' } });
  assert.equal(demotion.status, 200);
  await call('DELETE', 'admin/users/otto/sessions', { headers: root });
  for (const release of held) assert.equal(await release(), 401);
  assert.equal(await roleOf('otto'), 'viewer');
  assert.equal((await call('GET', 'pet/4711')).status, 404);
  assert.equal((await call('GET', 'admin/users/otto/keys', { headers: root })).text, '[]');
  await logIn(call, 'otto');
});

void test('rename during a request: the account that now has the name is not changed', async () => {
  const password = 'eve has a garden of her own';
  await call('POST', 'user', { json: { username: 'eve', password } });
  const token = await logIn(call, 'eve', password);
  const release = await hold('PUT', 'user/eve', token, { password: 'mine from now on, she said' });
  const headers = bearer(token);
  assert.equal((await call('PUT', 'user/eve', { headers, json: { username: 'eve2' } })).status, 200);
  const victim = 'the other eve came later on';
  assert.equal((await call('POST', 'user', { json: { username: 'eve', password: victim } })).status, 200);
  assert.equal(await release(), 403);
  await logIn(call, 'eve', victim);
});

void test('names that change hands during a request: the password of the other account stays', async () => {
  const [dora, finn] = ['dora likes to paint old boats', 'finn keeps the bees of the farm'];
  await call('POST', 'user', { json: { username: 'dora', password: dora } });
  await call('POST', 'user', { json: { username: 'finn', password: finn } });
  const headers = bearer(await logIn(call, 'dora', dora));
  const token = await logIn(call, 'dora', dora);
  const release = await hold('POST', 'account/password', token, {
    oldPassword: finn,
    newPassword: 'quiet lemons at the break of day',
  });
  assert.equal((await call('PUT', 'user/dora', { headers, json: { username: 'dorothea' } })).status, 200);
  assert.equal((await call('PUT', 'user/finn', { headers: root, json: { username: 'dora' } })).status, 200);
  assert.equal(await release(), 404);
  await logIn(call, 'dora', finn);
  await logIn(call, 'dorothea', dora);
});

const from = (address: string) => ({ 'x-forwarded-for': address });

void test('username with separators of throttle keys: no other user is delayed', async () => {
  const right = { username: 'edna', password: PASSWORDS['edna'] };
  assert.equal((await call('POST', 'user/login', { headers: from('203.0.113.1'), json: right })).status, 200);
  for (const name of ['edna\n203.0.113.1', 'edna","203.0.113.1', 'password\nedna\n203.0.113.1']) {
    const json = { username: name, password: 'x' };
    for (let count = 0; count < 10; count++)
      assert.equal((await call('POST', 'user/login', { headers: from('203.0.113.2'), json })).status, 400);
  }
  assert.equal((await call('POST', 'user/login', { headers: from('203.0.113.1'), json: right })).status, 200);
});

void test('account that constantly changes its password: delays no login', async () => {
  const json = { password: PASSWORDS['vera'] };
  const headers = bearer(await logIn(call, 'vera'));
  const storm = Array.from({ length: 150 }, () => call('PUT', 'user/vera', { headers, json }).catch(() => undefined));
  // The first password is hashed, and the others wait.
  await Promise.race(storm);
  await logIn(call, 'root');
  await Promise.all(storm);
});

for (const host of ['a:b:c', 'a b', '[', '%', '127.0.0.1:99999999', '', 'a/b', 'a@b']) {
  void test(`malformed Host ${JSON.stringify(host)}: refused`, async () => {
    const lines = [
      'POST /v2/pet HTTP/1.1',
      `Host: ${host}`,
      'Origin: http://x',
      'Content-Length: 0',
      'Connection: close',
    ];
    const { text } = await rawExchange(service.origin, `${lines.join('\r\n')}\r\n\r\n`);
    assert.match(text, /^HTTP\/1\.1 400 /);
    assert.match(text, /"message":"[A-Z]/);
  });
}
