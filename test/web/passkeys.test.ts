import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { logIn, PASSWORDS, bearer, startSecuredService } from '../support/secured.ts';
import { getBrowser, skipWithoutBrowser } from './support/browser.ts';

/* Passkeys of the API with a real browser, whose authenticator is virtual. */

const service = await startSecuredService({ after }, { flags: ['--require-second-factor', 'editor'], nodes: 1 });
const origin = service.origin.replace('127.0.0.1', 'localhost');

/** The fields of responses that the test needs. */
interface Answer {
  step?: string;
  options?: object;
  passkeyOptions?: object;
  recoveryCodes?: readonly string[];
  username?: string;
  needsSecondFactor?: boolean;
}

/** Runs in the browser: adds a passkey, and logs in with it alone and as the second factor. */
async function usePasskey({ base, username, password }: Readonly<Record<'base' | 'username' | 'password', string>>) {
  const send = async (path: string, body?: object, method = 'POST') => {
    const json = { 'content-type': 'application/json' };
    const response = await fetch(`${base}/${path}`, {
      method,
      ...(body !== undefined && { headers: json, body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return (await response.json()) as Answer;
  };
  /** Takes the answer of the last step, and completes it. */
  const signIn = async (started: Answer, options: object | undefined) => {
    const json = options as PublicKeyCredentialRequestOptionsJSON;
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(json);
    const credential = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential;
    await send('sign-in/passkey', { step: started.step, credential: credential.toJSON() as object });
  };

  await send('sign-in/password', { username, password });
  const before = await send('account', undefined, 'GET');
  const { step, options } = await send('account/passkeys/options');
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as PublicKeyCredentialCreationOptionsJSON);
  const created = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential;
  const added = await send('account/passkeys', { step, name: 'Laptop', credential: created.toJSON() as object });
  const complete = await send('account', undefined, 'GET');
  await send('user/logout', undefined, 'GET');

  const alone = await send('sign-in/passkey/options');
  await signIn(alone, alone.options);
  const account = await send('account', undefined, 'GET');
  await send('user/logout', undefined, 'GET');

  const second = await send('sign-in/password', { username, password });
  await signIn(second, second.passkeyOptions);
  const [passkey] = (await send('account/passkeys', undefined, 'GET')) as unknown as { lastUsedAt?: string }[];
  return {
    needed: [before.needsSecondFactor, complete.needsSecondFactor],
    recoveryCodes: added.recoveryCodes?.length,
    username: account.username,
    passkey,
  };
}

void test(
  'passkey of a browser: is added, logs in alone, and is the second factor',
  { skip: skipWithoutBrowser },
  async () => {
    // The responses of the API have a policy without connections.
    const context = await getBrowser().newContext({ bypassCSP: true });
    try {
      const page = await context.newPage();
      const cdp = await context.newCDPSession(page);
      await cdp.send('WebAuthn.enable');
      const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
        options: {
          protocol: 'ctap2',
          transport: 'internal',
          hasResidentKey: true,
          hasUserVerification: true,
          isUserVerified: true,
          automaticPresenceSimulation: true,
        },
      });
      await page.goto(`${origin}/livez`);
      const { passkey, ...used } = await page.evaluate(usePasskey, {
        base: '/v2',
        username: 'edna',
        password: PASSWORDS['edna'] ?? '',
      });
      assert.deepEqual(used, { needed: [true, undefined], recoveryCodes: 10, username: 'edna' });
      assert.ok(passkey?.lastUsedAt !== undefined);
      const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId });
      assert.deepEqual(
        credentials.map(({ rpId, isResidentCredential, signCount }) => [rpId, isResidentCredential, signCount]),
        [['localhost', true, 3]],
      );
      const refused = await service.call('POST', 'user/login', {
        json: { username: 'edna', password: PASSWORDS['edna'] },
      });
      assert.equal(refused.status, 401);
    } finally {
      await context.close();
    }
  },
);

void test('passkey of a browser: is reset by an administrator', { skip: skipWithoutBrowser }, async () => {
  const root = bearer(await logIn(service.call, 'root'));
  assert.equal((await service.call('DELETE', 'admin/users/edna/factors', { headers: root })).status, 200);
  await logIn(service.call, 'edna');
});
