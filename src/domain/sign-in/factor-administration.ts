import type { Access, Actor, SecondFactorPolicy } from '../access.ts';
import type { AccountWrites } from '../accounts/account-writes.ts';
import type { FactorStore } from '../accounts/factors.ts';
import type { FreshProof } from '../accounts/fresh-proof.ts';
import { getAccount } from '../accounts/own-account.ts';
import type { UserStore } from '../accounts/ports.ts';
import { stampOf } from '../audit.ts';
import type { Clock } from '../ports.ts';
import type { FactorsView } from './own-factors.ts';

interface FactorAdministrationDeps {
  access: Access;
  users: Pick<UserStore, 'find'>;
  factors: Pick<FactorStore, 'listOf'>;
  writes: AccountWrites;
  freshProof: FreshProof;
  clock: Clock;
  secondFactor: SecondFactorPolicy;
}

/** The factors of other accounts, over HTTP and on the command line. */
export class FactorAdministration {
  readonly #deps: FactorAdministrationDeps;

  constructor(deps: FactorAdministrationDeps) {
    this.#deps = deps;
  }

  /** @throws Failure `not-found` */
  async get(actor: Actor, username: string): Promise<FactorsView> {
    const { access, users, factors, secondFactor } = this.#deps;
    access(actor, 'administer');
    const { id, role } = await getAccount(users, username);
    return { ...(await factors.listOf(id)), isRequired: secondFactor.roles.includes(role) };
  }

  /**
   * Deletes the passkeys, the secret of one-time codes and the recovery codes of an account whose owner has lost them.
   * If there were any, its sessions end. Returns the number of deleted passkeys and secrets.
   *
   * @throws Failure `not-found`; `forbidden` without a recent proof
   */
  async reset(actor: Actor, username: string): Promise<number> {
    const { access, users, writes, freshProof, clock } = this.#deps;
    access(actor, 'administer');
    await freshProof.require(actor);
    const { id: accountId } = await getAccount(users, username);
    return writes.changeFactors({ kind: 'reset', accountId, stamp: stampOf(actor, clock()) });
  }
}
