import type { FactorStore, FactorUse } from '../accounts/factors.ts';
import { Failure } from '../failure.ts';
import type { PasskeyCeremony, PasskeySite, SentCredential, WebAuthn } from './ports.ts';

interface PasskeyCheckDeps {
  factors: Pick<FactorStore, 'listOf' | 'findPasskey'>;
  webAuthn: WebAuthn;
}

interface CheckedPasskey {
  accountId: bigint;
  use: FactorUse;
}

/** Starts and checks uses of passkeys. */
export class PasskeyCheck {
  readonly #deps: PasskeyCheckDeps;

  constructor(deps: PasskeyCheckDeps) {
    this.#deps = deps;
  }

  /**
   * For the passkeys of an account.
   * @throws Failure `invalid-input` where passkeys are not possible
   */
  async start(site: PasskeySite | undefined, accountId: bigint): Promise<PasskeyCeremony> {
    const { factors, webAuthn } = this.#deps;
    return webAuthn.startAssertion(requireSite(site), (await factors.listOf(accountId)).passkeys);
  }

  /** For any passkey of the site. @returns the options @throws Failure `invalid-input` */
  async startAny(site: PasskeySite | undefined, challenge: string): Promise<object> {
    return (await this.#deps.webAuthn.startAssertion(requireSite(site), undefined, challenge)).options;
  }

  /**
   * Returns the use of the passkey, which the store checks again.
   *
   * @param accountId the account that it must belong to; undefined for any
   * @returns undefined for a passkey of no account or another one, and for a response that is not valid
   */
  async findUse(
    site: PasskeySite | undefined,
    challenge: string | undefined,
    sent: SentCredential,
    accountId?: bigint,
  ): Promise<CheckedPasskey | undefined> {
    const { factors, webAuthn } = this.#deps;
    const { id, response } = sent;
    if (typeof id !== 'string' || challenge === undefined) return undefined;
    const passkey = await factors.findPasskey(id);
    if (passkey === undefined || (accountId !== undefined && passkey.accountId !== accountId)) return undefined;
    // The authenticator names the account if the service has not (WebAuthn, section 7.2, step 6).
    const handle = handleIn(response);
    if (handle === undefined ? accountId === undefined : handle !== passkey.userHandle) return undefined;
    const counter = await webAuthn.checkAssertion(requireSite(site), challenge, passkey, sent);
    if (counter === undefined) return undefined;
    return { accountId: passkey.accountId, use: { kind: 'passkey', id: passkey.id, counter } };
  }
}

function handleIn(response: unknown): string | undefined {
  const { userHandle } = (response ?? {}) as { userHandle?: unknown };
  return typeof userHandle === 'string' ? userHandle : undefined;
}

/** @throws Failure `invalid-input` */
export function requireSite(site: PasskeySite | undefined): PasskeySite {
  if (site !== undefined) return site;
  throw new Failure(
    'invalid-input',
    'Passkeys require https and the public URL of the service. Start it with --public-url, such as --public-url ' +
      'https://pets.example.org. On this machine, http://localhost works as well.',
  );
}
