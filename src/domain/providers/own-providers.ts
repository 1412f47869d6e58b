import type { Access, Actor, LoggedIn } from '../access.ts';
import type { WaysInOf } from '../accounts/factors.ts';
import { stampOf } from '../audit.ts';
import type { FreshProof } from '../accounts/fresh-proof.ts';
import { requireOwner } from '../accounts/own-account.ts';
import { Failure } from '../failure.ts';
import type { Clock } from '../ports.ts';
import { getLogin, listLogins, type LinkedLogin, type LoginListDeps } from './linked-logins.ts';
import { PROVIDER_LIMITS } from './provider.ts';
import type { BegunSignIn, ProviderSignIn } from './provider-sign-in.ts';

interface OwnProvidersDeps extends LoginListDeps {
  access: Access;
  providerSignIn: ProviderSignIn;
  clock: Clock;
  freshProof: FreshProof;
  waysInOf: WaysInOf;
}

/** The logins at providers of the own account. Every method throws Failure `unauthenticated` without a session. */
export class OwnProviders {
  readonly #deps: OwnProvidersDeps;

  constructor(deps: OwnProvidersDeps) {
    this.#deps = deps;
  }

  async list(actor: Actor): Promise<readonly LinkedLogin[]> {
    return listLogins(this.#deps, this.#requireOwner(actor).userId);
  }

  /**
   * Begins to link a login at a provider. Its owner completes it in the same browser and session.
   *
   * @throws SignInFailure `unknown`, `unavailable`; Failure `forbidden` if the login is not recent, `conflict` at the
   *   maximum number of logins
   */
  async beginLink(actor: Actor, provider: string, returnTo: string): Promise<BegunSignIn> {
    const owner = await this.#requireFreshOwner(actor);
    const { length } = await listLogins(this.#deps, owner.userId);
    if (length >= PROVIDER_LIMITS.loginsOfAccount) {
      throw new Failure('conflict', `There are already ${length} logins at providers. Unlink one first.`);
    }
    return this.#deps.providerSignIn.begin(provider, { returnTo, link: owner }, owner);
  }

  /** @throws Failure `not-found`; `forbidden` if the login is not recent; `conflict` for the last way in */
  async unlink(actor: Actor, id: string): Promise<void> {
    const { providerLogins, waysInOf, clock } = this.#deps;
    const owner = await this.#requireFreshOwner(actor);
    const { issuer, subject, provider } = getLogin(await listLogins(this.#deps, owner.userId), id);
    await providerLogins.apply({
      kind: 'unlink',
      userId: owner.userId,
      issuer,
      subject,
      label: provider?.label ?? issuer,
      waysIn: waysInOf(owner.role),
      stamp: stampOf(owner, clock()),
    });
  }

  #requireOwner(actor: Actor): LoggedIn {
    return requireOwner(this.#deps.access, actor, 'use own account');
  }

  /** Access to an open browser must not be enough to add a way in. */
  async #requireFreshOwner(actor: Actor): Promise<LoggedIn> {
    const owner = this.#requireOwner(actor);
    await this.#deps.freshProof.require(owner);
    return owner;
  }
}
