import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { codeAt, setUpTotp, STEP_MS } from '../../support/factors.ts';
import { newPkce, registerProgram, requestOf } from '../../support/oauth.ts';
import { logIn, PASSWORDS, startSecuredService } from '../../support/secured.ts';
import { skipWithoutBrowser } from '../support/browser.ts';
import { checkFocus, tabTo } from '../support/keyboard.ts';
import { keepScreenshot } from '../support/screenshots.ts';
import { VirtualAuthenticator } from '../support/virtual-authenticator.ts';
import { openVisit } from '../support/visit.ts';

/*
 * Logging in and out with a second factor and without a mouse, and the dialogs on the way with the colours of the
 * system.
 */

let nowMs = Date.now();
const service = await startSecuredService({ after }, { web: true, clock: () => nowMs });
const { call } = service;
/** Browsers have no passkeys for IP addresses. */
const local = { origin: service.origin.replace('127.0.0.1', 'localhost') };
const options = { skip: skipWithoutBrowser };

void test('keyboard: logs in with a code, adds a passkey, allows a program, and logs out', options, async (t) => {
  const { secret } = await setUpTotp(call, await logIn(call, 'edna'), nowMs);
  nowMs += 2 * STEP_MS;
  const visit = await openVisit(t, local, { width: 1280 });
  const { page } = visit;
  const phone = await VirtualAuthenticator.addTo(page);
  await visit.open('/login?to=%2Faccount');
  await typeCredentials(page, 'edna');
  const code = page.getByLabel('One-time code');
  await checkFocus(page, code);
  await checkForcedColours(page, 'The login page that asks for a code');
  await page.keyboard.type(codeAt(secret, nowMs));
  await page.keyboard.press('Enter');
  await checkFocus(page, page.getByRole('heading', { level: 1, name: 'Your account' }));

  nowMs += 16 * 60_000;
  await tabTo(page, page.getByRole('button', { name: 'Add passkey' }));
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Add passkey' });
  await checkFocus(page, dialog.getByLabel('Name of the passkey'));
  await checkForcedColours(page, 'The dialog for a new passkey');
  await phone.touch();
  await tabTo(page, dialog.getByRole('button', { name: 'Create passkey' }));
  visit.expect(/status of 403/);
  await page.keyboard.press('Enter');
  const proof = page.getByRole('dialog', { name: 'Confirm that it is you' });
  await checkFocus(page, proof.getByLabel('One-time code'));
  await checkForcedColours(page, 'The dialog that asks for a proof');
  await page.keyboard.type(codeAt(secret, nowMs));
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: /^Rename passkey/ }).waitFor();
  await dialog.waitFor({ state: 'detached' });
  assert.equal(await phone.countCredentials(), 1);

  const redirect = `${local.origin}/about`;
  const program = await registerProgram(call, await logIn(call, 'root'), {
    name: 'Kennel cards',
    redirectUris: [redirect],
  });
  const request = new URLSearchParams(requestOf(program, newPkce(), { redirect_uri: redirect, scope: 'read:pets' }));
  await visit.open(`/oauth/authorize?${request.toString()}`);
  await page.getByRole('button', { name: 'Allow' }).waitFor();
  await checkForcedColours(page, 'The consent page');
  await tabTo(page, page.getByRole('button', { name: 'Allow' }));
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/about\?code=[\w-]{43}/);

  await visit.open('/account');
  await tabTo(page, page.getByRole('button', { name: 'Log out' }));
  await page.keyboard.press('Enter');
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Log in' }).waitFor();
});

async function typeCredentials(page: Page, username: string): Promise<void> {
  await tabTo(page, page.getByLabel('Username'));
  await page.keyboard.type(username);
  await tabTo(page, page.getByLabel(/^Password/));
  await page.keyboard.type(PASSWORDS[username] ?? '');
  await page.keyboard.press('Enter');
}

/**
 * With the colours of the system, browsers show no backgrounds and shadows, so controls and dialogs must have a border or
 * an underline.
 */
async function checkForcedColours(page: Page, name: string): Promise<void> {
  await page.emulateMedia({ forcedColors: 'active' });
  await keepScreenshot(page, `forced colours ${name}`);
  const looks = await page.evaluate(() => {
    const top = [...document.querySelectorAll('dialog[open]')].at(-1);
    const root = top ?? document.querySelector('main') ?? document.body;
    const controls = [...root.querySelectorAll('button, input:not([type=hidden]), select, textarea, a')];
    const shown = [...(top === undefined ? [] : [top]), ...controls].filter((element) => element.checkVisibility());
    return shown.map((element) => {
      const { borderBottomStyle, textDecorationLine } = getComputedStyle(element);
      // A field may have its border around it.
      const around = getComputedStyle((element.localName === 'input' && element.parentElement) || element);
      // Neither an icon nor a checkbox of the browser looks like text.
      const isSymbol = element.matches('[type=checkbox], button') && element.textContent.trim() === '';
      const marks = [borderBottomStyle, textDecorationLine, around.borderBottomStyle];
      return { html: element.outerHTML.slice(0, 160), marks, isSymbol };
    });
  });
  await page.emulateMedia({ forcedColors: 'none' });
  assert.ok(looks.length > 0, name);
  const bare = looks.filter(({ marks, isSymbol }) => !isSymbol && marks.every((mark) => mark === 'none'));
  assert.deepEqual(bare, [], `${name}: without backgrounds, these look like text`);
}
