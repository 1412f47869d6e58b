import type { Access, Actor, Factor, LoggedIn } from '../access.ts';
import type { AccountWrites } from '../accounts/account-writes.ts';
import type { AttemptThrottle } from '../accounts/attempt-throttle.ts';
import type { CodeAttempts } from '../accounts/code-attempts.ts';
import type { FactorUse } from '../accounts/factors.ts';
import { requireOwner } from '../accounts/own-account.ts';
import { failedProof, type PasswordCheck } from '../accounts/password-check.ts';
import { stampOf } from '../audit.ts';
import { Failure } from '../failure.ts';
import type { Clock } from '../ports.ts';
import type { CodeCheck, CodeFactor } from './code-check.ts';
import { provedWith } from './new-factor.ts';
import type { PasskeyCheck } from './passkey-check.ts';
import type { PasskeySite, SentCredential } from './ports.ts';
import { unlessConflict, wrongCode, wrongPasskey, type PasskeyStep } from './sign-in.ts';
import type { SignInSteps } from './sign-in-steps.ts';

interface OwnerProofDeps {
  access: Access;
  writes: AccountWrites;
  passwordCheck: PasswordCheck;
  attempts: AttemptThrottle;
  codeAttempts: CodeAttempts;
  steps: SignInSteps;
  codes: CodeCheck;
  passkeys: PasskeyCheck;
  clock: Clock;
}

const PASSKEY_PROOF = 'passkey-proof';

/** Proves again that a session is used by the owner of the account, with any factor of the account. */
export class OwnerProof {
  readonly #deps: OwnerProofDeps;

  constructor(deps: OwnerProofDeps) {
    this.#deps = deps;
  }

  /** @throws Failure `invalid-input` for a wrong password, `too-many-requests` */
  async withPassword(actor: Actor, password: string): Promise<void> {
    const owner = this.#requireOwner(actor);
    await this.#deps.passwordCheck.require(owner, password, 'session.proved', wrongPassword);
    await this.#renew(owner, 'password', []);
  }

  /** @throws Failure `invalid-input` for a wrong code, `too-many-requests` */
  async withCode(actor: Actor, factor: CodeFactor, code: string): Promise<void> {
    const { codeAttempts, codes, clock } = this.#deps;
    const owner = this.#requireOwner(actor);
    await codeAttempts.try(
      { accountId: owner.userId, factor, address: owner.address },
      async (fail) => {
        const refuse = () => fail(failedProof(owner, clock(), 'session.proved', { factor }));
        const use = await codes.findUse(owner.userId, factor, code);
        return use === undefined ? refuse() : this.#renew(owner, factor, [use]).catch(unlessConflict(refuse));
      },
      wrongCode,
    );
  }

  /** @throws Failure `invalid-input` where passkeys are not possible */
  async startPasskey(actor: Actor, site: PasskeySite | undefined): Promise<PasskeyStep> {
    const { passkeys, steps, clock } = this.#deps;
    const owner = this.#requireOwner(actor);
    const { challenge, options } = await passkeys.start(site, owner.userId);
    const step = { kind: PASSKEY_PROOF, accountId: owner.userId, details: { challenge } };
    return { ...(await steps.begin(step, stampOf(owner, clock()))), options };
  }

  /** @throws Failure `invalid-input` if the passkey is not accepted, `too-many-requests` */
  async withPasskey(actor: Actor, token: string, sent: SentCredential, site: PasskeySite | undefined): Promise<void> {
    const { attempts, passkeys, steps, clock } = this.#deps;
    const owner = this.#requireOwner(actor);
    const { digest, details } = await steps.get(token, [PASSKEY_PROOF], owner.userId);
    await attempts.tryPasskey(
      owner.address,
      async (fail) => {
        const refuse = () => fail(failedProof(owner, clock(), 'session.proved', { factor: 'passkey' }));
        const checked = await passkeys.findUse(site, details['challenge'], sent, owner.userId);
        if (checked === undefined) return refuse();
        const uses = [{ kind: 'step', digest }, checked.use] as const;
        return this.#renew(owner, 'passkey', uses).catch(unlessConflict(refuse));
      },
      wrongPasskey,
    );
  }

  async #renew(owner: LoggedIn, factor: Factor, uses: readonly FactorUse[]): Promise<void> {
    const { writes, codeAttempts, clock } = this.#deps;
    await writes.changeSession({ kind: 'prove', ...provedWith(owner, factor), uses, stamp: stampOf(owner, clock()) });
    if (uses.length > 0) await codeAttempts.rememberOwner(owner.userId, owner.address);
  }

  #requireOwner(actor: Actor): LoggedIn {
    return requireOwner(this.#deps.access, actor, 'set up factors');
  }
}

function wrongPassword(): Failure {
  return new Failure('invalid-input', 'The password is wrong.', {
    problems: [{ path: '/password', message: 'is wrong' }],
  });
}
