import assert from 'node:assert/strict';
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, describe, it, type TestContext } from 'node:test';
import { ENDPOINTS, type OperationId } from '../../src/api/endpoints.ts';
import { tokens } from '../../src/services/crypto/secrets.ts';
import { putPet, STAMP } from '../support/changes.ts';
import { startComposed } from '../support/composed-service.ts';
import { ENQUIRY } from '../support/enquiries.ts';
import { openConnection } from '../support/connection.ts';
import { skipOperation, skipWithoutPlaygrounds } from '../support/nodes.ts';
import { createPlayground } from '../support/playgrounds.ts';
import { bearer, logIn, newSecuredFolder } from '../support/secured.ts';
import { overriding } from '../support/overriding.ts';
import { until } from '../support/until.ts';

/*
 * Every operation that streams records takes turns with all others: while eight lists wait for the database, it makes
 * no progress, and other requests get responses.
 */

const MAX_CONCURRENT = 8;
const LISTS = 20;

const LIST = '/v2/pet/findByStatus?status=sold';
const ROUND_TRIPS = 20;

interface StreamRequest {
  path: string | (() => string);
  headers?: Record<string, string>;
  record: RegExp;
}

let playground = '';
const recorded = (path: string) => ({
  path: () => `/v2/playgrounds/${playground}/${path}`,
  record: /getPetById|pet\/1/,
});
const FEED_KEY = 'mgf_of_this_test';

/** The request of each operation, and what its response has once it makes progress. */
const REQUESTS: Partial<Record<OperationId, StreamRequest>> = {
  findPetsByStatus: { path: '/v2/pet/findByStatus?status=pending', record: /"name":"Rex"/ },
  findPetsByTags: { path: '/v2/pet/findByTags?tags=calm', record: /"name":"Rex"/ },
  exportPets: { path: '/v2/export/pets', record: /"name":"Rex"/ },
  getListingFeed: { path: `/v2/feeds/open/pets.json?key=${FEED_KEY}`, record: /"name":"Rex"/ },
  exportEnquiries: { path: '/v2/export/enquiries', record: /May I visit Rex/ },
  exportPetHistory: { path: '/v2/export/pet-history', record: /"name":"Rex"/ },
  streamEvents: { path: '/v2/events', headers: { 'last-event-id': '0' }, record: /"name":"Rex"/ },
  listAuditEntries: {
    path: '/v2/admin/audit',
    headers: { accept: 'application/x-ndjson' },
    record: /"logged in"|"action"/,
  },
  listPlaygroundRequests: recorded('requests'),
  exportPlaygroundRequests: recorded('requests/har'),
};

let blocked = 0;
let gate: Promise<void> | undefined;
const { origin, base, call, stores } = await startComposed(
  { after },
  {
    flags: ['--access', 'secured'],
    newFolder: () => newSecuredFolder(),
    hasPlaygrounds: true,
    change: ({ pets }) => ({
      pets: overriding(pets, {
        listByStatus: async (statuses, page) => {
          blocked++;
          await gate;
          return pets.listByStatus(statuses, page);
        },
      }),
    }),
  },
);
const root = bearer(await logIn(call, 'root'));
if (skipWithoutPlaygrounds() === false) {
  const created = await createPlayground(call, {}, root);
  playground = created.token;
  await created.call('GET', 'pet/1');
}
await stores.enquiries.apply({
  kind: 'add',
  enquiry: { ...ENQUIRY, petId: 1n, petName: 'Rex', phone: undefined, answers: [], language: 'en', formId: '1' },
  quotas: [],
  messages: {},
  stamp: STAMP,
});
const openListing = { site: 'open', stamp: STAMP } as const;
await stores.listings.apply({ ...openListing, kind: 'switch', isOn: true });
await stores.listings.apply({ ...openListing, kind: 'set-key', digest: tokens.digest(FEED_KEY) });
for (const status of ['sold', 'pending'] as const)
  await stores.pets.apply(putPet({ name: 'Rex', status, tags: [{ id: 1n, name: 'calm' }] }));

/** Lists that have taken all turns, and wait for the database until `release` is called. */
async function takeAllTurns(t: TestContext) {
  const opened = Promise.withResolvers<void>();
  [blocked, gate] = [0, opened.promise];
  const release = () => {
    gate = undefined;
    opened.resolve();
  };
  t.after(release);
  const lists = Array.from({ length: LISTS }, async () => text(await open(LIST)));
  await until('all turns are taken', async () => blocked >= MAX_CONCURRENT);
  return { lists, release };
}

function open(path: string, headers: Record<string, string> = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(origin + path, { headers, agent: false }, resolve).on('error', reject);
  });
}

void describe('streams of records', () => {
  void it('every one of the endpoint table has a request here', () => {
    const streaming = Object.entries(ENDPOINTS).filter(([, { streams }]) => streams === 'records');
    assert.deepEqual(Object.keys(REQUESTS).toSorted(), streaming.map(([id]) => id).toSorted());
  });

  for (const [operation, { path, headers, record }] of Object.entries(REQUESTS))
    void it(
      `${operation}: waits for its turn, and other requests do not`,
      { skip: skipOperation(operation) },
      async (t) => {
        const { lists, release } = await takeAllTurns(t);
        let received = '';
        const streamed = open(typeof path === 'string' ? path : path(), { ...root, ...headers }).then((response) => {
          t.after(() => response.destroy());
          return response.setEncoding('utf8').on('data', (chunk: string) => (received += chunk));
        });
        const reading = openConnection(base);
        t.after(() => reading.close());
        for (let count = 0; count < ROUND_TRIPS; count++) {
          assert.equal((await reading.call('GET', 'pet/1')).status, 200);
          assert.equal((await reading.call('GET', '../livez')).status, 200);
        }
        assert.doesNotMatch(received, record);
        assert.equal(blocked, MAX_CONCURRENT);
        release();
        await until('its records', async () => record.test(received));
        assert.equal((await streamed).statusCode, 200);
        for (const list of lists) assert.match(await list, /"name":"Rex"/);
      },
    );
});
