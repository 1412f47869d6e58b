import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pino } from 'pino';

import { deleteExpired } from '../../src/features/enquiries/domain/enquiry-administration.ts';
import { agedToken, ENQUIRY, OPEN_FORM } from '../support/enquiries.ts';
import { createPlayground } from '../support/playgrounds.ts';
import { bearer, logIn, startSecuredService } from '../support/secured.ts';
import { startComposed } from '../support/composed-service.ts';
import { openTables } from '../support/stored.ts';
import { startReceiver } from '../support/webhook-receiver.ts';
import { until } from '../support/until.ts';

/* Enquiries are personal data: no other interface has a part of them. */

const MARKER = 'Zaphodia';
const MARKED = {
  name: `Ada ${MARKER}`,
  email: `${MARKER}@example.org`,
  phone: `030 ${MARKER}`,
  message: `May ${MARKER} visit?`,
};

/** Everything that the public, staff or operators can read. */
const PUBLIC = [
  'pet/7',
  'pet/7/profile',
  'pet?text=rex',
  `pet?text=${MARKER}`,
  `suggestions?text=${MARKER}`,
  'export/pets?format=csv',
  'export/pet-history',
  'statistics',
  'openapi.json',
];
const OF_STAFF = ['pet/7/history', 'admin/audit?limit=1000', 'admin/system', 'admin/webhooks', 'admin/mail/dead'];
const PAGES = ['/', '/pet/7', '/llms.txt', '/feed.atom', '/sitemap.xml', '/metrics'];

void describe('privacy of enquiries', () => {
  void it('nothing of them is in other responses, logs, events, webhooks or metrics', async (t) => {
    const flags = ['--webhook-private-addresses'];
    const logged: string[] = [];
    const log = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) });
    const { call, origin, dataDir } = await startSecuredService(t, { log, flags, web: true, nodes: 1 });
    const receiver = await startReceiver(t);
    const root = { headers: bearer(await logIn(call, 'root')) };
    await call('POST', 'admin/webhooks', { ...root, json: { url: `${receiver.origin}/`, events: ['*'] } });
    await call('PUT', 'enquiry-settings', { ...root, json: OPEN_FORM });
    await call('POST', 'pet', { ...root, json: { id: 7, name: 'Rex', status: 'available' } });
    const { query } = await openTables(t, dataDir);
    const token = await agedToken(query, 7n);
    assert.equal((await call('POST', 'pet/7/enquiries', { json: { ...MARKED, token } })).status, 200);
    const listed = await call('GET', `enquiries?text=${MARKER}`, root);
    assert.match(listed.text, new RegExp(MARKER));
    const id = /"id":(\d+)/.exec(listed.text)?.[1] ?? assert.fail();
    await call('POST', `enquiries/${id}/notes`, { ...root, json: { text: `${MARKER} called` } });
    await call('PATCH', `enquiries/${id}`, { ...root, json: { state: 'closed', assignee: 'edna' } });
    await call('GET', `export/enquiries?email=${MARKER}%40example.org`, root);
    // The last event: when it has arrived, so have those before.
    await call('PATCH', 'pet/7', { ...root, json: { name: 'Rex II' } });
    await until('the events have arrived', async () => JSON.stringify(receiver.calls).includes('Rex II'));
    const events = await call('GET', 'events?lastEventId=0', { headers: { ...root.headers, 'last-event-id': '0' } });
    const responses = [events];
    for (const path of PUBLIC) responses.push(await call('GET', path));
    for (const path of OF_STAFF) responses.push(await call('GET', path, root));
    for (const path of PAGES) responses.push(await call('GET', `${origin}${path}`, root));
    for (const { text } of responses) assert.ok(!text.toLowerCase().includes(MARKER.toLowerCase()), text);
    await call('POST', 'enquiries/erase', { ...root, json: { email: MARKED.email } });
    const audit = await call('GET', 'admin/audit?action=enquiry', root);
    assert.match(audit.text, /enquiry\.erased/);
    for (const text of [audit.text, JSON.stringify(receiver.calls), ...logged])
      assert.ok(!text.toLowerCase().includes(MARKER.toLowerCase()), text);
    assert.ok(logged.some((line) => line.includes('/v2/enquiries')));
  });

  void it('the recorded requests of a playground have no bodies of them', async (t) => {
    let nowMs = Date.now();
    const flags = ['--access', 'sandbox'];
    const { call } = await startComposed(t, { flags, hasPlaygrounds: true, clock: () => nowMs });
    const playground = await createPlayground(call, { contents: 'samples', access: 'secured' });
    const admin = playground.users.find(({ role }) => role === 'admin') ?? assert.fail();
    const root = { headers: bearer(await logIn(playground.call, admin.username, admin.password)) };
    await playground.call('PUT', 'enquiry-settings', { ...root, json: OPEN_FORM });
    for (let count = 0; count < 2; count++) {
      const form = await playground.call('GET', 'pet/1/enquiry-form');
      nowMs += 10_000;
      const { token } = JSON.parse(form.text) as { token: string };
      const { status } = await playground.call('POST', 'pet/1/enquiries', { json: { ...ENQUIRY, ...MARKED, token } });
      assert.equal(status, 200);
    }
    const page = await playground.call('GET', `enquiries?text=${MARKER}&limit=1`, root);
    assert.ok(page.headers.get('link')?.includes(MARKER));
    await playground.call('POST', 'enquiries/erase', { ...root, json: { email: MARKED.email } });
    // No operation.
    await playground.call('PUT', `enquiries?email=${MARKER}`, { ...root, json: MARKED });
    await playground.call('POST', `pet/1/enquiries/?${MARKER}`, { json: MARKED });
    const recorded = await call('GET', `playgrounds/${playground.token}/requests`);
    assert.match(recorded.text, /sendEnquiry/);
    assert.match(recorded.text, /eraseEnquiries/);
    assert.ok(!recorded.text.includes(MARKER), recorded.text);
  });

  void it('they are deleted after the retention period', async (t) => {
    let nowMs = Date.now();
    const { call, composition, stores } = await startComposed(t, { clock: () => nowMs });
    await composition.enquiryAdministration.putSettings(
      { kind: 'operator', name: 'test' },
      { enabled: true, language: 'en', questions: [], retentionDays: 30 },
    );
    const { text } = await call('POST', 'pet', { json: { name: 'Rex', status: 'available' } });
    const petId = /\d+/.exec(text)?.[0] ?? assert.fail();
    const form = await call('GET', `pet/${petId}/enquiry-form`);
    const { token } = JSON.parse(form.text) as { token: string };
    nowMs += 4000;
    assert.equal((await call('POST', `pet/${petId}/enquiries`, { json: { ...ENQUIRY, token } })).status, 200);
    const count = async () => (await stores.enquiries.list({}, { beforeId: undefined, limit: 9 })).length;
    nowMs += 30 * 86_400_000 - 1;
    await deleteExpired(stores, nowMs, 100);
    assert.equal(await count(), 1);
    nowMs += 1;
    await deleteExpired(stores, nowMs, 100);
    assert.equal(await count(), 0);
  });
});
