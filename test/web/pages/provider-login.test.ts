import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { codeAt, setUpTotp } from '../../support/factors.ts';
import { CLIENT_ID, CLIENT_SECRET, startProvider } from '../../support/openid-provider.ts';
import { logIn, startSecuredService } from '../../support/secured.ts';
import { skipWithoutBrowser } from '../support/browser.ts';
import { checkState } from '../support/pages.ts';
import { openVisit } from '../support/visit.ts';

/*
 * Login at an OpenID Connect provider in a browser, with a real provider.
 */

const port = await findPort();
const publicUrl = `http://127.0.0.1:${port}`;
const provider = await startProvider({ after }, publicUrl, 'shelter');
const providers =
  `shelter = { label = "Shelter account", issuer = "${provider.issuer}", ` +
  `client-id = "${CLIENT_ID}", client-secret = "${CLIENT_SECRET}" }`;
const service = await startSecuredService(
  { after },
  { web: true, nodes: 1, flags: ['--port', String(port), '--public-url', publicUrl, '--providers', providers] },
);

/** The redirect URI contains the port, so it must be known before the start. */
async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  assert.ok(typeof address === 'object' && address !== null);
  return address.port;
}

void test(
  'provider: linked on the account page, it logs in, and asks for the second factor of the account',
  { skip: skipWithoutBrowser },
  async (t) => {
    provider.people.set('vera', { name: 'Vera of the shelter' });
    provider.subject = 'vera';
    const visit = await openVisit(t, service, { loggedInAs: 'vera', width: 375 });
    const { page } = visit;
    // The page of the provider.
    visit.allow(/./);
    await visit.open('/account');
    const section = page.getByRole('region', { name: 'Login providers' });
    await section.getByRole('button', { name: 'Link Shelter account' }).click();
    await section.getByRole('button', { name: 'Unlink Shelter account' }).waitFor();
    await checkState(page, 'The account page with a linked provider');

    await page.context().clearCookies();
    await visit.open('/login?to=%2Faccount');
    const logInThere = page.getByRole('link', { name: 'Log in with Shelter account' });
    await logInThere.waitFor();
    await checkState(page, 'The login page with a provider');
    await logInThere.click();
    await section.getByText('last used').waitFor();

    const atMs = Date.now();
    const { secret } = await setUpTotp(service.call, await logIn(service.call, 'vera'), atMs);
    await page.context().clearCookies();
    await visit.open('/login?to=%2Faccount');
    await logInThere.click();
    const code = page.getByLabel('One-time code');
    await code.waitFor();
    assert.equal(new URL(page.url()).hash, '', 'the step is not in the history');
    // That of the setup was used; the service accepts the next one early.
    await code.fill(codeAt(secret, atMs + 30_000));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    await section.getByRole('button', { name: 'Unlink Shelter account' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Unlink' }).click();
    await section.getByText('Not linked').waitFor();
  },
);
