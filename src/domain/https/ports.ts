/* The certificate for HTTPS. `domain/ports.ts` has the rules for every store, and the errors of every call. */

export interface Certificate {
  /** PEM. Secret. */
  privateKey: string;
  /** PEM: the certificate, then those of the authorities that signed it. */
  chain: string;
  notBeforeMs: number;
  notAfterMs: number;
}

/** The certificate of an order, and the state of the attempts to get a newer one. */
export interface CertificateState {
  /** The key of the account at the authority, PEM. Secret. */
  accountKey: string | undefined;
  certificate: Certificate | undefined;
  /** One process orders until then. */
  claimedUntilMs: number;
  /** Counts all changes. A claim names the one that it follows, so that of several processes one succeeds. */
  revision: number;
  /** Failed attempts since the last success. */
  attempts: number;
  failingSinceMs: number | undefined;
  failedAtMs: number | undefined;
  error: string | undefined;
}

export const NO_CERTIFICATE: CertificateState = {
  accountKey: undefined,
  certificate: undefined,
  claimedUntilMs: 0,
  revision: 0,
  attempts: 0,
  failingSinceMs: undefined,
  failedAtMs: undefined,
  error: undefined,
};

/** Administrators get a message if no certificate could be obtained for this time. */
export const CERTIFICATE_REPORTED_AFTER_MS = 24 * 3_600_000;

/** Returns 1, or 0 if nothing was changed. `order` identifies the authority and the domains. */
export type CertificateChange =
  /** Claims the order for one process. `accountKey` is stored unless there is one. */
  | { kind: 'claim'; order: string; revision: number; untilMs: number; accountKey: string }
  /** Ends the claim that lasts until `untilMs`. Deletes what has expired. */
  | { kind: 'obtained'; order: string; untilMs: number; atMs: number; certificate: Certificate }
  /** Ends the claim. After `CERTIFICATE_REPORTED_AFTER_MS`, administrators get a message, once. */
  | { kind: 'failed'; order: string; untilMs: number; atMs: number; error: string }
  /** The answer to a challenge of the authority (RFC 8555, section 8.3), which any node may be asked for. */
  | { kind: 'challenge'; token: string; answer: string; expiresAtMs: number }
  | { kind: 'delete-challenge'; token: string };

export interface CertificateStore {
  /** `NO_CERTIFICATE` if nothing was stored of the order. */
  find(order: string): Promise<CertificateState>;
  findChallenge(token: string): Promise<string | undefined>;
  apply(change: CertificateChange): Promise<number>;
}

/** The place at which an authority issues certificates: the URL of its directory (RFC 8555, section 7.1.1). */
export interface CertificateOrder {
  directory: string;
  domains: readonly string[];
  /** PEM. */
  accountKey: string;
}

export interface CertificateAuthority {
  /** A new key for an account, PEM. */
  createAccountKey(): Promise<string>;
  /**
   * Proves the control over the domains, and gets a certificate for them. Creates the account if it does not exist.
   *
   * @param putAnswer called before the authority asks for the challenge
   * @throws Error of the authority or the network, with a message for operators
   */
  order(
    order: CertificateOrder,
    putAnswer: (token: string, answer: string) => Promise<void>,
    removeAnswer: (token: string) => Promise<void>,
  ): Promise<Certificate>;
}
