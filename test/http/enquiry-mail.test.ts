import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { HttpResponse } from '../support/client.ts';
import { agedToken, ENQUIRY } from '../support/enquiries.ts';
import { bearer, logIn, startSecuredService } from '../support/secured.ts';
import { startSmtpReceiver, type ReceivedMail } from '../support/smtp-receiver.ts';
import { openTables } from '../support/stored.ts';
import { until } from '../support/until.ts';

/* The messages about enquiries, read back from an SMTP server. */

const SITE = 'http://pets.example.org';
const OFFICE = 'office@example.org';
const HOUR_MS = 3_600_000;

const QUESTION = { id: 'garden', text: { en: 'A garden?', de: 'Ein Garten?' }, type: 'yes-no' };

async function start(t: TestContext, settings: object = { recipient: OFFICE }, access = 'secured') {
  let nowMs = Date.now();
  const receiver = await startSmtpReceiver(t);
  const flags = [
    '--access',
    access,
    '--smtp-url',
    receiver.url,
    '--mail-from',
    'pets@example.org',
    '--public-url',
    SITE,
  ];
  const service = await startSecuredService(t, { flags, clock: () => nowMs, nodes: 1 });
  const { call, dataDir } = service;
  const headers = bearer(await logIn(call, 'root'));
  const root = async (method: string, path: string, json?: object) => ok(await call(method, path, { headers, json }));
  await root('PUT', 'organisation', { name: 'Tierheim <Nord>', contact: { email: 'shelter@example.org' } });
  await root('PUT', 'enquiry-settings', { enabled: true, questions: [QUESTION], ...settings });
  await root('POST', 'pet', { id: 7, name: 'Rex & Co', status: 'available' });
  const { query } = await openTables(t, dataDir);
  return {
    receiver,
    root,
    pass: (ms: number) => void (nowMs += ms),
    send: async (sent: object = {}) => {
      const json = { ...ENQUIRY, token: await agedToken(query, 7n, nowMs), ...sent };
      return ok(await call('POST', 'pet/7/enquiries', { json }));
    },
  };
}

function ok({ status, text }: HttpResponse): unknown {
  assert.equal(status, 200, text);
  return JSON.parse(text);
}

function mailTo(mails: readonly ReceivedMail[], recipient: string): ReceivedMail {
  const [mail, ...others] = mails.filter(({ recipients }) => recipients.includes(recipient));
  assert.deepEqual(others, []);
  return mail ?? assert.fail(recipient);
}

/** The recipients, without the shelter. */
function persons(mails: readonly ReceivedMail[]): readonly string[] {
  return mails.flatMap(({ recipients }) => recipients).filter((recipient) => recipient !== OFFICE);
}

function untilSent(root: Awaited<ReturnType<typeof start>>['root']): Promise<unknown> {
  return until('the queue is empty', async () => {
    const { mail } = (await root('GET', 'admin/system')) as { mail: { waiting: number } };
    return mail.waiting === 0;
  });
}

void describe('messages about enquiries', () => {
  void it('the shelter gets everything, and its reply goes to the person', async (t) => {
    const { receiver, root, send } = await start(t);
    const message = 'Hello,\n-- \n<b>Click</b> https://evil.example';
    await send({ name: 'Ada\r\nBcc: eve@example.org <b>', phone: '030 1', message, answers: { garden: false } });
    const mail = mailTo(await receiver.waitFor(2), OFFICE);
    assert.equal(mail.subject, 'Enquiry about Rex & Co from Ada Bcc: eve@example.org <b>');
    assert.deepEqual(
      mail.replyTo?.map(({ address }) => address),
      ['ada@example.org'],
    );
    assert.deepEqual(mail.recipients, [OFFICE]);
    for (const part of ['Pet: Rex & Co', 'E-mail: ada@example.org', 'Telephone: 030 1', 'A garden?: No'])
      assert.ok(mail.text?.includes(part), `${part} ${mail.text}`);
    assert.match(mail.text ?? '', /^> Hello,\n> --\n> <b>Click<\/b> https:\/\/evil\.example$/m);
    assert.ok(mail.html?.includes('&lt;b&gt;Click&lt;/b&gt;'));
    assert.ok(!mail.html?.includes('<b>'));
    const [{ id = 0 } = {}] = (await root('GET', 'enquiries')) as { id?: number }[];
    assert.ok(mail.text?.includes(`${SITE}/enquiries/${id}`));
  });

  void it('the person gets a confirmation without a text of the sender, in the chosen language', async (t) => {
    const { receiver, send } = await start(t);
    await send({ name: 'BUY NOW', phone: '0900 SPAM', message: 'SPAM https://evil.example', language: 'de' });
    const mail = mailTo(await receiver.waitFor(2), 'ada@example.org');
    assert.equal(mail.subject, 'Ihre Anfrage zu Rex & Co ist bei Tierheim <Nord> angekommen');
    assert.match(mail.raw, /^Auto-Submitted: auto-replied\r$/m);
    assert.deepEqual(
      mail.replyTo?.map(({ address }) => address),
      [OFFICE],
    );
    for (const text of [mail.text, mail.html, mail.raw]) assert.doesNotMatch(text ?? '', /BUY|SPAM|evil/);
    assert.ok(mail.html?.includes('Rex &amp; Co'));
  });

  void it('one mailbox gets one confirmation in some hours, whatever case, subaddresses and spellings of its domain are used', async (t) => {
    const { receiver, root, send, pass } = await start(t);
    const spellings = ['ada@bücher.example', 'ADA@bücher.example', 'ada+1@bücher.example', 'ada@xn--bcher-kva.example'];
    for (const email of spellings) await send({ email });
    // Otherwise, another claim would send a message again that is being sent now.
    await untilSent(root);
    pass(6 * HOUR_MS);
    await send({ email: 'ada@bücher.example' });
    const mails = await receiver.waitFor(spellings.length + 3);
    assert.deepEqual(persons(mails), ['ada@bücher.example', 'ada@bücher.example']);
  });

  void it('without a recipient in the settings, the organisation gets them', async (t) => {
    const { receiver, root, send } = await start(t, { language: 'de' });
    const settings = (await root('GET', 'enquiry-settings')) as { sendsTo: string };
    assert.equal(settings.sendsTo, 'shelter@example.org');
    await send({ answers: { garden: true } });
    const mail = mailTo(await receiver.waitFor(2), 'shelter@example.org');
    assert.equal(mail.subject, 'Anfrage zu Rex & Co von Ada');
    assert.ok(mail.text?.includes('Ein Garten?: Ja'));
  });

  void it('an answer of the staff is sent, stored, and sets the state', async (t) => {
    const { receiver, root, send } = await start(t);
    await send();
    await receiver.waitFor(2);
    const [{ id = 0 } = {}] = (await root('GET', 'enquiries')) as { id?: number }[];
    const answered = (await root('POST', `enquiries/${id}/answers`, { text: 'Yes.\n<Come> at 10.' })) as {
      state: string;
      entries: { kind: string; text: string }[];
    };
    assert.deepEqual([answered.state, answered.entries[0]?.kind], ['answered', 'answer']);
    const mail = mailTo((await receiver.waitFor(3)).slice(2), 'ada@example.org');
    assert.equal(mail.subject, 'Answer of Tierheim <Nord> about Rex & Co');
    assert.ok(mail.text?.includes('Yes.\n<Come> at 10.'));
    assert.ok(mail.html?.includes('Yes.<br/>&lt;Come&gt; at 10.'));
    assert.doesNotMatch(mail.raw, /^Auto-Submitted/m);
    assert.deepEqual(
      mail.replyTo?.map(({ address }) => address),
      [OFFICE],
    );
  });
});
