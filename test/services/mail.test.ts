import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SMTPServerOptions } from 'smtp-server';
import { ACCOUNT_ALERTS } from '../../src/domain/mail/mail.ts';
import { isMailAddress } from '../../src/domain/mail/mail-address.ts';
import type { MailContent, MailOutcome, OutgoingMail } from '../../src/domain/mail/ports.ts';
import { SmtpMailer } from '../../src/services/mail/smtp-mailer.ts';
import { readSmtpUrl } from '../../src/services/mail/smtp-url.ts';
import { skipWithoutOpenSsl, trustCertificate } from '../support/certificate.ts';
import type { Lifetime } from '../support/lifetime.ts';
import { startSmtpReceiver } from '../support/smtp-receiver.ts';

const TOKEN = 'A-token_of_forty-three_characters_0123456789'.slice(0, 43);
const LINK = `https://pets.example.org/reset-password#${TOKEN}`;

const CONTENT: MailContent = {
  kind: 'test',
  language: 'en',
  siteName: 'Tierheim Süd',
  siteUrl: 'https://pets.example.org',
  accounts: [],
  expiresAtMs: Date.UTC(2026, 10, 27, 9, 30),
  details: {},
};

function mailerFor(url: string, timeoutMs = 20_000, names: { from?: string; publicUrl?: string } = {}): SmtpMailer {
  const smtp = readSmtpUrl(url);
  if (typeof smtp === 'string') throw new Error(smtp);
  return new SmtpMailer({
    smtp,
    from: 'pets@example.org',
    publicUrl: 'https://pets.example.org',
    timeoutMs,
    ...names,
  });
}

function send(
  mailer: SmtpMailer,
  content: Partial<MailContent> = {},
  other: Partial<OutgoingMail> = {},
): Promise<MailOutcome> {
  const mail = { id: 'mail-1', recipient: 'ada@example.net', atMs: Date.UTC(2026, 10, 26), ...other };
  return mailer.send({ ...mail, content: { ...CONTENT, ...content } }, new AbortController().signal);
}

async function startBoth(t: Lifetime) {
  const receiver = await startSmtpReceiver(t);
  return { receiver, mailer: mailerFor(receiver.url) };
}

/** The text that a reader of the HTML sees, without the title of the document. */
function shownBy(html: string): string {
  const body = html.slice(html.indexOf('<body'));
  const plain = body.replaceAll(/<[^>]+>/g, ' ');
  return plain
    .replaceAll('&#x27;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

function words(part: string): readonly string[] {
  return part.split(/[\s:]+/).filter((word) => word !== '' && word !== '--');
}

function securityOf(url: string): string {
  return (readSmtpUrl(url) as { security: string }).security;
}

void describe('e-mail addresses', () => {
  void it('are plain ones', () => {
    const good = [
      'ada@example.org',
      "o'neil+pets@sub.example.org",
      'a@b',
      'ada@münchen.example',
      'A_1@xn--mnchen-3ya.example',
    ];
    assert.deepEqual(good.filter(isMailAddress), good);
  });

  void it('are never a list, a name, a quotation or a second header', () => {
    const bad = [
      '',
      'ada',
      '@example.org',
      'ada@',
      'ada@@example.org',
      'ada@example.org,eve@evil.example',
      'ada@example.org;eve@evil.example',
      'ada@example.org eve@evil.example',
      'Ada <ada@example.org>',
      '<ada@example.org>',
      '"ada eve"@example.org',
      '"eve@evil.example ada"@example.org',
      'ada(comment)@example.org',
      'ada@example.org\r\nBcc: eve@evil.example',
      'ada\n@example.org',
      'ada@example.org\0',
      'ada@[127.0.0.1]',
      'ada@exa mple.org',
      'ada@-example.org',
      'ada@example..org',
      '.ada@example.org',
      'ada.@example.org',
      'группа:ada@example.org',
      'ada@example.org\u2028x',
      `${'a'.repeat(65)}@example.org`,
      `ada@${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.${'e'.repeat(20)}`,
    ];
    assert.deepEqual(bad.filter(isMailAddress), []);
  });
});

void describe('SMTP URL', () => {
  void it('encrypts every connection, except to this machine', () => {
    const { auth: _auth, ...implicit } = readSmtpUrl('smtps://mail.example.org') as Exclude<
      ReturnType<typeof readSmtpUrl>,
      string
    >;
    assert.deepEqual(implicit, { host: 'mail.example.org', port: 465, security: 'tls', isLocal: false });
    assert.equal(securityOf('smtp://mail.example.org'), 'starttls');
    assert.equal(securityOf('smtp://mail.example.org?starttls=never'), 'none');
    assert.equal(securityOf('smtp://127.0.0.1:1025'), 'none');
    assert.equal(securityOf('smtp://[::1]:1025'), 'none');
    assert.equal(securityOf('smtp://localhost:1025?starttls=required'), 'starttls');
    assert.equal(securityOf('smtp://localhost.example.org'), 'starttls');
  });

  void it('decodes the password', () => {
    const { auth } = readSmtpUrl('smtps://us%40er:p%2Fw@mail.example.org:2465') as { auth: object };
    assert.deepEqual(auth, { user: 'us@er', pass: 'p/w' });
  });

  void it('is refused without being quoted', () => {
    const wrong = [
      'secret',
      'http://u:secret@h',
      'smtp://',
      'smtp://u:secret@h/path',
      'smtp://secret@h',
      'smtps://u:secret@h?starttls=never',
      'smtp://u:secret@h?x=1',
      'smtp://u:%secret@h',
      'smtp://u:secret@h#x',
    ];
    for (const url of wrong) {
      const problem = readSmtpUrl(url);
      assert.ok(typeof problem === 'string', url);
      assert.doesNotMatch(problem, /secret/);
    }
  });
});

void describe('messages', () => {
  void it('have the headers of automatic messages', async (t) => {
    const { receiver, mailer } = await startBoth(t);
    assert.equal((await send(mailer)).kind, 'sent');
    const [mail = assert.fail()] = await receiver.waitFor(1);
    const headers = new Map(mail.headers.map(({ key, value }) => [key, value]));
    assert.equal(headers.get('auto-submitted'), 'auto-generated');
    assert.equal(mail.messageId, '<mail-1@example.org>');
    assert.equal(mail.date, '2026-11-26T00:00:00.000Z');
    assert.deepEqual(mail.from, { name: 'Tierheim Süd', address: 'pets@example.org' });
    assert.deepEqual(mail.recipients, ['ada@example.net']);
  });

  for (const language of ['en', 'de']) {
    void it(`have the same facts in text and HTML (${language})`, async (t) => {
      const { receiver, mailer } = await startBoth(t);
      const accounts = [
        { username: 'ada', link: LINK },
        { username: 'ada <2>', link: `${LINK}2` },
      ];
      const details = {
        atMs: '0',
        address: '203.0.113.7',
        userAgent: 'Browser "1"',
        name: 'Laptop',
        provider: 'Example',
        email: 'new@example.org',
      };
      const kinds = ['invitation', 'password-reset', 'email-confirmation', 'test'] as const;
      for (const kind of kinds) await send(mailer, { kind, language, accounts, details });
      for (const alert of ACCOUNT_ALERTS) await send(mailer, { kind: 'alert', language, accounts, alert, details });
      const mails = await receiver.waitFor(kinds.length + ACCOUNT_ALERTS.length);
      assert.equal(new Set(mails.map(({ subject }) => subject)).size, mails.length, 'each has its own subject');
      for (const { subject = '', text = '', html = '' } of mails) {
        assert.match(html, new RegExp(`^<!doctype html><html lang="${language}">`));
        assert.doesNotMatch(html, /<(?:img|script|link|style)/);
        const shown = shownBy(html);
        // The address of the button is the text of the link as well.
        assert.deepEqual(new Set(words(shown)), new Set(words(text)), subject);
        assert.match(text, /Tierheim Süd/);
      }
      const [, reset = assert.fail()] = mails;
      for (const { username, link } of accounts) assert.ok(reset.text?.includes(username) && reset.text.includes(link));
      assert.match(reset.text ?? '', language === 'de' ? /1\. Januar 1970/ : /1 January 1970/);
    });
  }

  void it('cannot be extended by a name', async (t) => {
    const { receiver, mailer } = await startBoth(t);
    const siteName = 'Zoo"\r\nBcc: eve@evil.example\r\n\r\n<script>alert(1)</script>, <eve@evil.example>';
    const accounts = [{ username: 'ada\r\nBcc: eve@evil.example', link: LINK }];
    await send(mailer, { kind: 'invitation', siteName, accounts });
    const [mail = assert.fail()] = await receiver.waitFor(1);
    assert.deepEqual(mail.recipients, ['ada@example.net']);
    const { from, to, cc, bcc } = mail;
    assert.deepEqual(
      [from?.address, to?.map(({ address }) => address), cc, bcc],
      ['pets@example.org', ['ada@example.net'], undefined, undefined],
    );
    assert.ok(!mail.headers.some(({ key }) => key === 'bcc'));
    assert.doesNotMatch(mail.html ?? '', /<script/);
  });

  void it('are not sent to an invalid address', async (t) => {
    const { receiver, mailer } = await startBoth(t);
    for (const recipient of ['a@b.example, eve@evil.example', 'a@b.example\r\nRCPT TO:<eve@evil.example>', ''])
      assert.equal((await send(mailer, {}, { recipient })).kind, 'refused');
    assert.deepEqual(receiver.received, []);
  });
});

void describe('SMTP server', () => {
  void it('of an administrator: is never connected to at an address that is not public', async (t) => {
    const { receiver } = await startBoth(t);
    for (const host of ['127.0.0.1', 'localhost', '::1']) {
      const smtp = { host, port: receiver.port, security: 'none', auth: undefined, isLocal: true } as const;
      const settings = { smtp: { ...smtp, isPublicOnly: true }, from: 'pets@example.org', timeoutMs: 20_000 };
      const mailer = new SmtpMailer({ ...settings, publicUrl: 'https://pets.example.org' });
      assert.deepEqual(await send(mailer), { kind: 'failed', answer: 'the address is not public' }, host);
    }
    assert.equal(receiver.received.length, 0);
  });

  void it('refuses a message for good, or for now', async (t) => {
    const { receiver, mailer } = await startBoth(t);
    for (const [status, kind] of [
      [450, 'failed'],
      [550, 'refused'],
    ] as const) {
      receiver.behave(status);
      assert.deepEqual(await send(mailer), { kind, answer: `${status} No such mailbox` });
      receiver.behave({ status: status + 1, text: `Spam: ${LINK}` });
      const { answer, ...rest } = await send(mailer, { accounts: [{ username: 'ada', link: LINK }] });
      assert.deepEqual([rest, answer.includes(TOKEN)], [{ kind }, false]);
    }
  });

  const answers: [kind: MailOutcome['kind'], at: 'sender' | 'recipient' | undefined, answer: string][] = [
    ['failed', 'sender', '530 5.7.0 Authentication required'],
    ['failed', 'recipient', '530 Authentication required'],
    ['failed', 'recipient', '535 5.7.8 Authentication failed'],
    ['failed', 'recipient', '554 5.7.1 Relay access denied'],
    ['failed', 'recipient', '554 Relay access denied'],
    ['failed', 'recipient', '553 5.1.8 The domain of the sender does not exist'],
    ['failed', 'recipient', '550 5.4.5 Daily limit exceeded'],
    ['failed', 'recipient', '550 #5.7.1 This address is blocked'],
    ['failed', 'recipient', '550 4.2.1 Too many messages'],
    ['failed', 'recipient', '503 5.5.1 Wrong order of commands'],
    ['failed', undefined, '550 5.4.5 Daily limit exceeded'],
    ['failed', undefined, '550 5.7.26 The sender is not authenticated'],
    ['failed', undefined, '552 5.3.4 Too large for this system'],
    ['failed', undefined, '554 5.5.0 Transaction failed'],
    ['refused', 'recipient', '550 5.1.1 No such user'],
    ['refused', 'recipient', '550 #5.1.0 Address rejected'],
    ['refused', 'recipient', '556 5.1.10 The domain accepts no messages'],
    ['refused', 'recipient', '552 5.2.2 The mailbox is full'],
    ['refused', 'recipient', '550 5.0.0 Unknown'],
    ['refused', 'recipient', '550 Unknown user'],
    ['refused', 'recipient', '553 No such mailbox'],
    ['refused', undefined, '554 5.6.0 Not a message'],
  ];
  for (const [kind, at, answer] of answers) {
    void it(`refuses the ${at ?? 'content'} with ${answer}: ${kind === 'failed' ? 'tried again' : 'given up'}`, async (t) => {
      const { receiver, mailer } = await startBoth(t);
      receiver.behave({ status: Number(answer.slice(0, 3)), text: answer.slice(4), ...(at && { at }) });
      assert.deepEqual(await send(mailer), { kind, answer });
    });
  }

  const names: [publicUrl: string, from: string, expected: RegExp][] = [
    ['https://pets.example.org/zoo', 'pets@mail.example.org', /^pets\.example\.org$/],
    ['https://tierheim-süd.example', 'pets@example.org', /^xn--tierheim-sd-2hb\.example$/],
    ['http://192.0.2.7:8080', 'pets@tierheim-süd.example', /^xn--tierheim-sd-2hb\.example$/],
    ['http://[2001:db8::7]', 'pets@example.org', /^example\.org$/],
    ['http://menagerie:8080', 'pets@example.org', /^example\.org$/],
    ['http://localhost:8080', 'pets@localhost', /^(?:\[127\.0\.0\.1\]|.+\..+)$/],
  ];
  for (const [publicUrl, from, expected] of names) {
    void it(`gets the name of ${publicUrl}, or of ${from}`, async (t) => {
      const receiver = await startSmtpReceiver(t);
      assert.equal((await send(mailerFor(receiver.url, 20_000, { publicUrl, from }))).kind, 'sent');
      const [{ clientName, raw } = assert.fail()] = await receiver.waitFor(1);
      assert.match(clientName, expected);
      assert.match(raw, /^Message-ID: <mail-1@[a-z\d.-]+>\r$/im);
      const [head = ''] = raw.split('\r\n\r\n');
      assert.match(head, /^[\x20-\x7e\r\n\t]+$/);
    });
  }

  void it('hangs, drops the connection, or is down', async (t) => {
    const receiver = await startSmtpReceiver(t);
    receiver.behave('hang');
    assert.deepEqual(await send(mailerFor(receiver.url, 300)), {
      kind: 'failed',
      answer: 'No answer within 0.3 seconds.',
    });
    const mailer = mailerFor(receiver.url);
    receiver.behave('drop');
    assert.equal((await send(mailer)).kind, 'failed');
    await receiver.stop();
    const outcome = await send(mailer);
    assert.equal(outcome.kind, 'failed');
    assert.match(outcome.answer, /ECONNREFUSED/);
  });

  void it('gets no message and no password over a connection that it does not encrypt', async (t) => {
    const passwords: unknown[] = [];
    const onAuth: SMTPServerOptions['onAuth'] = ({ password }, _session, callback) => {
      passwords.push(password);
      callback(null, { user: 'ada' });
    };
    const { port, received } = await startSmtpReceiver(t, { onAuth });
    const outcome = await send(mailerFor(`smtp://ada:secret@localhost:${port}?starttls=required`));
    assert.equal(outcome.kind, 'failed');
    // Its certificate is self-signed.
    const encrypted = await startSmtpReceiver(t, { onAuth, hideSTARTTLS: false });
    const refused = await send(mailerFor(`smtp://ada:secret@localhost:${encrypted.port}?starttls=required`));
    assert.equal(refused.kind, 'failed');
    assert.match(refused.answer, /certificate/);
    assert.deepEqual([passwords, received, encrypted.received], [[], [], []]);
    assert.equal((await send(mailerFor(`smtp://ada:secret@127.0.0.1:${port}`))).kind, 'sent');
    assert.deepEqual(passwords, ['secret']);
  });

  for (const security of ['STARTTLS', 'TLS from the beginning'] as const) {
    void it(
      `gets message and password over ${security}, on its host name only`,
      { skip: skipWithoutOpenSsl },
      async (t) => {
        const isImplicit = security !== 'STARTTLS';
        const logins: unknown[] = [];
        const { port, received, waitFor } = await startSmtpReceiver(t, {
          ...trustCertificate(t),
          secure: isImplicit,
          hideSTARTTLS: false,
          onAuth: ({ password }, { secure }, callback) => {
            logins.push([password, secure]);
            callback(null, { user: 'ada' });
          },
        });
        const urlOf = (host: string) =>
          isImplicit ? `smtps://ada:secret@${host}:${port}` : `smtp://ada:secret@${host}:${port}?starttls=required`;
        const foreign = await send(mailerFor(urlOf('127.0.0.1')));
        assert.equal(foreign.kind, 'failed');
        assert.match(foreign.answer, /does not match certificate/);
        assert.deepEqual([logins, received], [[], []]);
        assert.deepEqual(await send(mailerFor(urlOf('localhost'))), { kind: 'sent', answer: '250 Queued' });
        assert.deepEqual(logins, [['secret', true]]);
        const [mail] = await waitFor(1);
        assert.deepEqual(mail?.recipients, ['ada@example.net']);
      },
    );
  }

  void it('refuses the login: the message is kept, and the password is not in the answer', async (t) => {
    const { port } = await startSmtpReceiver(t, {
      onAuth: (auth, _session, callback) => callback(new Error(`535 ${auth.password} is wrong`)),
    });
    const { kind, answer } = await send(mailerFor(`smtp://ada:secret@127.0.0.1:${port}`));
    assert.equal(kind, 'failed');
    assert.doesNotMatch(answer, /secret/);
  });
});
