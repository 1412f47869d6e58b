import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { clientOf } from '../../support/client.ts';
import { bearer, createKey, logIn, PASSWORDS, startSecuredService } from '../../support/secured.ts';
import { checkAccessibility } from '../support/accessibility.ts';
import { skipWithoutBrowser } from '../support/browser.ts';
import { openVisit } from '../support/visit.ts';

/*
 * Sign-up, login and the account page, in secured access.
 */

/** Stops the clock of the service, so that a countdown does not depend on the speed of the test. */
let stoppedAtMs: number | undefined;

const service = await startSecuredService({ after }, { web: true, clock: () => stoppedAtMs ?? Date.now() });
const call = clientOf(service.base);
const options = { skip: skipWithoutBrowser };
const PASSWORD = 'green lanterns over calm water';

/** The message of the browser console for an error response. */
const statusError = (status: number) => new RegExp(`status of ${status}`);

void test('sign-up: gives advice while the user types the password, then logs in', options, async (t) => {
  const visit = await openVisit(t, service, { width: 375 });
  const { page } = visit;
  await visit.open('/sign-up?to=%2Faccount');
  const name = page.getByLabel('Username');
  const password = page.getByLabel('Password', { exact: false }).first();
  await name.fill('login');
  await page.getByText('This username is reserved').waitFor();
  await name.fill('user?10');
  await password.fill('short');
  await page.getByText('10 more characters').waitFor();
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByText('Use at least 15 characters').waitFor();
  await password.fill('abcabcabcabcabcabc');
  await page.getByText('it repeats a short sequence').waitFor();
  await checkAccessibility(page, 'The sign-up page with an error');
  // Only the service has the list of common passwords.
  await password.fill('passwordpassword1');
  await password.fill('qwertyuiopasdfghjkl');
  await page.getByRole('button', { name: 'Show password' }).click();
  assert.equal(await password.getAttribute('type'), 'text');
  await password.fill(PASSWORD);
  await page.getByText('Long enough.').waitFor();
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.waitForURL('**/account');
  await page.getByText('you are logged in as user?10').waitFor();
  const cookies = await page.context().cookies();
  assert.equal(cookies.find(({ name }) => name === 'menagerie_session')?.httpOnly, true);
  const kept = await page.evaluate(() =>
    [JSON.stringify(localStorage), JSON.stringify(sessionStorage), document.cookie].join(),
  );
  assert.doesNotMatch(kept, /session|token|green lanterns/);

  await page.context().clearCookies();
  await visit.open('/sign-up');
  await name.fill('USER?10');
  await password.fill('green lanterns over warm water');
  visit.expect(statusError(409));
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByText('This username is already taken').waitFor();
});

void test('sign-up: a common password is refused by the service and reported at the field', options, async (t) => {
  const visit = await openVisit(t, service);
  const { page } = visit;
  await visit.open('/sign-up');
  await page.getByLabel('Username').fill('somebody');
  // Long enough and without repetition, but common: the page itself cannot know.
  await page.locator('#password').fill('1qaz2wsx3edc4rfv');
  visit.expect(statusError(400));
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.locator('#password-error').getByText('easy to guess').waitFor();
  await page.locator('#password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByText('you are logged in as somebody').waitFor();
});

void test('login: returns to the previous page, never to another site', options, async (t) => {
  const visit = await openVisit(t, service);
  const { page } = visit;
  await visit.open('/account');
  await page.getByRole('heading', { name: 'Log in to view your account' }).waitFor();
  await page.getByRole('main').getByRole('link', { name: 'Log in' }).click();
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
  const signUp = page.getByRole('main').getByRole('link', { name: 'Sign up' });
  assert.equal(await signUp.getAttribute('href'), '/sign-up?to=%2Faccount');
  await page.getByLabel('Username').fill('vera');
  const password = page.locator('input[name=password]');
  await password.fill('a wrong one');
  visit.expect(statusError(400));
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('alert').getByText('Incorrect username or password').waitFor();
  await password.fill(PASSWORDS['vera'] ?? '');
  await password.press('Enter');
  await page.getByRole('heading', { name: 'Your account' }).waitFor();
  assert.equal(new URL(page.url()).pathname, '/account');
  await page.evaluate(() => {
    localStorage.setItem('menagerie-draft-1:vera:new', '{}');
    localStorage.setItem('menagerie-draft-1:edna:new', '{}');
  });
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.getByText('You are logged out.').waitFor();
  // Logging out deletes the drafts of vera, but not those of another user.
  assert.deepEqual(await page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes('draft'))), [
    'menagerie-draft-1:edna:new',
  ]);
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Log in' }).waitFor();

  await visit.open('/login?to=%2F%2Fevil.example');
  assert.equal(await signUp.getAttribute('href'), '/sign-up');
  await page.getByLabel('Username').fill('vera');
  await password.fill(PASSWORDS['vera'] ?? '');
  await password.press('Enter');
  await page.getByText('You are logged in as vera').waitFor();
  assert.equal(page.url(), `${service.origin}/`);
});

void test('login: a throttled user sees how long to wait', options, async (t) => {
  stoppedAtMs = Date.now();
  t.after(() => (stoppedAtMs = undefined));
  for (let count = 0; count < 11; count++)
    await call('POST', 'user/login', { json: { username: 'throttled', password: 'wrong' } });
  const visit = await openVisit(t, service, { language: 'de' });
  const { page } = visit;
  await visit.open('/login');
  await page.getByLabel('Benutzername').fill('throttled');
  await page.locator('input[name=password]').fill('wrong');
  visit.expect(statusError(429));
  await page.getByRole('button', { name: 'Anmelden' }).click();
  const alert = page.getByRole('alert');
  await alert
    .getByText(/in \d+ Sekunden? erneut/)
    .first()
    .waitFor();
  await alert.getByText('Sie können es jetzt erneut versuchen.').waitFor();
});

void test('account page: saves the profile, lists sessions and ends them', options, async (t) => {
  const elsewhere = await logIn(call, 'otto');
  const other = await logIn(call, 'otto');
  const visit = await openVisit(t, service, { loggedInAs: 'otto', width: 768, theme: 'dark' });
  const { page } = visit;
  await visit.open('/account');
  await page.getByLabel('First name').fill('Otto');
  await page.getByLabel('E-mail').fill('otto@example.org');
  await page.getByRole('button', { name: 'Save profile' }).click();
  await page.getByText('Profile saved.').waitFor();
  const profile = await call('GET', 'user/otto', { headers: bearer(elsewhere) });
  assert.match(profile.text, /"firstName":"Otto","email":"otto@example.org","userStatus":2/, 'the status stays');

  const sessions = page.getByRole('region', { name: 'Active sessions' });
  await sessions.getByText('Chrome on Linux').waitFor();
  const own = sessions.getByRole('listitem').filter({ hasText: 'This session' });
  await own.getByText(/^From \S+, active now$/).waitFor();
  assert.doesNotMatch(await own.innerText(), /last active/);
  await sessions
    .getByRole('button', { name: /^End session:/ })
    .first()
    .click();
  await page.getByText('Session ended.').waitFor();
  await sessions.getByRole('button', { name: 'End all other sessions' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'End all other sessions' }).click();
  await sessions.getByText('You have no other sessions.').waitFor();
  for (const token of [elsewhere, other])
    assert.equal((await call('GET', 'account', { headers: bearer(token) })).status, 401);
});

void test(
  'account page: creates and revokes an API key, changes the password and deletes the account',
  options,
  async (t) => {
    const visit = await openVisit(t, service, { loggedInAs: 'otto' });
    const { page } = visit;
    await visit.open('/account');
    const keys = page.getByRole('region', { name: 'API keys' });
    await keys.getByRole('button', { name: 'Create API key' }).click();
    await page.getByLabel('Key name').fill('The feeding robot');
    await checkAccessibility(page, 'The dialog for a new API key');
    await page.getByRole('button', { name: 'Create key' }).click();
    const secret = await page.getByRole('textbox', { name: 'API key', exact: true }).inputValue();
    assert.match(secret, /^mgk_[\w-]{43}$/);
    await checkAccessibility(page, 'The dialog with the API key');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Done' }).click();
    const ofOtto = bearer(await logIn(call, 'otto'));
    assert.match((await call('GET', 'account/keys', { headers: ofOtto })).text, /"name":"The feeding robot"/);
    await checkAccessibility(page, 'The account page');
    await keys.getByRole('button', { name: 'Revoke API key The feeding robot' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await keys.getByText('You have no API keys.').waitFor();
    assert.doesNotMatch(await page.content(), new RegExp(secret), 'the API key is no longer on the page');

    const password = page.getByRole('region', { name: 'Password' });
    await password.getByLabel('Current password').fill('not that one');
    await password.getByLabel('New password').fill(PASSWORD);
    visit.expect(statusError(400));
    await password.getByRole('button', { name: 'Change password' }).click();
    await password.getByText('Incorrect password. Try again.').waitFor();
    await password.getByLabel('Current password').fill(PASSWORDS['otto'] ?? '');
    await createKey(call, await logIn(call, 'otto'), ['read:pets']);
    const revoke = password.getByRole('checkbox', { name: 'Also revoke all my API keys' });
    assert.ok(await revoke.isChecked());
    await revoke.uncheck();
    await password.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Password changed. Your other sessions have ended.').waitFor();
    await logIn(call, 'otto', PASSWORD);
    await keys.getByRole('button', { name: 'Revoke API key test' }).waitFor();
    assert.ok(await revoke.isChecked(), 'the next change offers it again');
    await password.getByLabel('Current password').fill(PASSWORD);
    await password.getByLabel('New password').fill(`${PASSWORD}, again`);
    await password.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('your API keys are revoked').waitFor();
    await keys.getByText('You have no API keys.').waitFor();

    await page.getByRole('button', { name: 'Delete account' }).click();
    const dialog = page.getByRole('dialog');
    const remove = dialog.getByRole('button', { name: 'Delete account' });
    assert.ok(await remove.isDisabled());
    await dialog.getByLabel('Type otto to confirm').fill('Otto');
    await checkAccessibility(page, 'The dialog for deleting an account');
    await remove.click();
    await page.getByText('Account otto deleted.').waitFor();
    assert.equal(
      (await call('POST', 'user/login', { json: { username: 'otto', password: `${PASSWORD}, again` } })).status,
      400,
    );
  },
);

void test('API key: long after the login, creating one requires the password', options, async (t) => {
  const visit = await openVisit(t, service, { loggedInAs: 'vera', width: 375, language: 'de' });
  const { page } = visit;
  await visit.open('/account');
  stoppedAtMs = Date.now() + 16 * 60_000;
  t.after(() => (stoppedAtMs = undefined));
  await page.getByRole('button', { name: 'API-Schlüssel erstellen' }).click();
  await page.getByLabel('Name des Schlüssels').fill('Futterautomat');
  visit.expect(statusError(403));
  await page.getByRole('button', { name: 'Schlüssel erstellen', exact: true }).click();
  const proof = page.getByRole('dialog', { name: 'Bestätigen Sie, dass Sie es sind' });
  const password = proof.getByLabel('Passwort').first();
  await password.and(page.locator(':focus')).waitFor();
  await checkAccessibility(page, 'The dialog that asks for the password');
  visit.expect(statusError(400));
  await password.fill('not that one');
  await password.press('Enter');
  await proof.getByText('Das Passwort ist falsch.').waitFor();
  await password.fill(PASSWORDS['vera'] ?? '');
  await password.press('Enter');
  const created = page.getByRole('dialog', { name: 'API-Schlüssel erstellt' });
  assert.match(await created.getByRole('textbox', { name: 'API-Schlüssel', exact: true }).inputValue(), /^mgk_/);
  await created.getByRole('button', { name: 'Fertig' }).click();
  await page.getByRole('region', { name: 'API-Schlüssel' }).getByText('Futterautomat').waitFor();
});

void test(
  'user page: long after the login, closing and deleting an account ask for the password',
  options,
  async (t) => {
    await call('POST', 'user', { json: { username: 'nils', password: PASSWORD } });
    const visit = await openVisit(t, service, { loggedInAs: 'root', width: 768 });
    const { page } = visit;
    await visit.open('/admin/users/nils');
    stoppedAtMs = Date.now() + 16 * 60_000;
    t.after(() => (stoppedAtMs = undefined));
    const prove = async () => {
      const proof = page.getByRole('dialog', { name: 'Confirm that it is you' });
      const password = proof.getByLabel('Password').first();
      await password.fill(PASSWORDS['root'] ?? '');
      await password.press('Enter');
    };
    await page.getByRole('button', { name: 'Close account' }).click();
    visit.expect(statusError(403));
    await page.getByRole('dialog').getByRole('button', { name: 'Close account' }).click();
    await prove();
    await page.getByText('This account is closed').waitFor();

    stoppedAtMs += 16 * 60_000;
    await page.getByRole('button', { name: 'Delete account' }).click();
    await page.getByLabel('Type nils to confirm').fill('nils');
    visit.expect(statusError(403));
    await page.getByRole('dialog').getByRole('button', { name: 'Delete account' }).click();
    await prove();
    await page.getByText('Account nils deleted.').waitFor();
  },
);

void test('expired session: the user logs in again in a dialog, and the request is retried', options, async (t) => {
  const visit = await openVisit(t, service, { loggedInAs: 'vera' });
  const { page, context } = visit;
  await visit.open('/account');
  await page.getByLabel('Phone').fill('0123 456');
  await context.clearCookies();
  visit.expect(statusError(401));
  await page.getByRole('button', { name: 'Save profile' }).click();
  const dialog = page.getByRole('dialog', { name: 'Log in again' });
  await dialog.waitFor();
  await checkAccessibility(page, 'The dialog for logging in again');
  assert.equal(await dialog.getByLabel('Username').inputValue(), 'vera');
  await dialog.getByRole('button', { name: 'Not now' }).click();
  await page.getByText('You are not logged in. Log in and try again.').waitFor();
  assert.equal(await page.getByLabel('Phone').inputValue(), '0123 456', 'nothing is lost');
  await page.getByRole('button', { name: 'Save profile' }).click();
  await dialog.locator('input[name=password]').fill(PASSWORDS['vera'] ?? '');
  await page.keyboard.press('Enter');
  // The request is retried by itself.
  await page.getByText('Profile saved.').waitFor();
  const vera = bearer(await logIn(call, 'vera'));
  assert.match((await call('GET', 'user/vera', { headers: vera })).text, /"phone":"0123 456"/);
});

void test('reset link: sets a password once, and its token is in no request', options, async (t) => {
  const root = bearer(await logIn(call, 'root'));
  const { link, token } = JSON.parse((await call('POST', 'admin/users/edna/reset-link', { headers: root })).text) as {
    link: string;
    token: string;
  };
  const visit = await openVisit(t, service, { width: 375, theme: 'dark' });
  const { page } = visit;
  const seen: string[] = [];
  page.on('request', (request) => seen.push(request.url(), JSON.stringify(request.headers())));
  // Opening the link does not use it up, as programs that preview links open it too.
  for (let count = 0; count < 2; count++) await visit.open(link.replace(service.origin, ''));
  await page.getByRole('heading', { name: 'Choose a new password' }).waitFor();
  await page.waitForURL(`${service.origin}/reset-password`);
  await page.reload();
  await page.getByRole('heading', { name: 'This link is incomplete' }).waitFor();
  await visit.open('/');
  await visit.open(link.replace(service.origin, ''));
  await checkAccessibility(page, 'The page of a reset link');
  const password = page.getByLabel('New password');
  await password.fill('1qaz2wsx3edc4rfv');
  visit.expect(statusError(400));
  await page.getByRole('button', { name: 'Set password' }).click();
  await page.getByText('This password is easy to guess').waitFor();
  await password.fill(PASSWORD);
  await page.getByRole('button', { name: 'Set password' }).click();
  await page.getByRole('heading', { name: 'Your new password is set' }).waitFor();
  await logIn(call, 'edna', PASSWORD);
  await visit.open('/');
  await visit.open(link.replace(service.origin, ''));
  await password.fill('green lanterns over warm water');
  await page.getByRole('button', { name: 'Set password' }).click();
  await page.getByRole('heading', { name: 'This link is no longer valid' }).waitFor();
  assert.ok(seen.length > 0);
  assert.doesNotMatch(seen.join('\n'), new RegExp(token));
});

void test('login at a provider that fails: the page says why', options, async (t) => {
  const visit = await openVisit(t, service, { width: 375 });
  const { page } = visit;
  await visit.open('/login#problem=unavailable');
  await page.getByRole('alert').getByText('The login provider does not respond.').waitFor();
  await checkAccessibility(page, 'The login page after a failed login at a provider');
  assert.equal(new URL(page.url()).hash, '');
});
