import type { Access, Actor, LoggedIn } from '../access.ts';
import type { AccountWrites } from '../accounts/account-writes.ts';
import type { FactorStore, Passkey, WaysInOf } from '../accounts/factors.ts';
import type { FreshProof } from '../accounts/fresh-proof.ts';
import { requireOwner } from '../accounts/own-account.ts';
import type { Tokens } from '../accounts/ports.ts';
import { stampOf } from '../audit.ts';
import type { Clock } from '../ports.ts';
import { newRecoveryCodes, provedWith } from './new-factor.ts';
import type { AddedFactor } from './own-factors.ts';
import { requireSite } from './passkey-check.ts';
import type { PasskeySite, SentCredential, WebAuthn } from './ports.ts';
import { wrongPasskey, type PasskeyStep } from './sign-in.ts';
import type { SignInSteps } from './sign-in-steps.ts';

interface OwnPasskeysDeps {
  access: Access;
  factors: Pick<FactorStore, 'listOf'>;
  writes: AccountWrites;
  webAuthn: WebAuthn;
  steps: SignInSteps;
  freshProof: FreshProof;
  tokens: Tokens;
  clock: Clock;
  waysInOf: WaysInOf;
}

export interface AddedPasskey extends AddedFactor {
  passkey: Passkey;
}

const PASSKEY_SETUP = 'passkey-setup';

/** The passkeys of the own account. Failures as of `OwnFactors`. */
export class OwnPasskeys {
  readonly #deps: OwnPasskeysDeps;

  constructor(deps: OwnPasskeysDeps) {
    this.#deps = deps;
  }

  async list(actor: Actor): Promise<readonly Passkey[]> {
    const { access, factors } = this.#deps;
    return (await factors.listOf(requireOwner(access, actor, 'set up factors').userId)).passkeys;
  }

  /** @throws Failure `invalid-input` where passkeys are not possible */
  async startAdding(actor: Actor, site: PasskeySite | undefined): Promise<PasskeyStep> {
    const { factors, webAuthn, steps, tokens, clock } = this.#deps;
    const owner = await this.#requireFreshOwner(actor, 'set up factors');
    const { passkeys } = await factors.listOf(owner.userId);
    const handle = passkeys[0]?.userHandle ?? tokens.create();
    const user = { handle, name: owner.username };
    const { challenge, options } = await webAuthn.startRegistration(requireSite(site), user, passkeys);
    const step = { kind: PASSKEY_SETUP, accountId: owner.userId, details: { challenge, handle } };
    return { ...(await steps.begin(step, stampOf(owner, clock()))), options };
  }

  /** @throws Failure `invalid-input` if the passkey is not accepted; `conflict` */
  async add(
    actor: Actor,
    { step: token, name, credential: sent }: { step: string; name: string; credential: SentCredential },
    site: PasskeySite | undefined,
  ): Promise<AddedPasskey> {
    const { access, writes, webAuthn, steps, tokens, clock } = this.#deps;
    const owner = requireOwner(access, actor, 'set up factors');
    const { digest, details } = await steps.get(token, [PASSKEY_SETUP], owner.userId);
    const { challenge = '', handle: userHandle = '' } = details;
    const credential = await webAuthn.checkRegistration(requireSite(site), challenge, sent);
    if (credential === undefined) throw wrongPasskey();
    const stamp = stampOf(owner, clock());
    const own = { id: tokens.createId(), accountId: owner.userId, userHandle, name };
    const passkey = { ...own, ...credential, createdAtMs: stamp.atMs, lastUsedAtMs: undefined };
    const codes = newRecoveryCodes(tokens);
    const stored = await writes.changeFactors({
      kind: 'add-passkey',
      accountId: owner.userId,
      passkey,
      uses: [{ kind: 'step', digest }],
      session: provedWith(owner, 'passkey'),
      recoveryCodes: codes.digests,
      stamp,
    });
    return { passkey, recoveryCodes: stored === 0 ? undefined : codes.codes };
  }

  /** @throws Failure `not-found` */
  async rename(actor: Actor, id: string, name: string): Promise<void> {
    const { access, writes, clock } = this.#deps;
    const owner = requireOwner(access, actor, 'use own account');
    const accountId = owner.userId;
    await writes.changeFactors({ kind: 'rename-passkey', accountId, id, name, stamp: stampOf(owner, clock()) });
  }

  /** @throws Failure `not-found`; `conflict` for the last way in */
  async remove(actor: Actor, id: string): Promise<void> {
    const { writes, waysInOf, clock } = this.#deps;
    const owner = await this.#requireFreshOwner(actor, 'use own account');
    const stamp = stampOf(owner, clock());
    const waysIn = waysInOf(owner.role);
    await writes.changeFactors({ kind: 'remove-passkey', accountId: owner.userId, id, waysIn, stamp });
  }

  async #requireFreshOwner(actor: Actor, action: 'use own account' | 'set up factors'): Promise<LoggedIn> {
    const { access, freshProof } = this.#deps;
    const owner = requireOwner(access, actor, action);
    await freshProof.require(owner);
    return owner;
  }
}
