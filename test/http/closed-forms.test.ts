import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Bootstrap } from '../../src/api/web/bootstrap.ts';
import { SAVED_SEARCH_LIMITS } from '../../src/features/saved-searches/domain/saved-search.ts';
import { fromAddress } from '../support/addresses.ts';
import { callAs } from '../support/client.ts';
import { agedToken, ENQUIRY, OPEN_FORM } from '../support/enquiries.ts';
import { bearer, logIn, startSecuredService } from '../support/secured.ts';
import { startSmtpReceiver } from '../support/smtp-receiver.ts';
import { openTables } from '../support/stored.ts';

/* The forms of visitors say that they are closed before a limit refuses what was typed. */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

async function start(t: TestContext) {
  const receiver = await startSmtpReceiver(t);
  let nowMs = Date.now();
  const mail = [
    '--smtp-url',
    receiver.url,
    '--mail-from',
    'pets@example.org',
    '--public-url',
    'http://pets.example.org',
  ];
  const flags = [...mail, '--trusted-proxies', '1'];
  const { call, origin, dataDir } = await startSecuredService(t, { clock: () => nowMs, nodes: 1, web: true, flags });
  const headers = bearer(await logIn(call, 'root'));
  const { query } = await openTables(t, dataDir);
  assert.equal((await call('PUT', 'enquiry-settings', { headers, json: OPEN_FORM })).status, 200);
  const added = await call('POST', 'pet', { headers, json: { name: 'Rex', status: 'available' } });
  const { id } = JSON.parse(added.text) as { id: number };
  let count = 0;
  return {
    query,
    now: () => nowMs,
    pass: (ms: number) => void (nowMs += ms),
    form: async (address: string) => {
      const { status, text } = await fromAddress(call, address)('GET', `pet/${id}/enquiry-form`);
      assert.equal(status, 200, text);
      return JSON.parse(text) as Record<string, unknown>;
    },
    send: async (address: string) => {
      const json = { ...ENQUIRY, email: `a${++count}@example.org`, token: await agedToken(query, BigInt(id), nowMs) };
      return (await fromAddress(call, address)('POST', `pet/${id}/enquiries`, { json })).status;
    },
    save: async (address: string) => {
      const json = { email: `a${++count}@example.org`, language: 'en', search: 'text=dog' };
      return (await fromAddress(call, address)('POST', 'saved-searches', { json })).status;
    },
    /** Whether the front page lets the client save a search. */
    savesSearches: async (address: string) => {
      const sent = { accept: 'text/html', 'x-forwarded-for': address };
      const { text } = await callAs(origin, 'GET', '', { headers: sent });
      const [, json] = /<script type="application\/json" id="bootstrap">(.*?)<\/script>/.exec(text) ?? [];
      const { mail: sends, closedForms = [] } = JSON.parse(json ?? assert.fail(text)) as Bootstrap;
      assert.equal(sends, true);
      return !closedForms.includes('saved-searches');
    },
  };
}

/** Fills each counter of all clients of a kind. */
async function fillTotals(query: Awaited<ReturnType<typeof start>>['query'], most: number): Promise<void> {
  await query(`update counted_failures set count = ${most} where count = (select max(count) from counted_failures)`);
}

void describe('closed forms: enquiries', () => {
  void it('a network that has sent its enquiries of a day reads that, others do not, and reading counts nothing', async (t) => {
    const { form, send, now, pass } = await start(t);
    for (let sent = 0; sent < 20; sent++) {
      assert.equal((await form('10.1.1.1'))['isOpen'], true);
      assert.equal(await send('10.1.1.1'), 200);
    }
    assert.deepEqual(await form('10.1.1.1'), {
      isOpen: false,
      closedUntil: new Date(now() + DAY_MS).toISOString(),
      minSeconds: 3,
      questions: [],
    });
    assert.equal(await send('10.1.1.1'), 429);
    assert.equal((await form('10.2.1.1'))['isOpen'], true);
    pass(DAY_MS);
    assert.equal((await form('10.1.1.1'))['isOpen'], true);
    assert.equal(await send('10.1.1.1'), 200);
  });

  void it('it is open for a wide network as long as the service takes its enquiries', async (t) => {
    const { form, send } = await start(t);
    const states: unknown[] = [];
    for (let sent = 0; sent < 30; sent++) {
      const address = `10.1.1.${sent}`;
      const { isOpen } = await form(address);
      assert.equal(await send(address), isOpen === true ? 200 : 429);
      states.push(isOpen);
    }
    assert.deepEqual(states, [...Array<boolean>(23).fill(true), ...Array<boolean>(7).fill(false)]);
  });

  void it('with those of all clients used up, it is closed for everyone', async (t) => {
    const { form, send, query } = await start(t);
    assert.equal(await send('10.1.1.1'), 200);
    await fillTotals(query, 500);
    const { isOpen, closedUntil, token } = await form('10.2.1.1');
    assert.deepEqual([isOpen, typeof closedUntil, token], [false, 'string', undefined]);
    assert.equal(await send('10.2.1.1'), 503);
  });
});

void describe('closed forms: saved searches', () => {
  void it('a network that has caused its messages of an hour reads that in the page, and others do not', async (t) => {
    const { save, savesSearches, pass } = await start(t);
    for (let sent = 0; sent < 20; sent++) assert.equal(await save('10.1.1.1'), 200);
    assert.equal(await save('10.1.1.1'), 429);
    assert.equal(await savesSearches('10.1.1.1'), false);
    assert.equal(await savesSearches('10.2.1.1'), true);
    pass(HOUR_MS);
    assert.equal(await savesSearches('10.1.1.1'), true);
    assert.equal(await save('10.1.1.1'), 200);
  });

  void it('with the messages of all clients used up, or as many searches as the service stores, nobody can', async (t) => {
    const { save, savesSearches, query, now } = await start(t);
    assert.equal(await savesSearches('10.2.1.1'), true);
    assert.equal(await save('10.1.1.1'), 200);
    await fillTotals(query, 1000);
    assert.deepEqual([await savesSearches('10.2.1.1'), await save('10.2.1.1')], [false, 503]);
    await query('delete from counted_failures');
    assert.equal(await savesSearches('10.2.1.1'), true);
    await query(
      `with recursive number (n) as (select 1 union all select n + 1 from number where n < ${SAVED_SEARCH_LIMITS.total})
       insert into saved_search (id, email, email_key, language, search, created_at_ms, ends_at_ms, seen_version, next_at_ms)
       select 's' || n, 'b@example.org', 'b@example.org', 'en', 'text=' || n, ${now()}, ${now() + DAY_MS}, 1, ${now()}
       from number`,
    );
    assert.deepEqual([await savesSearches('10.2.1.1'), await save('10.2.1.1')], [false, 503]);
  });
});
