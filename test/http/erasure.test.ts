import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { agedToken, ENQUIRY, OPEN_FORM } from '../support/enquiries.ts';
import { bearer, logIn, newSecuredFolder, startSecuredService } from '../support/secured.ts';
import { startSmtpReceiver } from '../support/smtp-receiver.ts';
import { dropDatabaseOf } from '../support/nodes.ts';
import { removeFolder } from '../support/service.ts';
import { openTables, type StoredTables } from '../support/stored.ts';
import { until } from '../support/until.ts';

/*
 * Everything of a person is erased, however the address was typed: afterwards, no column of any table has it in any
 * form.
 */

const SPELLINGS = [
  'ada@bücher.example',
  'Ada@BU\u0308CHER.example',
  'ada@xn--bcher-kva.example',
  'ADA@XN--BCHER-KVA.EXAMPLE',
  'ada@ｂücher.example',
];

const ENGINES = { SQLite: false, PostgreSQL: true } as const;

for (const [engine, onPostgres] of Object.entries(ENGINES)) {
  void test(`erasure on ${engine}: a person is in no column of any table`, async (t) => {
    const { call, root, receiver, tables } = await start(t, onPostgres);
    await call('PUT', 'enquiry-settings', { headers: root, json: OPEN_FORM });
    await call('POST', 'pet', { headers: root, json: { id: 7, name: 'Rex', status: 'available' } });
    receiver.behave(550);
    for (const [index, email] of SPELLINGS.entries()) {
      const token = await agedToken(tables.query, 7n);
      const enquiry = { ...ENQUIRY, email, message: `Write to ${email}`, token };
      assert.equal((await call('POST', 'pet/7/enquiries', { json: enquiry })).status, 200);
      const search = { email, language: 'en', search: `text=pet${index}` };
      assert.equal((await call('POST', 'saved-searches', { json: search })).status, 200);
    }
    await withOutdatedKeys(tables);
    await until(
      'messages are dead',
      async () => (await countOf(tables, "mail where dead = 1 and kind like 'search-%'")) > 0,
    );
    assert.notDeepEqual(await placesOf(tables), []);
    const [email] = SPELLINGS;
    const found = await call('GET', `saved-searches?email=${encodeURIComponent(email ?? '')}`, { headers: root });
    assert.notEqual(found.text, '[]');
    for (const path of ['enquiries/erase', 'saved-searches/erase'])
      assert.equal((await call('POST', path, { headers: root, json: { email } })).status, 200);
    assert.deepEqual(await placesOf(tables), []);
  });

  void test(`erasure on ${engine}: a deleted account leaves no address`, async (t) => {
    const { call, root, receiver, tables } = await start(t, onPostgres);
    const [first = '', second = '', ascii = ''] = SPELLINGS;
    const vera = bearer(await logIn(call, 'vera'));
    const setAddress = (email: string) =>
      call('PUT', 'user/vera', { headers: vera, json: { username: 'vera', email, userStatus: 2 } });
    assert.equal((await setAddress(first)).status, 200);
    const [mail] = await receiver.waitFor(1);
    const token = /#([\w-]{43})/.exec(mail?.text ?? '')?.[1];
    assert.equal((await call('POST', 'email-confirmation', { json: { token } })).status, 200);
    receiver.behave({ status: 550, text: `No mailbox ${ascii}` });
    assert.equal((await call('POST', 'password-reset-request', { json: { email: second } })).status, 200);
    assert.equal((await setAddress('vera@example.org')).status, 200);
    assert.equal((await setAddress(first)).status, 200);
    await until(
      'messages are dead',
      async () => (await countOf(tables, "mail where dead = 1 and kind = 'password-reset'")) > 0,
    );
    assert.equal((await call('DELETE', 'user/vera', { headers: root })).status, 200);
    assert.deepEqual(await placesOf(tables), []);
  });
}

async function start(t: TestContext, onPostgres: boolean) {
  const receiver = await startSmtpReceiver(t);
  const mail = ['--smtp-url', receiver.url, '--mail-from', 'pets@example.org'];
  const dataDir = await newSecuredFolder({ onPostgres });
  const flags = [...mail, '--public-url', 'http://pets.example.org'];
  const service = await startSecuredService(t, { dataDir, flags, nodes: 1 });
  t.after(async () => {
    await service.stop();
    await dropDatabaseOf(dataDir);
    await removeFolder(dataDir);
  });
  const { call } = service;
  return { call, receiver, root: bearer(await logIn(call, 'root')), tables: await openTables(t, dataDir) };
}

/** As a node of an earlier version has written them: in lower case, with the domain as it was typed. */
async function withOutdatedKeys({ query }: StoredTables): Promise<void> {
  for (const { id, email } of await query('select id, email from saved_search')) {
    const key = String(email).normalize('NFC').toLowerCase();
    await query('update saved_search set email_key = $1 where id = $2', key, String(id));
  }
}

async function countOf({ query }: StoredTables, from: string): Promise<number> {
  return Number((await query(`select count(*) as rows from ${from}`))[0]?.['rows']);
}

/** The columns that have the address in any form. */
async function placesOf({ query, tables }: StoredTables): Promise<readonly string[]> {
  const places = new Set<string>();
  for (const table of await tables())
    for (const row of await query(`select * from "${table}"`))
      for (const [column, value] of Object.entries(row)) if (isIn(textOf(value))) places.add(`${table}.${column}`);
  return [...places];
}

function textOf(value: unknown): string {
  return value instanceof Uint8Array
    ? Buffer.from(value).toString()
    : Array.isArray(value)
      ? value.join('\n')
      : String(value);
}

function isIn(text: string): boolean {
  const known = text.normalize('NFKC').toLowerCase();
  return ['ada@bücher', 'ada@xn--bcher-kva', 'bu\u0308cher', 'bücher', 'xn--bcher'].some((form) =>
    known.includes(form),
  );
}
