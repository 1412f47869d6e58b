import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createAddresses, fromAddress } from '../support/addresses.ts';
import {
  assertResponse,
  assertRefused,
  errorText,
  successText,
  type HttpResponse,
  type Call,
} from '../support/client.ts';
import { openConnection } from '../support/connection.ts';
import { newFolderOnDatabaseOf } from '../support/nodes.ts';
import {
  bearer,
  createKey,
  logIn,
  newSecuredFolder,
  PASSWORDS,
  startSecuredService,
  tokenOf,
} from '../support/secured.ts';
import { removeFolder } from '../support/service.ts';

/* Two servers on one database, like two nodes: a change at one is visible to the next request at the other. */

const HOUR_MS = 3_600_000;
const SECOND_MS = 1000;
const LIMIT = 40;
const WRONG = 'not the password of anybody here';
const NEW_PASSWORD = 'twelve green parrots read the news';

let nowMs = Date.UTC(2026, 0, 15, 12, 20, 0);
/** How far the clock of the second server is behind. */
let secondLagMs = 0;
const flags = ['--trusted-proxies', '1'];
const config = { sessions: { requestsPerHour: LIMIT } };

const firstFolder = await newSecuredFolder();
const secondFolder = await newFolderOnDatabaseOf(firstFolder);
const file = {
  after: (end: () => Promise<void>) => {
    after(end);
  },
};
const first = await startSecuredService(file, { dataDir: firstFolder, nodes: 1, flags, config, clock: () => nowMs });
const second = await startSecuredService(file, {
  dataDir: secondFolder,
  nodes: 1,
  flags,
  config,
  clock: () => nowMs - secondLagMs,
});
after(async () => {
  await Promise.all([first.stop(), second.stop()]);
  for (const folder of [firstFolder, secondFolder]) await removeFolder(folder);
});

const pairs = [
  ['the first', first.call, second.call],
  ['the second', second.call, first.call],
] as const;
const nextAddress = createAddresses();

/** Each test has its own account. */
let madeCount = 0;
async function newViewer(password = NEW_PASSWORD): Promise<string> {
  const username = `viewer-${++madeCount}`;
  const headers = bearer(await logIn(first.call, 'root'));
  assert.equal((await first.call('POST', 'user', { headers, json: { username, password } })).status, 200);
  return username;
}

async function statusOf(call: Call, secret: string, path = 'account'): Promise<number> {
  return (await call('GET', path, { headers: bearer(secret) })).status;
}

function writePet(call: Call, secret: string): Promise<HttpResponse> {
  return call('POST', 'pet', { headers: bearer(secret), json: { name: 'Rex' } });
}

function atNextHour(): void {
  nowMs = (Math.floor(nowMs / HOUR_MS) + 1) * HOUR_MS;
}

for (const [title, here, there] of pairs) {
  void test(`login and logout at ${title}: valid at the other`, async () => {
    const token = await logIn(here, 'vera');
    assert.equal(await statusOf(there, token), 200);
    assert.equal(await statusOf(here, token), 200);
    assertResponse(await here('GET', 'user/logout', { headers: bearer(token) }), 200, successText('ok'));
    assert.equal(await statusOf(there, token), 401);
    assert.equal(await statusOf(here, token), 401);
  });

  void test(`role set at ${title}: applies at the other, up and down`, async () => {
    const username = await newViewer();
    const token = tokenOf(await there('POST', 'user/login', { json: { username, password: NEW_PASSWORD } }));
    const headers = bearer(await logIn(here, 'root'));
    const setRole = async (role: string) =>
      assert.equal((await here('PUT', `admin/users/${username}/role`, { headers, json: { role } })).status, 200);
    assert.equal((await writePet(there, token)).status, 403);
    await setRole('editor');
    assert.equal((await writePet(there, token)).status, 200);
    const { key } = await createKey(there, token, ['write:pets']);
    assert.equal((await writePet(there, key)).status, 200);
    await setRole('viewer');
    assert.equal((await writePet(there, token)).status, 403);
    assert.equal((await writePet(there, key)).status, 401);
    await setRole('admin');
    assert.equal(await statusOf(there, token, 'admin/users'), 200);
    await setRole('viewer');
    assert.equal(await statusOf(there, token, 'admin/users'), 403);
  });

  void test(`account closed at ${title}: closed at the other`, async () => {
    const username = await newViewer();
    const json = { username, password: NEW_PASSWORD };
    const token = tokenOf(await there('POST', 'user/login', { json }));
    const headers = bearer(await logIn(here, 'root'));
    assert.equal(
      (await here('PUT', `admin/users/${username}/role`, { headers, json: { role: 'editor' } })).status,
      200,
    );
    const { key } = await createKey(there, token, ['write:pets']);
    assert.equal((await writePet(there, key)).status, 200);
    assert.equal((await here('POST', `admin/users/${username}/close`, { headers })).status, 200);
    assert.equal(await statusOf(there, token), 401);
    assert.equal((await writePet(there, key)).status, 401);
    assertResponse(await there('POST', 'user/login', { json }), 400, errorText('Invalid username/password supplied'));
    assert.equal((await here('POST', `admin/users/${username}/reopen`, { headers })).status, 200);
    assert.equal(await statusOf(there, token), 401);
    tokenOf(await there('POST', 'user/login', { json }));
    assert.equal((await here('DELETE', `user/${username}`, { headers })).status, 200);
    assert.equal((await there('POST', 'user/login', { json })).status, 400);
    assert.equal((await writePet(there, key)).status, 401);
  });

  void test(`key revoked at ${title}: revoked at the other`, async () => {
    const token = await logIn(there, 'edna');
    const [own, others] = [
      await createKey(there, token, ['write:pets']),
      await createKey(there, token, ['write:pets']),
    ];
    for (const { key } of [own, others]) {
      assert.equal((await writePet(there, key)).status, 200);
      assert.equal((await writePet(here, key)).status, 200);
    }
    assert.equal((await here('DELETE', `account/keys/${own.id}`, { headers: bearer(token) })).status, 200);
    assert.equal((await writePet(there, own.key)).status, 401);
    const root = bearer(await logIn(here, 'root'));
    assert.equal((await here('DELETE', `admin/keys/${others.id}`, { headers: root })).status, 200);
    assert.equal((await writePet(there, others.key)).status, 401);
  });

  void test(`password changed at ${title}: changed at the other, where the other sessions end`, async () => {
    const username = await newViewer();
    const begin = async (call: Call, password: string) =>
      tokenOf(await call('POST', 'user/login', { json: { username, password } }));
    const [own, other] = [await begin(here, NEW_PASSWORD), await begin(there, NEW_PASSWORD)];
    const root = bearer(await logIn(there, 'root'));
    const issued = await there('POST', `admin/users/${username}/reset-link`, { headers: root });
    const newPassword = 'eleven blue parrots read the news';
    const changed = await here('POST', 'account/password', {
      headers: bearer(own),
      json: { oldPassword: NEW_PASSWORD, newPassword },
    });
    assert.equal(changed.status, 200, changed.text);
    assert.equal(await statusOf(there, other), 401);
    assert.equal(await statusOf(there, own), 200);
    assert.equal((await there('POST', 'user/login', { json: { username, password: NEW_PASSWORD } })).status, 400);
    await begin(there, newPassword);
    const { token } = JSON.parse(issued.text) as { token: string };
    assertRefused(await there('POST', 'password-reset', { json: { token, newPassword: NEW_PASSWORD } }), 400);
  });
}

void test('reset link: works once, at either server', async () => {
  const username = await newViewer();
  const headers = bearer(await logIn(first.call, 'root'));
  const issued = await first.call('POST', `admin/users/${username}/reset-link`, { headers });
  const { token } = JSON.parse(issued.text) as { token: string };
  const passwords = ['five red parrots read the news', 'nine grey parrots read the news'];
  const responses = await Promise.all(
    [first, second].map(({ call }, index) =>
      call('POST', 'password-reset', { json: { token, newPassword: passwords[index] } }),
    ),
  );
  assert.deepEqual(
    responses.map(({ status }) => status).toSorted((one, other) => one - other),
    [200, 400],
  );
  const winner = responses.findIndex(({ status }) => status === 200);
  tokenOf(await first.call('POST', 'user/login', { json: { username, password: passwords[winner] } }));
  assert.equal(
    (await second.call('POST', 'user/login', { json: { username, password: passwords[1 - winner] } })).status,
    400,
  );
});

function guess(call: Call, address: string, password = WRONG): Promise<HttpResponse> {
  return fromAddress(call, address)('POST', 'user/login', { json: { username: 'otto', password } });
}

void test('failed and successful logins: counted at both together', async () => {
  const address = nextAddress();
  for (let count = 0; count < 10; count++)
    assert.equal((await guess(count % 2 === 0 ? first.call : second.call, address)).status, 400);
  for (const seconds of [1, 2, 4]) {
    for (const { call } of [first, second]) {
      const response = await guess(call, address, PASSWORDS['otto']);
      assertRefused(response, 429);
      assert.equal(response.headers.get('retry-after'), String(seconds));
    }
    nowMs += seconds * SECOND_MS;
    assert.equal((await guess(seconds === 2 ? first.call : second.call, address)).status, 400);
  }
  nowMs += 8 * SECOND_MS;
  tokenOf(await guess(second.call, address, PASSWORDS['otto']));
  for (const { call } of [first, second]) assert.equal((await guess(call, address)).status, 400);
});

void test('concurrent guesses at both: limited together', async () => {
  const address = nextAddress();
  const responses = await Promise.all(
    Array.from({ length: 100 }, (_, index) => guess(index % 2 === 0 ? first.call : second.call, address)),
  );
  const tried = responses.filter(({ status }) => status === 400).length;
  assert.ok(responses.every(({ status }) => status === 400 || status === 429));
  // Each server admits several concurrent attempts before a failure is counted.
  assert.ok(tried >= 10 && tried <= 20, `${tried} were tried`);
});

void test('rate limit of a session: counts requests at both together', async (t) => {
  atNextHour();
  const connections = [first, second].map(({ base }) => openConnection(base, { connections: 25 }));
  t.after(async () => connections.forEach(({ close }) => close()));
  const token = await logIn(first.call, 'vera');
  const { key } = await createKey(first.call, await logIn(second.call, 'edna'), ['read:pets']);
  for (const secret of [token, key]) {
    const responses = await Promise.all(
      Array.from({ length: 3 * LIMIT }, (_, index) =>
        (connections[index % 2] ?? assert.fail()).call('GET', 'pet/findByStatus?status=sold', {
          headers: bearer(secret),
        }),
      ),
    );
    assert.equal(responses.filter(({ status }) => status === 200).length, LIMIT);
    assert.equal(responses.filter(({ status }) => status === 429).length, 2 * LIMIT);
    for (const { call } of [first, second]) assert.equal(await statusOf(call, secret), 429);
  }
  atNextHour();
  for (let count = 0; count < LIMIT; count++)
    assert.equal(await statusOf(count % 3 === 0 ? first.call : second.call, token), 200);
  for (const { call } of [first, second]) assert.equal(await statusOf(call, token), 429);
});

void test('concurrent sign-ups with one name: exactly one succeeds', async () => {
  for (let round = 0; round < 5; round++) {
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        fromAddress(index % 2 === 0 ? first.call : second.call, nextAddress())('POST', 'user', {
          // In different cases.
          json: { username: index % 3 === 0 ? `ONLY-${round}` : `only-${round}`, firstName: `number ${index}` },
        }),
      ),
    );
    const statuses = responses.map(({ status }) => status).toSorted((one, other) => one - other);
    assert.deepEqual(statuses, [200, ...Array.from({ length: 9 }, () => 409)]);
    const winner = responses.findIndex(({ status }) => status === 200);
    const headers = bearer(await logIn(first.call, 'root'));
    for (const { call } of [first, second]) {
      const { text } = await call('GET', `user/only-${round}`, { headers });
      const user = JSON.parse(text) as { id: number; firstName: string };
      assert.equal(user.firstName, `number ${winner}`);
      assert.equal(responses[winner]?.text, successText(String(user.id)));
    }
  }
});

void test('ids: never reused for users and pets, deleted or not', async () => {
  atNextHour();
  const [root, edna] = [bearer(await logIn(first.call, 'root')), bearer(await logIn(second.call, 'edna'))];
  const userIds: string[] = [];
  const petIds: string[] = [];
  for (let round = 0; round < 3; round++) {
    await Promise.all(
      Array.from({ length: 10 }, async (_, index) => {
        const call = index % 2 === 0 ? first.call : second.call;
        const json = { username: `id-${round}-${index}` };
        const user = await fromAddress(call, nextAddress())('POST', 'user', { json });
        assert.equal(user.status, 200, user.text);
        userIds.push((JSON.parse(user.text) as { message: string }).message);
        const pet = await call('POST', 'pet', { headers: edna, json: { name: 'Rex' } });
        assert.equal(pet.status, 200, pet.text);
        petIds.push(/^\{"id":(\d+),/.exec(pet.text)?.[1] ?? assert.fail(pet.text));
      }),
    );
    assert.equal((await second.call('DELETE', `user/id-${round}-0`, { headers: root })).status, 200);
    assert.equal((await first.call('DELETE', `pet/${petIds.at(-1)}`, { headers: edna })).status, 200);
  }
  for (const ids of [userIds, petIds]) {
    assert.equal(ids.length, 30);
    assert.equal(new Set(ids).size, 30);
  }
});

void test('audit log: has the entries of both, each once', async () => {
  atNextHour();
  const token = await logIn(first.call, 'edna');
  const since = new Date(nowMs).toISOString();
  await Promise.all(
    Array.from({ length: 20 }, (_, index) => writePet(index % 2 === 0 ? first.call : second.call, token)),
  );
  const headers = bearer(await logIn(first.call, 'root'));
  for (const { call } of [first, second]) {
    const { text } = await call('GET', `admin/audit?limit=1000&action=pet.added&since=${since}`, { headers });
    const entries = JSON.parse(text) as { id: number; subject: { id: string } }[];
    assert.equal(entries.length, 20);
    assert.equal(new Set(entries.map(({ subject }) => subject.id)).size, 20);
    assert.equal(new Set(entries.map(({ id }) => id)).size, 20);
  }
});

void test('clock slightly behind: the rate limit of an hour still holds', async () => {
  atNextHour();
  const token = await logIn(first.call, 'vera');
  atNextHour();
  secondLagMs = SECOND_MS;
  let succeeded = 0;
  for (let count = 0; count < 4 * LIMIT; count++) {
    const status = await statusOf(count % 2 === 0 ? first.call : second.call, token);
    if (status === 200) succeeded++;
    else assert.equal(status, 429);
  }
  secondLagMs = 0;
  // The new hour of one server, and the current hour of the other.
  assert.ok(succeeded <= 2 * LIMIT, `${succeeded} requests succeeded`);
});

void test('last administrator: one of two remains, through either server', async () => {
  const root = bearer(await logIn(first.call, 'root'));
  const username = await newViewer();
  const promoted = { headers: root, json: { role: 'admin' } };
  assert.equal((await second.call('PUT', `admin/users/${username}/role`, promoted)).status, 200);
  const other = bearer(
    tokenOf(await second.call('POST', 'user/login', { json: { username, password: NEW_PASSWORD } })),
  );
  const demoted = { role: 'viewer' };
  const responses = await Promise.all([
    first.call('PUT', `admin/users/${username}/role`, { headers: root, json: demoted }),
    second.call('PUT', 'admin/users/root/role', { headers: other, json: demoted }),
  ]);
  const statuses = responses.map(({ status }) => status).toSorted((one, other) => one - other);
  // The second is no longer an administrator: by its headers (403), in its transaction (401), or as the last one (409).
  assert.equal(statuses[0], 200);
  assert.ok([401, 403, 409].includes(statuses[1] ?? 0), String(statuses[1]));
  const survivor = responses[0]?.status === 200 ? root : other;
  assert.equal((await second.call('GET', 'admin/users', { headers: survivor })).status, 200);
});
