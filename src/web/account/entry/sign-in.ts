import { isSameUsername } from '../../../api/web/account-checks.ts';
import type { CurrentUser } from '../../../api/web/bootstrap.ts';
import { SECOND_FACTOR_FRAGMENT } from '../../../api/web/sign-in-problems.ts';
import { plainClient } from '../../service/client.ts';
import { findCurrentUser } from '../../service/current-user.ts';
import { askForPasskey } from './passkeys.ts';

/*
 * Logins. The session is in a cookie that scripts cannot read; the token in the response is not used.
 */

export interface Credentials {
  username: string;
  password: string;
}

/** What the user presents. For a passkey, the browser asks when it is sent. */
export type Proof =
  { factor: 'password'; password: string } | { factor: 'totp' | 'recovery-code'; code: string } | { factor: 'passkey' };

export type Factor = Proof['factor'];

/** A login that needs one of these factors after the password. */
export interface SecondStep {
  step: string;
  factors: readonly string[];
  passkeyOptions: object | undefined;
}

/** The second step of a login at a provider, which the service puts into the fragment of the login page. */
export function readSecondStep(fragment: string): SecondStep | undefined {
  if (!fragment.startsWith(SECOND_FACTOR_FRAGMENT)) return undefined;
  try {
    const base64 = fragment.slice(SECOND_FACTOR_FRAGMENT.length).replaceAll('-', '+').replaceAll('_', '/');
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const { step, factors, passkeyOptions } = JSON.parse(new TextDecoder().decode(bytes)) as Partial<SecondStep>;
    return typeof step === 'string' && Array.isArray(factors) ? { step, factors, passkeyOptions } : undefined;
  } catch {
    // The address was changed.
    return undefined;
  }
}

/** The login succeeded, but the browser did not store the cookie. */
export class CookieRefused extends Error {
  override readonly name = 'CookieRefused';
}

/** Another user than the one of the page has logged in. */
export class OtherUser extends Error {
  override readonly name = 'OtherUser';
}

/** @returns the second step if the account has a second factor */
export async function logIn(credentials: Credentials): Promise<CurrentUser | SecondStep> {
  const { step, factors, passkeyOptions } = await plainClient.signInWithPassword({ body: credentials });
  return step === undefined ? getCurrentUser() : { step, factors: factors ?? [], passkeyOptions };
}

export async function completeLogin({ step, passkeyOptions = {} }: SecondStep, proof: Proof): Promise<CurrentUser> {
  if (proof.factor === 'passkey') {
    const credential = await askForPasskey(passkeyOptions);
    await plainClient.signInWithPasskey({ body: { step, credential } });
  } else if (proof.factor !== 'password') await plainClient.signInWithCode({ body: { step, ...proof } });
  return getCurrentUser();
}

export interface ChosenPasskey {
  step: string;
  credential: Readonly<Record<string, unknown>>;
}

export async function choosePasskey(isAutofill: boolean): Promise<ChosenPasskey> {
  const { step, options } = await plainClient.startPasskeySignIn();
  return { step, credential: await askForPasskey(options, isAutofill) };
}

/** @param username of the only user who may log in here */
export async function logInWithPasskey(chosen: ChosenPasskey, username: string | undefined): Promise<CurrentUser> {
  await plainClient.signInWithPasskey({ body: chosen });
  const currentUser = await getCurrentUser();
  if (username === undefined || isSameUsername(currentUser.username, username)) return currentUser;
  await plainClient.logoutUser();
  throw new OtherUser('The passkey belongs to another user.');
}

/** The user of the session, which another tab has begun. @throws OtherUser */
export async function findUser(username: string): Promise<CurrentUser> {
  const currentUser = await getCurrentUser();
  if (isSameUsername(currentUser.username, username)) return currentUser;
  throw new OtherUser('Another user has logged in in another tab.');
}

/** Proves that the session is used by the owner of the account. */
export async function prove(proof: Proof): Promise<void> {
  if (proof.factor === 'passkey') {
    const { step, options } = await plainClient.startPasskeyProof();
    await plainClient.proveOwnership({ body: { step, credential: await askForPasskey(options) } });
  } else if (proof.factor === 'password') await plainClient.proveOwnership({ body: { password: proof.password } });
  else await plainClient.proveOwnership({ body: proof });
}

async function getCurrentUser(): Promise<CurrentUser> {
  const currentUser = await findCurrentUser();
  if (currentUser === null) throw new CookieRefused('The browser did not store the session cookie.');
  return currentUser;
}
