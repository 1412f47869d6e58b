import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';

/** The JSON form of a credential, which the service checks. */
type SentCredential = Readonly<Record<string, unknown>>;

const NAMES = { AbortError: 'replaced', NotAllowedError: 'cancelled', InvalidStateError: 'known' } as const;

/** Why the browser returned no passkey. */
export class PasskeyFailure extends Error {
  override readonly name = 'PasskeyFailure';
  /** `replaced` if the page asked for another one, `known` if the device has one of the account already. */
  readonly reason: (typeof NAMES)[keyof typeof NAMES] | 'impossible';

  constructor(cause: unknown) {
    super('The browser returned no passkey.', { cause });
    const name = cause instanceof Error ? cause.name : '';
    this.reason = Object.hasOwn(NAMES, name) ? NAMES[name as keyof typeof NAMES] : 'impossible';
  }
}

/** Whether browsers have passkeys at this address: over https and on localhost, not for IP addresses (5.1.3). */
export function hasPasskeys(): boolean {
  const { hostname } = location;
  const isAddress = /^[\d.]+$|^\[/.test(hostname);
  return isSecureContext && !isAddress && typeof PublicKeyCredential === 'function';
}

const load = () => import('@simplewebauthn/browser');

/**
 * Asks the user for a passkey.
 *
 * @param isAutofill lets the browser offer passkeys in the field for the username; waits until one is chosen
 * @throws PasskeyFailure
 */
export async function askForPasskey(options: object, isAutofill = false): Promise<SentCredential> {
  const { startAuthentication } = await load();
  const optionsJSON = options as PublicKeyCredentialRequestOptionsJSON;
  return asSent(startAuthentication({ optionsJSON, useBrowserAutofill: isAutofill }));
}

/** @throws PasskeyFailure */
export async function createPasskey(options: object): Promise<SentCredential> {
  const { startRegistration } = await load();
  return asSent(startRegistration({ optionsJSON: options as PublicKeyCredentialCreationOptionsJSON }));
}

/** Ends a pending request. */
export async function stopAsking(): Promise<void> {
  const { WebAuthnAbortService } = await load();
  WebAuthnAbortService.cancelCeremony();
}

async function asSent(asked: Promise<object>): Promise<SentCredential> {
  try {
    return { ...(await asked) };
  } catch (error) {
    throw new PasskeyFailure(error);
  }
}

/** Whether the browser can offer passkeys in a field. */
export async function canAutofill(): Promise<boolean> {
  if (!hasPasskeys()) return false;
  const { browserSupportsWebAuthnAutofill } = await load();
  return browserSupportsWebAuthnAutofill();
}
