import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agedTokenOf, ENQUIRY, formKeyIn } from '../support/enquiries.ts';
import { bearer, logIn, startSecuredService } from '../support/secured.ts';
import { startSmtpReceiver } from '../support/smtp-receiver.ts';
import { openTables } from '../support/stored.ts';
import { until } from '../support/until.ts';

/* A program that sends the form as fast as it can. */

const REQUESTS = 10_000;
const CONCURRENT = 50;
const PER_NETWORK = 20;

void test('10,000 enquiries from one address: the limit is stored and mailed, and others are served', async (t) => {
  const receiver = await startSmtpReceiver(t);
  const flags = [
    '--smtp-url',
    receiver.url,
    '--mail-from',
    'pets@example.org',
    '--public-url',
    'http://pets.example.org',
  ];
  const { call, dataDir } = await startSecuredService(t, { flags });
  const root = bearer(await logIn(call, 'root'));
  const settings = { enabled: true, recipient: 'office@example.org' };
  assert.equal((await call('PUT', 'enquiry-settings', { headers: root, json: settings })).status, 200);
  await call('POST', 'pet', { headers: root, json: { id: 7, name: 'Rex', status: 'available' } });
  const { query } = await openTables(t, dataDir);
  const formKey = await formKeyIn(query);
  const statuses = new Map<number, number>();
  let left = REQUESTS;
  const sendAll = async () => {
    while (left-- > 0) {
      const json = { ...ENQUIRY, email: `ada${left}@example.org`, token: agedTokenOf(formKey, 7n) };
      const { status } = await call('POST', 'pet/7/enquiries', { json });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (left % 500 === 0) assert.equal((await call('GET', 'pet/7')).status, 200);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, sendAll));
  assert.deepEqual(Object.fromEntries(statuses), { 200: PER_NETWORK, 429: REQUESTS - PER_NETWORK });
  const countRows = async (table: string) =>
    Number((await query(`select count(*) as rows from ${table}`))[0]?.['rows']);
  assert.equal(await countRows('enquiry'), PER_NETWORK);
  // A message to the shelter and one to the person, for each.
  const mails = await receiver.waitFor(2 * PER_NETWORK);
  assert.equal(mails.filter(({ recipients }) => recipients.includes('office@example.org')).length, PER_NETWORK);
  await until('the queue is empty', async () => (await countRows('mail')) === 0);
  assert.equal(receiver.received.length, 2 * PER_NETWORK);
});
