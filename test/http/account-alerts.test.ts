import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { ACCOUNT_ALERTS, type AccountAlert } from '../../src/domain/mail/mail.ts';
import { Authenticator } from '../support/authenticator.ts';
import { addPasskey, passPassword, sendCode, setUpTotp } from '../support/factors.ts';
import { CLIENT_ID, CLIENT_SECRET, startProvider } from '../support/openid-provider.ts';
import { bearer, createKey, logIn, PASSWORDS, startSecuredService } from '../support/secured.ts';
import { startSmtpReceiver } from '../support/smtp-receiver.ts';
import { TestBrowser } from '../support/test-browser.ts';

/* Each kind of alert, from the action over HTTP to the message that the owner of the account gets. */

const PUBLIC_URL = 'https://pets.example.org';
const ADDRESS = 'vera@example.net';
const PASSWORD = PASSWORDS['vera'] ?? '';

const receiver = await startSmtpReceiver({ after });
const provider = await startProvider({ after }, PUBLIC_URL, 'club');
const PROVIDERS = `
[club]
issuer = "${provider.issuer}"
client-id = "${CLIENT_ID}"
client-secret = "${CLIENT_SECRET}"
`;
const flags = ['--smtp-url', receiver.url, '--mail-from', 'pets@example.org', '--public-url', PUBLIC_URL];
const { call, origin } = await startSecuredService(
  { after },
  { flags: [...flags, '--providers', PROVIDERS], nodes: 1 },
);

const root = bearer(await logIn(call, 'root'));
const vera = await logIn(call, 'vera');
const headers = bearer(vera);
const authenticator = new Authenticator(PUBLIC_URL);
const browser = new TestBrowser(PUBLIC_URL, origin);
let recoveryCode = '';
let passkeyId = '';

async function ok(method: string, path: string, json?: object, by = headers): Promise<string> {
  const { status, text } = await call(method, path, { headers: by, ...(json !== undefined && { json }) });
  assert.equal(status, 200, text);
  return text;
}

/** In this order: later actions need what earlier ones have left. */
const ROWS: Readonly<Record<AccountAlert, [subject: RegExp, act: () => Promise<unknown>]>> = {
  'key-created': [/^New API key for/, () => createKey(call, vera, ['read:pets'])],
  'new-device': [
    /^New device logged in/,
    async () => {
      const json = { username: 'vera', password: PASSWORD };
      await ok('POST', 'user/login', json, { 'user-agent': 'Browser/1.0 (Phone)' });
    },
  ],
  'provider-linked': [
    /^Another login was linked/,
    async () => {
      provider.subject = 'sub-vera';
      await browser.call('POST', 'user/login', { username: 'vera', password: PASSWORD });
      const { text } = await browser.call('POST', 'account/providers', { provider: 'club' });
      await browser.open((JSON.parse(text) as { url: string }).url, (url) => url === `${PUBLIC_URL}/account`);
    },
  ],
  'provider-unlinked': [
    /^A linked login .* was removed/,
    async () => {
      const [login] = JSON.parse(await ok('GET', 'account/providers')) as { id: string }[];
      await ok('DELETE', `account/providers/${login?.id}`);
    },
  ],
  'totp-added': [
    /^One-time codes were set up/,
    async () => {
      recoveryCode = (await setUpTotp(call, vera, Date.now())).recoveryCodes[0] ?? '';
    },
  ],
  'recovery-code-used': [
    /^A recovery code was used/,
    async () => {
      const { step } = await passPassword(call, 'vera');
      assert.equal((await sendCode(call, step, recoveryCode, 'recovery-code')).status, 200);
    },
  ],
  'recovery-codes-replaced': [/^New recovery codes/, () => ok('POST', 'account/factors/recovery-codes')],
  'passkey-added': [
    /^New passkey/,
    async () => {
      passkeyId = (await addPasskey(call, vera, authenticator)).id;
    },
  ],
  'passkey-removed': [/^A passkey .* was deleted/, () => ok('DELETE', `account/passkeys/${passkeyId}`)],
  'totp-removed': [/^One-time codes were removed/, () => ok('DELETE', 'account/factors/totp')],
  'password-changed': [
    /^Your password for/,
    () => ok('POST', 'account/password', { oldPassword: PASSWORD, newPassword: 'twelve patient pelicans paint' }),
  ],
  'email-changed': [
    /^The e-mail address .* was changed/,
    () => ok('PUT', 'user/vera', { username: 'vera', email: 'new@example.net' }),
  ],
  'factors-reset': [
    /^An administrator of .* has reset/,
    async () => {
      await setUpTotp(call, vera, Date.now());
      await ok('DELETE', 'admin/users/vera/factors', undefined, root);
    },
  ],
};

void describe('security alerts', () => {
  void it('have a row for each kind', async () => {
    assert.deepEqual(Object.keys(ROWS).toSorted(), ACCOUNT_ALERTS.toSorted());
    await ok('PUT', 'user/vera', { username: 'vera', email: ADDRESS });
    const [mail] = await receiver.waitFor(1);
    const token = /#([\w-]{43})/.exec(mail?.text ?? '')?.[1];
    await ok('POST', 'email-confirmation', { token }, {});
  });

  for (const [alert, [subject, act]] of Object.entries(ROWS))
    void it(`${alert}: its owner gets a message`, async () => {
      const before = receiver.received.length;
      await act();
      const isAlert = () =>
        receiver.received
          .slice(before)
          .some((mail) => mail.recipients[0] === ADDRESS && subject.test(mail.subject ?? ''));
      for (let count = before + 1; !isAlert(); count++) await receiver.waitFor(count);
    });
});
