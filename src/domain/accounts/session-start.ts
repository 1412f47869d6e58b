import type { SessionProof } from '../access.ts';
import type { Clock } from '../ports.ts';
import type { AccountWrites } from './account-writes.ts';
import type { CodeAttempts } from './code-attempts.ts';
import { countFactors, isFirstFactor, secondFactorNeeded, secondFactorsOf } from './factors.ts';
import type { FactorStore, FactorUse } from './factors.ts';
import type { KnownDevices } from './known-devices.ts';
import type { Account, Tokens } from './ports.ts';
import { endsAtMs, type Client, type SessionLimits } from './session.ts';

interface SessionStartDeps {
  factors: Pick<FactorStore, 'listOf'>;
  writes: AccountWrites;
  codeAttempts: CodeAttempts;
  tokens: Tokens;
  clock: Clock;
  sessionLimits: SessionLimits;
  /** Undefined if the service sends no e-mail. */
  devices: KnownDevices | undefined;
}

export interface StartedSession {
  /** Sent to the client once; only its digest is stored. */
  token: string;
  /** The end of the session if it is not used again. */
  endsAtMs: number;
  lifetimeMs: number;
  requestsPerHour: number;
}

/** Starts sessions of accounts whose owners have proved who they are, in whichever way. */
export class SessionStart {
  readonly #deps: SessionStartDeps;

  constructor(deps: SessionStartDeps) {
    this.#deps = deps;
  }

  /**
   * @param replaced the token of the browser's current session, which ends (ASVS 5.0, 7.2.4)
   * @param uses the factors that are used for the login besides the password
   * @throws Failure `conflict` if the account was deleted or closed, its password was changed after the proof, or one
   *   of `uses` is not the first; `unauthenticated` with the second factors of the account if only the password was
   *   proved; `too-many-requests`
   */
  async begin(
    account: Account,
    client: Client,
    proof: SessionProof,
    replaced?: string,
    uses: readonly FactorUse[] = [],
  ): Promise<StartedSession> {
    const { writes, codeAttempts, tokens, clock, sessionLimits, devices } = this.#deps;
    if (proof.factors.every(isFirstFactor)) await this.#requireNoSecondFactor(account);
    const { id: userId, user, role, passwordHash } = account;
    const token = tokens.create();
    const startedAtMs = clock();
    const expiresAtMs = startedAtMs + sessionLimits.lifetimeMs;
    const id = tokens.createId();
    const session = { digest: tokens.digest(token), id, userId, startedAtMs, expiresAtMs, client, proof };
    const stamp = {
      atMs: startedAtMs,
      via: 'session',
      actorId: userId,
      actorName: user.username,
      actorRole: role,
      credentialId: id,
      address: client.address,
      ...(client.claim !== undefined && { claim: client.claim }),
    } as const;
    const replaces = replaced === undefined ? [] : [tokens.digest(replaced)];
    const isNewDevice = (await devices?.isNew(userId, client)) ?? false;
    await writes.changeSession({ kind: 'begin', session, passwordHash, replaces, uses, isNewDevice, stamp });
    await devices?.remember(userId, client);
    if (uses.length > 0) await codeAttempts.rememberOwner(userId, client.address);
    return {
      token,
      endsAtMs: endsAtMs({ lastUsedAtMs: startedAtMs, expiresAtMs }, sessionLimits),
      lifetimeMs: sessionLimits.lifetimeMs,
      requestsPerHour: sessionLimits.requestsPerHour,
    };
  }

  /** Before the login counts: the password alone must not use up the logins of the owner. The store checks it again. */
  async #requireNoSecondFactor({ id }: Account): Promise<void> {
    const factors = secondFactorsOf(countFactors(await this.#deps.factors.listOf(id)));
    if (factors.length > 0) throw secondFactorNeeded(factors);
  }
}
