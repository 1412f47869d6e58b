import type { Clock } from '../ports.ts';
import { type Certificate, type CertificateAuthority, type CertificateState, type CertificateStore } from './ports.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * The delays after failed attempts. Let's Encrypt allows five failed proofs of a domain in an hour, and seven failed
 * orders a day would not exceed any of its limits.
 */
const DELAYS_MS = [10 * MINUTE_MS, HOUR_MS, 4 * HOUR_MS, 12 * HOUR_MS];

/** After a start, the operator may have fixed the cause. A service that restarts again and again waits as well. */
const DELAY_AFTER_START_MS = 10 * MINUTE_MS;

/** Longer than a trial and an order may take together. */
const CLAIM_MS = 10 * MINUTE_MS;

interface RenewalDeps {
  certificates: CertificateStore;
  authority: CertificateAuthority;
  directory: string;
  /** A directory of untrusted certificates for trials, before the first order and after failures. */
  stagingDirectory: string | undefined;
  domains: readonly string[];
  clock: Clock;
  /** A certificate was obtained by this or another node, or read for the first time. */
  onCertificate: (certificate: Certificate) => void;
  onFailure: (error: string, nextAtMs: number) => void;
}

/** Obtains the certificate for HTTPS, and renews it after two thirds of its lifetime. */
export class CertificateRenewal {
  readonly #deps: RenewalDeps;
  readonly #order: string;
  readonly #startedAtMs: number;
  #current: Certificate | undefined;

  constructor(deps: RenewalDeps) {
    this.#deps = deps;
    this.#order = [deps.directory, ...deps.domains.toSorted()].join(' ');
    this.#startedAtMs = deps.clock();
  }

  read(): Promise<CertificateState> {
    return this.#deps.certificates.find(this.#order);
  }

  /** Uses the certificate that is stored, and orders another one if it is time. Returns false if that failed. */
  async run(): Promise<boolean> {
    const state = await this.read();
    this.#use(state.certificate);
    if (!this.#isDue(state)) return true;
    const claimed = await this.#claim(state);
    return claimed === undefined ? true : this.#renew(state, claimed);
  }

  #use(certificate: Certificate | undefined): void {
    if (certificate === undefined || certificate.chain === this.#current?.chain) return;
    this.#current = certificate;
    this.#deps.onCertificate(certificate);
  }

  #isDue({ certificate, claimedUntilMs, attempts, failedAtMs = 0 }: CertificateState): boolean {
    const nowMs = this.#deps.clock();
    if (claimedUntilMs > nowMs && claimedUntilMs <= nowMs + CLAIM_MS) return false;
    if (certificate !== undefined && nowMs < renewalOf(certificate)) return false;
    return attempts === 0 || nowMs >= failedAtMs + this.#delayAfter(attempts, failedAtMs);
  }

  #delayAfter(attempts: number, failedAtMs: number): number {
    const delayMs = DELAYS_MS[Math.min(attempts, DELAYS_MS.length) - 1] ?? 0;
    return failedAtMs < this.#startedAtMs ? Math.min(delayMs, DELAY_AFTER_START_MS) : delayMs;
  }

  async #claim({ revision, accountKey }: CertificateState) {
    const { certificates, authority, clock } = this.#deps;
    const claim = {
      order: this.#order,
      untilMs: clock() + CLAIM_MS,
      accountKey: accountKey ?? (await authority.createAccountKey()),
    };
    const isClaimed = (await certificates.apply({ kind: 'claim', revision, ...claim })) > 0;
    return isClaimed ? claim : undefined;
  }

  async #renew(
    { certificate, attempts }: CertificateState,
    { order, untilMs, accountKey }: { order: string; untilMs: number; accountKey: string },
  ): Promise<boolean> {
    const { certificates, directory, stagingDirectory, clock, onFailure } = this.#deps;
    try {
      const isTrial = stagingDirectory !== undefined && (certificate === undefined || attempts > 0);
      if (isTrial) await this.#obtain(stagingDirectory, accountKey);
      const obtained = await this.#obtain(directory, accountKey);
      await certificates.apply({ kind: 'obtained', order, untilMs, atMs: clock(), certificate: obtained });
      this.#use(obtained);
      return true;
    } catch (failure) {
      const error = failure instanceof Error ? failure.message : String(failure);
      const atMs = clock();
      await certificates.apply({ kind: 'failed', order, untilMs, atMs, error });
      onFailure(error, atMs + this.#delayAfter(attempts + 1, atMs));
      return false;
    }
  }

  #obtain(directory: string, accountKey: string): Promise<Certificate> {
    const { authority, certificates, domains, clock } = this.#deps;
    return authority.order(
      { directory, domains, accountKey },
      async (token, answer) => {
        await certificates.apply({ kind: 'challenge', token, answer, expiresAtMs: clock() + HOUR_MS });
      },
      async (token) => {
        await certificates.apply({ kind: 'delete-challenge', token });
      },
    );
  }
}

/** The time from which a certificate is renewed: a third of its lifetime is left. */
export function renewalOf({ notBeforeMs, notAfterMs }: Certificate): number {
  return notAfterMs - (notAfterMs - notBeforeMs) / 3;
}
