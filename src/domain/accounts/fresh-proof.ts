import type { Actor, LoggedIn } from '../access.ts';
import { Failure } from '../failure.ts';
import type { Clock } from '../ports.ts';
import { countFactors, secondFactorsOf, type FactorStore, type WaysInOf } from './factors.ts';
import type { UserStore } from './ports.ts';

interface FreshProofDeps {
  users: Pick<UserStore, 'find'>;
  factors: Pick<FactorStore, 'listOf'>;
  clock: Clock;
  waysInOf: WaysInOf;
  /** How long after a proof a session can make sensitive changes. */
  freshLoginMs: number;
}

/**
 * Access to an open browser is not enough for sensitive changes: the owner of the session must have proved to be the
 * owner of the account in the last minutes, with any factor.
 */
export class FreshProof {
  readonly #deps: FreshProofDeps;

  constructor(deps: FreshProofDeps) {
    this.#deps = deps;
  }

  isFresh(actor: Actor): boolean {
    const { clock, freshLoginMs } = this.#deps;
    return actor.kind !== 'signed-in' || clock() - actor.session.provedAtMs <= freshLoginMs;
  }

  /** @throws Failure `forbidden` with the factors of the account, if the session has not been proved recently */
  async require(actor: Actor): Promise<void> {
    if (actor.kind !== 'signed-in' || this.isFresh(actor)) return;
    throw await this.needed(actor);
  }

  async needed(owner: LoggedIn, message = PROOF_NEEDED, problem?: string): Promise<Failure> {
    const { users, factors, waysInOf } = this.#deps;
    const found = await users.find(owner.username);
    const account = found?.id === owner.userId ? found : undefined;
    const second = secondFactorsOf(countFactors(await factors.listOf(owner.userId)));
    const hasPassword = account?.passwordHash !== undefined && waysInOf(owner.role).isPasswordAccepted;
    const proof = [
      ...(hasPassword ? ['password'] : []),
      ...second,
      ...(account?.isLinked === true ? ['provider'] : []),
    ];
    const problems = problem === undefined ? {} : { problems: [{ path: '/password', message: problem }] };
    return new Failure('forbidden', message, { ...(proof.length > 0 && { proof }), ...problems });
  }
}

const PROOF_NEEDED =
  'Your login is more than 15 minutes old. Prove that it is you with POST /v2/account/proof, or log in again.';
