import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { clientOf } from '../support/client.ts';
import { bearer, createKey, logIn, PASSWORDS, startSecuredService } from '../support/secured.ts';
import { checkAccessibility } from './support/accessibility.ts';
import { skipWithoutBrowser } from './support/browser.ts';
import { openVisit } from './support/visit.ts';

/*
 * What people do with their own account, in secured access.
 */

/** Stands still where a test wants to see somebody wait. */
let stoppedAtMs: number | undefined;

const service = await startSecuredService({ after }, { web: true, clock: () => stoppedAtMs ?? Date.now() });
const call = clientOf(service.base);
const options = { skip: skipWithoutBrowser };
const PASSWORD = 'green lanterns over calm water';

/** What the browser says of an answer that is no success. */
const told = (status: number) => new RegExp(`status of ${status}`);

void test('signing up says what a good password is while one types, and logs in', options, async (t) => {
  const visit = await openVisit(t, service, { width: 375 });
  const { page } = visit;
  await visit.open('/sign-up?to=%2Faccount');
  const name = page.getByLabel('User name');
  const password = page.getByLabel('Password', { exact: false }).first();
  await name.fill('login');
  await page.getByText('This name is an address of the service').waitFor();
  await name.fill('user?10');
  await password.fill('short');
  await page.getByText('10 more characters').waitFor();
  await page.getByRole('button', { name: 'Make the account' }).click();
  await page.getByText('It needs at least 15 characters').waitFor();
  await password.fill('abcabcabcabcabcabc');
  await page.getByText('This would be tried first').waitFor();
  await checkAccessibility(page, 'The page for signing up, with a fault');
  // Only the service knows the list of common ones.
  await password.fill('passwordpassword1');
  await password.fill('qwertyuiopasdfghjkl');
  await page.getByRole('button', { name: 'Show the password' }).click();
  assert.equal(await password.getAttribute('type'), 'text');
  await password.fill(PASSWORD);
  await page.getByText('Long enough.').waitFor();
  await page.getByRole('button', { name: 'Make the account' }).click();
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
  visit.expect(told(409));
  await page.getByRole('button', { name: 'Make the account' }).click();
  await page.getByText('This user name is taken').waitFor();
});

void test('a common password is refused by the service, and told at the field', options, async (t) => {
  const visit = await openVisit(t, service);
  const { page } = visit;
  await visit.open('/sign-up');
  await page.getByLabel('User name').fill('somebody');
  // Long enough, nothing repeats, and many have it: the page itself cannot know.
  await page.locator('#password').fill('1qaz2wsx3edc4rfv');
  visit.expect(told(400));
  await page.getByRole('button', { name: 'Make the account' }).click();
  await page.locator('#password-error').getByText('tried first').waitFor();
  await page.locator('#password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Make the account' }).click();
  await page.getByText('you are logged in as somebody').waitFor();
});

void test('logging in leads back to where one was, and never to another site', options, async (t) => {
  const visit = await openVisit(t, service);
  const { page } = visit;
  await visit.open('/account');
  await page.getByRole('heading', { name: 'Log in to see this' }).waitFor();
  await page.getByRole('main').getByRole('link', { name: 'Log in' }).click();
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
  await checkAccessibility(page, 'The page for logging in');
  await page.getByLabel('User name').fill('vera');
  const password = page.locator('input[name=password]');
  await password.fill('a wrong one');
  visit.expect(told(400));
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('alert').getByText('is not right').waitFor();
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
  // What she had typed is nothing for the next one at this browser; what somebody else has typed is not hers to drop.
  assert.deepEqual(await page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes('draft'))), [
    'menagerie-draft-1:edna:new',
  ]);
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Log in' }).waitFor();

  await visit.open('/login?to=%2F%2Fevil.example');
  await page.getByLabel('User name').fill('vera');
  await password.fill(PASSWORDS['vera'] ?? '');
  await password.press('Enter');
  await page.getByText('You are logged in as vera').waitFor();
  assert.equal(page.url(), `${service.origin}/`);
});

void test('who has tried too often is told how long to wait', options, async (t) => {
  stoppedAtMs = Date.now();
  t.after(() => (stoppedAtMs = undefined));
  for (let count = 0; count < 11; count++)
    await call('POST', 'user/login', { json: { username: 'throttled', password: 'wrong' } });
  const visit = await openVisit(t, service, { language: 'de' });
  const { page } = visit;
  await visit.open('/login');
  await page.getByLabel('Benutzername').fill('throttled');
  await page.locator('input[name=password]').fill('wrong');
  visit.expect(told(429));
  await page.getByRole('button', { name: 'Anmelden' }).click();
  const alert = page.getByRole('alert');
  await alert
    .getByText(/In \d+ Sekunden? kannst du/)
    .first()
    .waitFor();
  await alert.getByText('Du kannst es jetzt wieder versuchen.').waitFor();
});

void test('the account page keeps the profile, tells of sessions and ends them', options, async (t) => {
  const elsewhere = await logIn(call, 'otto');
  const other = await logIn(call, 'otto');
  const visit = await openVisit(t, service, { signedInAs: 'otto', width: 768, theme: 'dark' });
  const { page } = visit;
  await visit.open('/account');
  await page.getByLabel('First name').fill('Otto');
  await page.getByLabel('E-mail').fill('otto@example.org');
  await page.getByRole('button', { name: 'Save the profile' }).click();
  await page.getByText('Your profile is saved.').waitFor();
  const profile = await call('GET', 'user/otto', { headers: bearer(elsewhere) });
  assert.match(profile.text, /"firstName":"Otto","email":"otto@example.org","userStatus":2/, 'the status stays');

  const sessions = page.getByRole('region', { name: 'Where you are logged in' });
  await sessions.getByText('Chrome on Linux').waitFor();
  const own = sessions.getByRole('listitem').filter({ hasText: 'This session' });
  await own.getByText(/^From \S+, in use now$/).waitFor();
  assert.doesNotMatch(await own.innerText(), /last used/);
  await sessions
    .getByRole('button', { name: /^End the session/ })
    .first()
    .click();
  await page.getByText('The session has ended.').waitFor();
  await sessions.getByRole('button', { name: 'End all other sessions' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'End all other sessions' }).click();
  await sessions.getByText('You are logged in nowhere else.').waitFor();
  for (const token of [elsewhere, other])
    assert.equal((await call('GET', 'account', { headers: bearer(token) })).status, 401);
});

void test(
  'a key is shown once, a password needs the old one, and an account is deleted by its name',
  options,
  async (t) => {
    const visit = await openVisit(t, service, { signedInAs: 'otto' });
    const { page } = visit;
    await visit.open('/account');
    const keys = page.getByRole('region', { name: 'API keys' });
    await keys.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('What is it for?').fill('The feeding robot');
    await checkAccessibility(page, 'The dialog for a new key');
    await page.getByRole('button', { name: 'Make the key' }).click();
    const secret = await page.getByRole('textbox', { name: 'The key' }).inputValue();
    assert.match(secret, /^mgk_[\w-]{43}$/);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'I have copied it' }).click();
    const ofOtto = bearer(await logIn(call, 'otto'));
    assert.match((await call('GET', 'account/keys', { headers: ofOtto })).text, /"name":"The feeding robot"/);
    await checkAccessibility(page, 'The account page');
    await keys.getByRole('button', { name: 'Revoke the key The feeding robot' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await keys.getByText('You have no keys.').waitFor();
    assert.doesNotMatch(await page.content(), new RegExp(secret), 'the key is nowhere any more');

    const password = page.getByRole('region', { name: 'Password' });
    await password.getByLabel('The password you have').fill('not that one');
    await password.getByLabel('New password').fill(PASSWORD);
    visit.expect(told(400));
    await password.getByRole('button', { name: 'Change the password' }).click();
    await password.getByText('This is not the password of your account.').waitFor();
    await password.getByLabel('The password you have').fill(PASSWORDS['otto'] ?? '');
    await createKey(call, await logIn(call, 'otto'), ['read:pets']);
    const revoke = password.getByRole('checkbox', { name: 'Also revoke all my API keys' });
    assert.ok(await revoke.isChecked());
    await revoke.uncheck();
    await password.getByRole('button', { name: 'Change the password' }).click();
    await page.getByText('Your password is changed, and your other sessions have ended.').waitFor();
    await logIn(call, 'otto', PASSWORD);
    await keys.getByRole('button', { name: 'Revoke the key test' }).waitFor();
    assert.ok(await revoke.isChecked(), 'the next change offers it again');
    await password.getByLabel('The password you have').fill(PASSWORD);
    await password.getByLabel('New password').fill(`${PASSWORD}, again`);
    await password.getByRole('button', { name: 'Change the password' }).click();
    await page.getByText('your API keys are revoked').waitFor();
    await keys.getByText('You have no keys.').waitFor();

    await page.getByRole('button', { name: 'Delete the account' }).click();
    const dialog = page.getByRole('dialog');
    const remove = dialog.getByRole('button', { name: 'Delete the account' });
    assert.ok(await remove.isDisabled());
    await dialog.getByLabel('Type otto to confirm').fill('Otto');
    await checkAccessibility(page, 'The dialog for deleting an account');
    await remove.click();
    await page.getByText('The account otto is deleted.').waitFor();
    assert.equal(
      (await call('POST', 'user/login', { json: { username: 'otto', password: `${PASSWORD}, again` } })).status,
      400,
    );
  },
);

void test('a key that is asked for long after the login needs the password', options, async (t) => {
  const visit = await openVisit(t, service, { signedInAs: 'vera', width: 375, language: 'de' });
  const { page } = visit;
  await visit.open('/account');
  stoppedAtMs = Date.now() + 16 * 60_000;
  t.after(() => (stoppedAtMs = undefined));
  await page.getByRole('button', { name: 'Neuer Schlüssel' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Wofür ist er?').fill('Futterautomat');
  const submit = dialog.getByRole('button', { name: 'Schlüssel anlegen' });
  const password = dialog.getByLabel('Dein jetziges Passwort');
  visit.expect(told(403));
  assert.equal(await password.count(), 0);
  await submit.click();
  await dialog.getByText('Du hast dich vor einiger Zeit angemeldet.').waitFor();
  await password.and(page.locator(':focus')).waitFor();
  await checkAccessibility(page, 'The dialog for a new key that asks for the password');
  await password.fill('not that one');
  await submit.click();
  await dialog.getByText('Das ist nicht das Passwort deines Kontos.').waitFor();
  await password.fill(PASSWORDS['vera'] ?? '');
  await password.press('Enter');
  assert.match(await dialog.getByRole('textbox', { name: 'Der Schlüssel' }).inputValue(), /^mgk_/);
  await dialog.getByRole('button', { name: 'Ich habe ihn kopiert' }).click();
  await page.getByRole('region', { name: 'API-Schlüssel' }).getByText('Futterautomat').waitFor();
});

void test('a session that ends while one works is begun again over the page, which goes on', options, async (t) => {
  const visit = await openVisit(t, service, { signedInAs: 'vera' });
  const { page, context } = visit;
  await visit.open('/account');
  await page.getByLabel('Phone').fill('0123 456');
  await context.clearCookies();
  visit.expect(told(401));
  await page.getByRole('button', { name: 'Save the profile' }).click();
  const dialog = page.getByRole('dialog', { name: 'Log in again' });
  await dialog.waitFor();
  await checkAccessibility(page, 'The dialog for logging in again');
  assert.equal(await dialog.getByLabel('User name').inputValue(), 'vera');
  await dialog.getByRole('button', { name: 'Not now' }).click();
  await page.getByText('You are not logged in any more').waitFor();
  assert.equal(await page.getByLabel('Phone').inputValue(), '0123 456', 'nothing is lost');
  await page.getByRole('button', { name: 'Save the profile' }).click();
  await dialog.locator('input[name=password]').fill(PASSWORDS['vera'] ?? '');
  await page.keyboard.press('Enter');
  // What was asked for is done, without being asked for again.
  await page.getByText('Your profile is saved.').waitFor();
  const vera = bearer(await logIn(call, 'vera'));
  assert.match((await call('GET', 'user/vera', { headers: vera })).text, /"phone":"0123 456"/);
});

void test('a reset link sets a password once, and its token is in no address that anybody sees', options, async (t) => {
  const root = bearer(await logIn(call, 'root'));
  const { link, token } = JSON.parse((await call('POST', 'admin/users/edna/reset-link', { headers: root })).text) as {
    link: string;
    token: string;
  };
  const visit = await openVisit(t, service, { width: 375, theme: 'dark' });
  const { page } = visit;
  const seen: string[] = [];
  page.on('request', (request) => seen.push(request.url(), JSON.stringify(request.headers())));
  // Programs that preview links open them, too: that uses nothing up.
  for (let count = 0; count < 2; count++) await visit.open(link.replace(service.origin, ''));
  await page.getByRole('heading', { name: 'Choose a new password' }).waitFor();
  await page.waitForURL(`${service.origin}/reset-password`);
  await page.reload();
  await page.getByRole('heading', { name: 'This link is not complete' }).waitFor();
  await visit.open('/');
  await visit.open(link.replace(service.origin, ''));
  await checkAccessibility(page, 'The page of a reset link');
  const password = page.getByLabel('New password');
  await password.fill('1qaz2wsx3edc4rfv');
  visit.expect(told(400));
  await page.getByRole('button', { name: 'Set the password' }).click();
  await page.getByText('This is one of those that are tried first').waitFor();
  await password.fill(PASSWORD);
  await page.getByRole('button', { name: 'Set the password' }).click();
  await page.getByRole('heading', { name: 'Your new password is set' }).waitFor();
  await logIn(call, 'edna', PASSWORD);
  await visit.open('/');
  await visit.open(link.replace(service.origin, ''));
  await password.fill('green lanterns over warm water');
  await page.getByRole('button', { name: 'Set the password' }).click();
  await page.getByRole('heading', { name: 'This link does not work any more' }).waitFor();
  assert.ok(seen.length > 0);
  assert.doesNotMatch(seen.join('\n'), new RegExp(token));
});
