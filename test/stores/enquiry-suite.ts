import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type {
  EnquiryChange,
  EnquiryFilter,
  EnquiryStore,
  NewEnquiry,
} from '../../src/features/enquiries/domain/ports.ts';
import type { Quota } from '../../src/domain/accounts/throttle.ts';
import { createUsers, loginAccount, STAMP } from '../support/changes.ts';
import { testsOn, type OpenStores } from './open-stores.ts';

const DAY_MS = 86_400_000;

const ADA: NewEnquiry = {
  petId: 7n,
  petName: 'Rex',
  name: 'Ada',
  email: 'Ada@example.org',
  phone: undefined,
  message: 'May I visit?',
  answers: [{ id: 'garden', question: 'Garden?', answer: true }],
  language: 'de',
  formId: 'form 1',
};

let forms = 1;

function add(
  other: Partial<NewEnquiry> = {},
  more: Partial<Extract<EnquiryChange, { kind: 'add' }>> = {},
): EnquiryChange {
  const enquiry = { ...ADA, formId: `form ${++forms}`, ...other };
  return { kind: 'add', enquiry, quotas: [], messages: {}, stamp: STAMP, ...more };
}

function quota(key: string, most: number): Quota {
  return {
    key,
    name: key,
    message: 'Too many.',
    limit: { free: most, firstWaitMs: DAY_MS, maxWaitMs: DAY_MS, forgetAfterMs: DAY_MS },
  };
}

async function listed(enquiries: EnquiryStore, filter: EnquiryFilter = {}) {
  return enquiries.list(filter, { beforeId: undefined, limit: 100 });
}

async function namesOf(enquiries: EnquiryStore, filter: EnquiryFilter = {}): Promise<readonly string[]> {
  return (await listed(enquiries, filter)).map(({ name }) => name);
}

async function newestId(enquiries: EnquiryStore): Promise<bigint> {
  return (await listed(enquiries))[0]?.id ?? assert.fail();
}

export function describeEnquiries(openStores: OpenStores): void {
  const test = testsOn(openStores);
  void describe('enquiries', () => {
    test('an enquiry is returned as it was added, and its id is never used again', async ({ enquiries }) => {
      await enquiries.apply(add());
      const id = await newestId(enquiries);
      assert.equal(id, BigInt(STAMP.atMs));
      const { formId: _formId, ...sent } = ADA;
      assert.deepEqual(await enquiries.find(id), {
        ...sent,
        id,
        version: 1n,
        state: 'new',
        assignee: undefined,
        createdAtMs: STAMP.atMs,
        changedAtMs: STAMP.atMs,
        entries: [],
      });
      await enquiries.apply(add());
      assert.equal(await newestId(enquiries), id + 1n);
      assert.equal(await enquiries.find(1n), undefined);
    });

    test('new enquiries are counted, and others are not', async ({ enquiries }) => {
      assert.equal(await enquiries.countNew(), 0);
      await enquiries.apply(add());
      await enquiries.apply(add());
      assert.equal(await enquiries.countNew(), 2);
      await enquiries.apply({ kind: 'update', id: await newestId(enquiries), state: 'closed', stamp: STAMP });
      assert.equal(await enquiries.countNew(), 1);
    });

    test('a form is sent once', async ({ enquiries }) => {
      await enquiries.apply(add({ formId: 'one' }));
      await assert.rejects(enquiries.apply(add({ formId: 'one' })), { code: 'conflict' });
      assert.equal((await listed(enquiries)).length, 1);
    });

    test('concurrent enquiries stay within their quotas, which end after their time', async ({ enquiries }) => {
      const quotas = [quota('network', 3), quota('person', 5)];
      const outcomes = await Promise.allSettled(Array.from({ length: 50 }, () => enquiries.apply(add({}, { quotas }))));
      assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 3);
      for (const outcome of outcomes)
        if (outcome.status === 'rejected')
          assert.deepEqual(
            [(outcome.reason as { code: string }).code, (outcome.reason as { details: object }).details],
            [
              'too-many-requests',
              { retryAfterSeconds: 86_400, limit: { name: 'network', quota: 3, windowSeconds: 86_400 } },
            ],
          );
      const total = { ...quota('total', 1), name: undefined };
      await enquiries.apply(add({}, { quotas: [total] }));
      await assert.rejects(enquiries.apply(add({}, { quotas: [total] })), { code: 'unavailable' });
      const stamp = { ...STAMP, atMs: STAMP.atMs + DAY_MS };
      await enquiries.apply(add({}, { quotas, stamp }));
      assert.equal((await listed(enquiries)).length, 5);
    });

    test('messages are queued within their quotas, and deleted with the enquiry', async ({ enquiries, mail }) => {
      const messages = {
        notice: { recipient: 'office@example.org', language: 'en', quota: quota('notices', 2) },
        acknowledgement: { quota: quota('acknowledgements', 1) },
      };
      for (let count = 0; count < 3; count++) await enquiries.apply(add({}, { messages }));
      await enquiries.apply({ kind: 'answer', id: BigInt(STAMP.atMs), text: 'Yes', stamp: STAMP });
      assert.equal((await mail.readState()).waiting, 4);
      const claimed = await mail.apply({ kind: 'claim', nowMs: STAMP.atMs, untilMs: STAMP.atMs + 1, limit: 10 });
      assert.deepEqual(
        claimed.map(({ kind, recipient, details }) => [kind, recipient, details['language']].join(' ')).toSorted(),
        [
          'enquiry office@example.org en',
          'enquiry office@example.org en',
          'enquiry-answer Ada@example.org de',
          'enquiry-received Ada@example.org de',
        ],
      );
      for (const { details } of claimed) assert.ok(!JSON.stringify(details).includes('Ada'));
      assert.equal(await enquiries.apply({ kind: 'erase', email: 'ADA@EXAMPLE.ORG', stamp: STAMP }), 3);
      assert.equal((await mail.readState()).waiting, 0);
      assert.deepEqual(await listed(enquiries), []);
    });

    test('the spelling of a domain makes no difference to the address of a person', async ({ enquiries }) => {
      const spellings = ['ada@bücher.example', 'ada@XN--bcher-kva.example', 'ada@ｂücher.example'];
      for (const email of [...spellings, 'ada+1@bücher.example']) await enquiries.apply(add({ email }));
      for (const email of spellings) assert.equal((await listed(enquiries, { email })).length, spellings.length);
      assert.deepEqual(await listed(enquiries, { email: 'ada@bücher.example/' }), []);
      assert.equal(await enquiries.apply({ kind: 'erase', email: 'ADA@xn--bcher-kva.example', stamp: STAMP }), 3);
      assert.deepEqual(
        (await listed(enquiries)).map(({ email }) => email),
        ['ada+1@bücher.example'],
      );
    });

    test('filters select by state, pet, assignee, text and address, newest first', async ({ enquiries, users }) => {
      const [ada = 0n] = await users.apply(createUsers(loginAccount('edna', { role: 'editor' })));
      await enquiries.apply(add());
      await enquiries.apply(
        add({ name: 'Bob', email: 'bob@example.org', petId: 8n, petName: 'Ζεύς', message: '100%' }),
      );
      const bob = await newestId(enquiries);
      await enquiries.apply({ kind: 'update', id: bob, state: 'closed', assigneeId: ada, stamp: STAMP });
      assert.deepEqual(await namesOf(enquiries), ['Bob', 'Ada']);
      assert.deepEqual(await namesOf(enquiries, { state: 'new' }), ['Ada']);
      assert.deepEqual(await namesOf(enquiries, { petId: 8n }), ['Bob']);
      assert.deepEqual(await namesOf(enquiries, { assigneeId: ada }), ['Bob']);
      assert.deepEqual(await namesOf(enquiries, { assigneeId: null }), ['Ada']);
      assert.deepEqual(await namesOf(enquiries, { email: 'BOB@example.org' }), ['Bob']);
      assert.deepEqual(await namesOf(enquiries, { email: 'ob@example.org' }), []);
      for (const text of ['ΖΕΎΣ', '0%', 'OB@ex']) assert.deepEqual(await namesOf(enquiries, { text }), ['Bob'], text);
      assert.deepEqual(await namesOf(enquiries, { text: '_' }), []);
      const page = await enquiries.list({}, { beforeId: bob, limit: 1 });
      assert.deepEqual(
        page.map(({ name }) => name),
        ['Ada'],
      );
    });

    test('changes count up the version, and need the current one', async ({ enquiries, audit }) => {
      await enquiries.apply(add());
      const id = await newestId(enquiries);
      const precondition = { ifMatch: [{ weak: false, value: '1' }] };
      await enquiries.apply({ kind: 'note', id, text: 'First', precondition, stamp: STAMP });
      const stale = { id, precondition, stamp: STAMP };
      await assert.rejects(enquiries.apply({ kind: 'update', state: 'closed', ...stale }), {
        code: 'precondition-failed',
      });
      await assert.rejects(enquiries.apply({ kind: 'delete', ...stale }), { code: 'precondition-failed' });
      await enquiries.apply({ kind: 'answer', id, text: 'Second', stamp: STAMP });
      const { version, state, entries = [] } = (await enquiries.find(id)) ?? {};
      assert.deepEqual([version, state], [3n, 'answered']);
      assert.deepEqual(
        entries.map(({ number, kind, text }) => [number, kind, text]),
        [
          [1, 'note', 'First'],
          [2, 'answer', 'Second'],
        ],
      );
      await enquiries.apply({ kind: 'delete', id, stamp: STAMP });
      await assert.rejects(enquiries.apply({ kind: 'note', id, text: 'x', stamp: STAMP }), { code: 'not-found' });
      const audited = await audit.list({ action: 'enquiry' }, { beforeId: undefined, limit: 10 });
      assert.deepEqual(
        audited.map(({ action }) => action),
        ['enquiry.deleted', 'enquiry.answered', 'enquiry.noted'],
      );
      for (const text of ['Ada', 'Rex', 'First', 'Second'])
        assert.ok(!JSON.stringify(audited.map(({ details, subject }) => ({ details, subject }))).includes(text));
    });

    test('a deleted account is no assignee any more, and stays the author of its notes', async ({
      enquiries,
      users,
    }) => {
      const [accountId = 0n] = await users.apply(createUsers(loginAccount('edna', { role: 'editor' })));
      await enquiries.apply(add());
      const id = await newestId(enquiries);
      await enquiries.apply({ kind: 'update', id, assigneeId: accountId, stamp: STAMP });
      assert.deepEqual((await enquiries.find(id))?.assignee, 'edna');
      const author = { ...STAMP, actorId: accountId, actorName: 'edna' };
      await enquiries.apply({ kind: 'note', id, text: 'Note', stamp: author });
      await users.apply({ kind: 'delete', username: 'edna', stamp: STAMP });
      const { assignee, entries = [] } = (await enquiries.find(id)) ?? {};
      assert.equal(assignee, undefined);
      assert.deepEqual([entries[0]?.authorId, entries[0]?.authorName], [accountId, 'edna']);
      assert.deepEqual(await namesOf(enquiries, { assigneeId: null }), ['Ada']);
    });

    test('the oldest are forgotten first, with their entries', async ({ enquiries }) => {
      for (const day of [0, 1, 2])
        await enquiries.apply(add({ name: `Day ${day}` }, { stamp: { ...STAMP, atMs: STAMP.atMs + day * DAY_MS } }));
      await enquiries.apply({ kind: 'note', id: BigInt(STAMP.atMs), text: 'Note', stamp: STAMP });
      assert.equal(await enquiries.apply({ kind: 'forget', beforeMs: STAMP.atMs + DAY_MS, limit: 1 }), 1);
      assert.deepEqual(await namesOf(enquiries), ['Day 2', 'Day 1']);
      assert.equal(await enquiries.apply({ kind: 'forget', beforeMs: STAMP.atMs + DAY_MS, limit: 10 }), 1);
      assert.equal(await enquiries.apply({ kind: 'forget', beforeMs: STAMP.atMs + DAY_MS, limit: 10 }), 0);
      assert.deepEqual([...(await enquiries.listEntries([BigInt(STAMP.atMs)]))], []);
      assert.deepEqual(await namesOf(enquiries), ['Day 2']);
    });
  });
}
