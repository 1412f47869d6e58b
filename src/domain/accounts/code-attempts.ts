import type { NewAuditEntry } from '../audit.ts';
import type { Failure } from '../failure.ts';
import { networkOf } from './attempt-throttle.ts';
import type { Tokens } from './ports.ts';
import { counterOf, type Limit, type Throttle } from './throttle.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;

/**
 * At most 116 attempts a day: 20 in the first 17 minutes, then one every 15 minutes. Three of a million one-time codes
 * are valid at a time, so these guess one with a probability of 1 in 2,800 a day.
 */
const OF_CODES: Limit = { free: 10, firstWaitMs: SECOND_MS, maxWaitMs: 15 * MINUTE_MS, forgetAfterMs: DAY_MS };

/** How long an address is familiar after a second factor was shown there. */
const FAMILIAR: Limit = { free: 0, firstWaitMs: 0, maxWaitMs: 0, forgetAfterMs: 90 * DAY_MS };

/** A familiar address is stored again only after this time. */
const FAMILIAR_RENEWAL_MS = DAY_MS;

interface CodeAttemptsDeps {
  throttle: Throttle;
  tokens: Pick<Tokens, 'digest'>;
}

interface CodeAttempt {
  accountId: bigint;
  factor: 'totp' | 'recovery-code';
  address: string;
}

/** Writes the audit entry of a wrong code, and throws the refusal. */
type Fail = (entry: NewAuditEntry) => Promise<never>;

/**
 * Rate-limits guesses at the codes of an account, which a client with the password can make. One-time codes have six
 * digits only, so all addresses share one limit, except those where the owner has shown a second factor: a stolen
 * password must not lock the owner out. A recovery code cannot be guessed, so each address has its own limit.
 */
export class CodeAttempts {
  readonly #throttle: Throttle;
  readonly #tokens: CodeAttemptsDeps['tokens'];

  constructor({ throttle, tokens }: CodeAttemptsDeps) {
    this.#throttle = throttle;
    this.#tokens = tokens;
  }

  /**
   * @param guess checks the code, and calls `fail` if it is wrong
   * @throws Failure `too-many-requests`; `refusal` after a wrong code
   */
  async try<T>(
    { accountId, factor, address }: CodeAttempt,
    guess: (fail: Fail) => Promise<T>,
    refusal: () => Failure,
  ): Promise<T> {
    const throttle = this.#throttle;
    const isShared = factor === 'totp' && (await this.#familiarForMs(accountId, address)) === undefined;
    const where = isShared ? [] : [networkOf(address)];
    const counters = [counterOf(this.#tokens, OF_CODES, 'code', factor, `${accountId}`, ...where)];
    await throttle.countAttempt(counters);
    let isWrong = false;
    const fail: Fail = async (entry) => {
      isWrong = true;
      await throttle.recordFailure(entry);
      throw refusal();
    };
    const result = await guess(fail).catch(async (error: unknown) => {
      if (!isWrong) await throttle.takeBack(counters);
      throw error;
    });
    // The success of the owner must not give others more guesses.
    await (isShared ? throttle.takeBack(counters) : throttle.clear(counters));
    return result;
  }

  /** Call after the owner of the account has shown a second factor at this address, or has set one up. */
  async rememberOwner(accountId: bigint, address: string): Promise<void> {
    const sinceMs = await this.#familiarForMs(accountId, address);
    if (sinceMs === undefined || sinceMs > FAMILIAR_RENEWAL_MS)
      await this.#throttle.countFailure([this.#familiar(accountId, address)]);
  }

  /** Milliseconds since the address became familiar; undefined if it is not. */
  #familiarForMs(accountId: bigint, address: string): Promise<number | undefined> {
    return this.#throttle.sinceLastMs(this.#familiar(accountId, address));
  }

  #familiar(accountId: bigint, address: string) {
    return counterOf(this.#tokens, FAMILIAR, 'second-factor', `${accountId}`, networkOf(address));
  }
}
