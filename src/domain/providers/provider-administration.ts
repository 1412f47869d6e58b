import type { Access, Actor } from '../access.ts';
import type { FreshProof } from '../accounts/fresh-proof.ts';
import { getAccount } from '../accounts/own-account.ts';
import type { UserStore } from '../accounts/ports.ts';
import { stampOf } from '../audit.ts';
import type { Clock } from '../ports.ts';
import { getLogin, listLogins, type LinkedLogin, type LoginListDeps } from './linked-logins.ts';

interface ProviderAdministrationDeps extends LoginListDeps {
  access: Access;
  users: Pick<UserStore, 'find'>;
  freshProof: FreshProof;
  clock: Clock;
}

/** The logins at providers of other accounts. Every method throws Failure `not-found` for an unknown user. */
export class ProviderAdministration {
  readonly #deps: ProviderAdministrationDeps;

  constructor(deps: ProviderAdministrationDeps) {
    this.#deps = deps;
  }

  async list(actor: Actor, username: string): Promise<readonly LinkedLogin[]> {
    const { access, users } = this.#deps;
    access(actor, 'administer');
    return listLogins(this.#deps, (await getAccount(users, username)).id);
  }

  /**
   * Unlinks a login that its owner has lost or that another person uses. The sessions of the account end. It may be the
   * last way in: a reset link gives another one.
   *
   * @throws Failure `not-found`, `forbidden` without a recent proof
   */
  async unlink(actor: Actor, username: string, id: string): Promise<void> {
    const { access, users, freshProof, providerLogins, clock } = this.#deps;
    access(actor, 'administer');
    await freshProof.require(actor);
    const { id: userId } = await getAccount(users, username);
    const { issuer, subject, provider } = getLogin(await listLogins(this.#deps, userId), id);
    await providerLogins.apply({
      kind: 'unlink-for-owner',
      userId,
      issuer,
      subject,
      label: provider?.label ?? issuer,
      stamp: stampOf(actor, clock()),
    });
  }
}
