import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { ignoreResponses } from '../support/documented-responses.ts';
import { storeEnquiry } from '../support/enquiries.ts';
import { bearer, createKey, logIn, startSecuredService } from '../support/secured.ts';
import { openTables } from '../support/stored.ts';

/* Values that a node of a later version has stored in the same database: shown as they are, never taken for others. */

ignoreResponses();

async function start(t: TestContext, flags: readonly string[] = []) {
  const service = await startSecuredService(t, { flags });
  const { query } = await openTables(t, service.dataDir);
  return { ...service, query, root: bearer(await logIn(service.call, 'root')) };
}

void test('later version: a role has no permission, and its account is protected like that of staff', async (t) => {
  const { call, query, root } = await start(t);
  await query(`update account set role = 'keeper' where username = 'otto'`);
  const otto = bearer(await logIn(call, 'otto'));
  assert.equal((await call('POST', 'pet', { headers: otto, json: { name: 'Rex' } })).status, 403);
  assert.equal((await call('GET', 'admin/users', { headers: otto })).status, 403);
  const { status, text } = await call('GET', 'admin/users', { headers: root });
  assert.equal(status, 200);
  assert.ok(text.includes('"role":"keeper"'), text);
  const similar = { username: 'οtto', password: 'twelve patient pelicans paint' };
  assert.equal((await call('POST', 'user', { json: similar })).status, 409, 'a name that looks like that of staff');
});

void test('later version: a scope of a key allows nothing, and an unknown one beside it changes nothing', async (t) => {
  const { call, query } = await start(t);
  const edna = await logIn(call, 'edna');
  const { key } = await createKey(call, edna, ['write:pets']);
  await query(`update api_key set scopes = 'write:everything'`);
  assert.equal((await call('POST', 'pet', { headers: bearer(key), json: { name: 'Rex' } })).status, 401);
  const listed = await call('GET', 'account/keys', { headers: bearer(edna) });
  assert.ok(listed.text.includes('write:everything'), listed.text);
});

void test('later version: the audit log, enquiries and webhooks show what they do not know', async (t) => {
  const { call, query, root } = await start(t);
  const webhook = { url: 'https://hooks.example.org/', events: ['pet.added'] };
  assert.equal((await call('POST', 'admin/webhooks', { headers: root, json: webhook })).status, 200);
  await query(`update webhook set events = 'pet.vaccinated'`);
  await query(`insert into audit (at_ms, via, action, outcome) values (1, 'web', 'pet.vaccinated', 'done')`);
  const enquiry = await storeEnquiry(query);
  await query(`update enquiry set state = 'visiting'`);
  await query(
    `insert into enquiry_entry (enquiry_id, number, kind, at_ms, text) values (${enquiry}, 1, 'call', 1, 'Called back')`,
  );
  const shown = async (path: string) => {
    const { status, text } = await call('GET', path, { headers: root });
    assert.equal(status, 200, `${path}: ${text}`);
    return text;
  };
  assert.ok((await shown('admin/audit')).includes('"action":"pet.vaccinated"'));
  assert.ok((await shown('admin/webhooks')).includes('pet.vaccinated'));
  assert.ok((await shown('enquiries')).includes('"state":"visiting"'));
  assert.ok((await shown(`enquiries/${enquiry}`)).includes('"kind":"call"'));
  const closed = await call('PATCH', `enquiries/${enquiry}`, {
    headers: { ...root, 'content-type': 'application/merge-patch+json' },
    json: { assignee: 'root' },
  });
  assert.equal(closed.status, 200, closed.text);
  assert.ok((await shown(`enquiries/${enquiry}`)).includes('"state":"visiting"'), 'another change keeps the state');
});
