import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { clientOf } from '../../support/client.ts';
import { newPkce, registerProgram, requestOf } from '../../support/oauth.ts';
import { logIn, PASSWORDS, startSecuredService } from '../../support/secured.ts';
import { until } from '../../support/until.ts';
import { checkAccessibility, checkContrast } from '../support/accessibility.ts';
import { skipWithoutBrowser } from '../support/browser.ts';
import { checkWidth } from '../support/pages.ts';
import { keepScreenshot } from '../support/screenshots.ts';
import { openVisit } from '../support/visit.ts';

/* Programs with OAuth 2.0: the question whether a program gets access, Authorize in the API page, the account page. */

const service = await startSecuredService({ after }, { web: true });
const call = clientOf(service.base);
const options = { skip: skipWithoutBrowser };
const root = await logIn(call, 'root');

void test('consent page: asks after the login, in both themes, and goes back to the program', options, async (t) => {
  // A page of this service stands for that of a program on the same machine.
  const redirect = `${service.origin}/about`;
  const program = await registerProgram(call, root, { name: 'Kennel cards', redirectUris: ['http://127.0.0.1/about'] });
  const request = requestOf(program, newPkce(), { redirect_uri: redirect, scope: 'read:pets write:pets', extra: 'x' });
  const visit = await openVisit(t, service, { width: 375 });
  const { page } = visit;
  await visit.open(`/oauth/authorize?${new URLSearchParams(request).toString()}`);
  await page.getByRole('link', { name: 'Log in' }).last().click();
  await page.getByLabel('Username').fill('edna');
  await page
    .getByLabel('Password')
    .first()
    .fill(PASSWORDS['edna'] ?? '');
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('heading', { name: 'Allow Kennel cards to use your account?' }).waitFor();
  await page.getByText('Add, edit and delete pets').waitFor();
  await page.getByText('Registered by root.').waitFor();
  await checkAccessibility(page, 'the consent page');
  for (const width of [375, 768, 1440]) {
    await page.setViewportSize({ width, height: 800 });
    await checkWidth(page, `consent page, ${width} px`);
    await keepScreenshot(page, `consent ${width}`);
  }
  await page.emulateMedia({ colorScheme: 'dark' });
  await checkContrast(page, 'the consent page, dark');
  const redirected = page.waitForRequest((sent) => sent.isNavigationRequest() && sent.url().startsWith(redirect));
  await page.getByRole('button', { name: 'Allow' }).click();
  const { searchParams } = new URL((await redirected).url());
  await page.waitForURL('**/about*');
  await visit.waitForIdle();
  assert.match(searchParams.get('code') ?? '', /^[\w-]{43}$/);
  assert.deepEqual([searchParams.get('state'), searchParams.get('iss')], ['state of the program', service.origin]);
});

void test('consent page: names an application by its scheme, and stays beside it', options, async (t) => {
  const uri = 'kennel://cards.example/oauth/callback';
  const program = await registerProgram(call, root, { name: 'Kennel cards', redirectUris: [uri], isPublic: true });
  const visit = await openVisit(t, service, { width: 375, loggedInAs: 'edna' });
  const { page } = visit;
  // No application on this machine opens it, so the browser goes nowhere.
  const requested: string[] = [];
  const session = await page.context().newCDPSession(page);
  session.on('Page.frameRequestedNavigation', ({ url }) => requested.push(url));
  await session.send('Page.enable');
  const request = requestOf(program, newPkce(), { redirect_uri: uri });
  const link = page.getByRole('link', { name: 'Open application' });
  const uriOfLink = async () => new URL((await link.getAttribute('href')) ?? '');
  for (const [answer, parameter] of [
    ['Allow', 'code'],
    ['Deny', 'error'],
  ] as const) {
    await visit.open(`/oauth/authorize?${new URLSearchParams(request).toString()}`);
    await page.getByText('on this device that opens addresses with kennel://.').waitFor();
    await checkAccessibility(page, 'the consent page for an application');
    await page.getByRole('button', { name: answer }).click();
    await page.getByRole('heading', { name: 'Continue in the application' }).waitFor();
    const { href, searchParams } = await uriOfLink();
    assert.ok(href.startsWith(`${uri}?`), href);
    assert.ok(searchParams.has(parameter), href);
    await until('the browser was sent to the application', async () => requested.includes(href));
    assert.equal(new URL(page.url()).pathname, '/oauth/authorize');
  }
  await checkAccessibility(page, 'the page beside an application');
  await keepScreenshot(page, 'consent application 375');

  // A request with an error is not answered before the user clicks.
  const invalid = { ...request, scope: 'admin' };
  await visit.open(`/oauth/authorize?${new URLSearchParams(invalid).toString()}`);
  await link.waitFor();
  assert.equal((await uriOfLink()).searchParams.get('error'), 'invalid_scope');
  assert.equal(requested.filter((url) => url.startsWith(uri)).length, 2);
});

void test('API page: Authorize gets a token, with which changes are sent', options, async (t) => {
  const visit = await openVisit(t, service, { width: 1440 });
  const { page } = visit;
  const token = await logIn(call, 'edna');
  await page.context().addCookies([{ name: 'menagerie_session', value: token, url: service.origin }]);
  for (const document of ['swagger', 'openapi'] as const) {
    await visit.open(`/docs?document=${document}`);
    await page.locator('.btn.authorize').first().click();
    const scheme = page.locator('.auth-container', { hasText: 'petstore_auth' }).first();
    await scheme.getByText('write:pets').first().click();
    const [popup] = await Promise.all([
      page.context().waitForEvent('page'),
      scheme.getByRole('button', { name: 'Authorize' }).click(),
    ]);
    // The dialog of Swagger UI grows when it shows the credentials.
    await visit.expectShifts(async () => {
      await popup.getByRole('button', { name: 'Allow' }).click();
      await scheme.getByRole('button', { name: 'Logout' }).waitFor();
    });
  }
  const tokens = await call('GET', 'account/access-tokens', { headers: { authorization: `Bearer ${token}` } });
  const found = JSON.parse(tokens.text) as { clientId: string; scopes: string[] }[];
  assert.deepEqual(
    found.map(({ clientId, scopes }) => [clientId, ...scopes]),
    Array.from({ length: 2 }, () => ['menagerie-docs', 'write:pets']),
  );
});

void test('account page: registers and deletes a program, and ends the access of one', options, async (t) => {
  const visit = await openVisit(t, service, { width: 768 });
  const { page } = visit;
  const token = await logIn(call, 'edna');
  await page.context().addCookies([{ name: 'menagerie_session', value: token, url: service.origin }]);
  await visit.open('/account');
  await page.getByRole('button', { name: 'Register program' }).click();
  await page.getByRole('button', { name: 'Register', exact: true }).click();
  await page.getByText('Enter a name of at most 100 characters.').waitFor();
  await page.getByLabel('Name of the program').fill('Night import');
  await page.getByLabel('Redirect URIs').fill('http://pets.example/');
  visit.expect(/status of 400/);
  await page.getByRole('button', { name: 'Register', exact: true }).click();
  await page.getByText('Enter URIs that begin with https://').waitFor();
  await checkAccessibility(page, 'the dialog of a program');
  await page.getByLabel('Redirect URIs').fill('');
  await page.getByRole('button', { name: 'Register', exact: true }).click();
  await page.getByText('Copy the secret now').waitFor();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Delete program Night import' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('Program deleted.').waitFor();
});

void test('administration: lists the programs of all users, and deletes one', options, async (t) => {
  const owner = await logIn(call, 'edna');
  const redirectUris = [`https://programs.example.org/${'a-long-path-'.repeat(20)}`, 'com.example.app:/back'];
  const name = 'Reports of the week, for the board and the veterinarians';
  await registerProgram(call, owner, { name, redirectUris });
  const visit = await openVisit(t, service, { width: 375, loggedInAs: 'root' });
  const { page } = visit;
  await visit.open('/admin/programs');
  const program = page.getByRole('main').getByRole('listitem').filter({ hasText: name });
  await program.getByRole('link', { name: 'edna' }).waitFor();
  await program.getByText('not used lately').waitFor();
  for (const width of [375, 768, 1440]) {
    await visit.expectShifts(() => page.setViewportSize({ width, height: 800 }));
    await checkWidth(page, `programs, ${width} px`);
    await keepScreenshot(page, `programs ${width}`);
  }
  await checkAccessibility(page, 'the programs of all users');
  await program.getByRole('button', { name: `Delete program ${name}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Program deleted.').waitFor();
  await program.waitFor({ state: 'detached' });
});
