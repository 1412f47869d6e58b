import type { Passkey } from '../accounts/factors.ts';

/* The interfaces of services with which factors are set up and checked. */

/** The secret of one-time codes, which an app needs. */
export interface NewTotp {
  /** In base32. */
  secret: string;
  /** An `otpauth:` URI, which the app reads from a QR code. */
  uri: string;
}

/** Time-based one-time codes (RFC 6238): six digits, a new one every 30 seconds. */
export interface OneTimeCodes {
  /** @param site the name of the service in the app */
  create(site: string, username: string): Promise<NewTotp>;
  /**
   * The number of the step whose code this is: of the current one, the one before or the one after. Undefined for a
   * wrong code.
   */
  stepOf(secret: string, code: string, atMs: number): Promise<number | undefined>;
}

/** Where passkeys are used: they work on no other site. */
export interface PasskeySite {
  /** The host name. */
  rpId: string;
  origin: string;
}

/** What a browser gets for a passkey. */
export interface PasskeyCeremony {
  challenge: string;
  /** In the JSON form of WebAuthn (level 3, section 5.1.8). */
  options: object;
}

/** What a browser sends, in the JSON form of WebAuthn. It is not checked. */
export type SentCredential = Readonly<Record<string, unknown>>;

export type NewCredential = Pick<Passkey, 'credential' | 'publicKey' | 'counter' | 'transports' | 'isSynced'>;

/** Web Authentication. Passkeys are discoverable, and always used with a PIN or a biometric check. */
export interface WebAuthn {
  /** @param existing the passkeys of the account, so that no authenticator gets a second one */
  startRegistration(
    site: PasskeySite,
    user: { handle: string; name: string },
    existing: readonly Passkey[],
  ): Promise<PasskeyCeremony>;
  /** Undefined for a response that is not valid. */
  checkRegistration(site: PasskeySite, challenge: string, sent: SentCredential): Promise<NewCredential | undefined>;
  /**
   * @param allowed the passkeys of the account; undefined for any of this site
   * @param challenge 256 bits in base64url; undefined for random ones
   */
  startAssertion(site: PasskeySite, allowed?: readonly Passkey[], challenge?: string): Promise<PasskeyCeremony>;
  /** Returns the new counter; undefined for a response that is not valid. */
  checkAssertion(
    site: PasskeySite,
    challenge: string,
    passkey: Passkey,
    sent: SentCredential,
  ): Promise<number | undefined>;
}
