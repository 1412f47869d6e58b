import { isStaff, type Actor } from '../access.ts';
import type { NewAuditEntry } from '../audit.ts';
import type { Failure } from '../failure.ts';
import type { Clock } from '../ports.ts';
import { inBatches } from '../batches.ts';
import type { Account, HashingLane, Tokens } from './ports.ts';
import { counterOf, type Counter, type Limit, type LimitStore, type Throttle } from './throttle.ts';
import { usernameKey } from './user.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** One address that tries one account: at most about a hundred guesses a day. */
const OF_ADDRESS_AND_ACCOUNT: Limit = {
  free: 10,
  firstWaitMs: SECOND_MS,
  maxWaitMs: 15 * MINUTE_MS,
  forgetAfterMs: DAY_MS,
};

/** One address that tries many accounts. A whole office may share it. */
const OF_ADDRESS: Limit = { free: 100, firstWaitMs: SECOND_MS, maxWaitMs: 15 * MINUTE_MS, forgetAfterMs: DAY_MS };

/**
 * Many addresses that try one account. The wait stays short, and applies only to addresses from which the owner never
 * logged in, so that an attacker with many addresses cannot lock the owner out.
 */
const OF_ACCOUNT: Limit = { free: 50, firstWaitMs: SECOND_MS, maxWaitMs: 30 * SECOND_MS, forgetAfterMs: DAY_MS };

/** How long an address counts as familiar after a successful login. */
const FAMILIAR: Limit = { free: 0, firstWaitMs: 0, maxWaitMs: 0, forgetAfterMs: 90 * DAY_MS };

/** A familiar address is stored again only after this time, so that frequent logins do not write each time. */
const FAMILIAR_RENEWAL_MS = DAY_MS;

/** Attempts to create accounts, and to use reset links. */
const OF_SIGN_UPS: Limit = { free: 100, firstWaitMs: 10 * SECOND_MS, maxWaitMs: HOUR_MS, forgetAfterMs: DAY_MS };
const OF_RESETS: Limit = { free: 20, firstWaitMs: SECOND_MS, maxWaitMs: 15 * MINUTE_MS, forgetAfterMs: DAY_MS };

/** Logins with a passkey that this service does not know, or that is not used properly. */
const OF_PASSKEYS: Limit = { free: 100, firstWaitMs: SECOND_MS, maxWaitMs: 15 * MINUTE_MS, forgetAfterMs: DAY_MS };

/** Programs that try secrets and codes, which have 256 random bits: the limit is for the audit log. */
const OF_CLIENTS: Limit = { free: 100, firstWaitMs: SECOND_MS, maxWaitMs: 15 * MINUTE_MS, forgetAfterMs: DAY_MS };

/** Maximum concurrent password checks for one address: per account, and in total. */
const ACCOUNT_LANE_WIDTH = 5;
const ADDRESS_LANE_WIDTH = 20;

/** Maximum new passwords hashed concurrently for one account, or for one address of anonymous clients. */
const HASHING_LANE_WIDTH = 4;

interface AttemptThrottleDeps {
  throttle: Throttle;
  tokens: Tokens;
  /**
   * Whether attempts are also limited per address. In modes in which anonymous clients may do everything, this is off,
   * so that a classroom or a CI job behind one address is not slowed down. Guesses at one account are always limited.
   */
  guardsAddresses: boolean;
}

/** Counts a failed attempt, writes its audit entry, and throws the refusal. */
type Fail = (entry: NewAuditEntry) => Promise<never>;
type Guess<T> = (fail: Fail, isFamiliar: boolean) => Promise<T>;

/** The result of an attempt that has its own response to a wrong guess. */
export interface CountedAttempt {
  isFailed: boolean;
  /** The audit entry of the failure, if it is about something known. */
  entry?: NewAuditEntry;
}

/**
 * Rate-limits guesses at passwords, user names and reset links: defines which failed attempts are counted together, and
 * which attempts they delay.
 */
export class AttemptThrottle {
  readonly #throttle: Throttle;
  readonly #tokens: Tokens;
  readonly #guardsAddresses: boolean;

  constructor({ throttle, tokens, guardsAddresses }: AttemptThrottleDeps) {
    this.#throttle = throttle;
    this.#tokens = tokens;
    this.#guardsAddresses = guardsAddresses;
  }

  /**
   * One attempt at the password of an account. Unknown names are treated in the same way.
   *
   * @param guess checks the password, and calls `fail` with the audit entry if it is wrong. `isFamiliar`: the account
   *   has logged in from this address before.
   * @throws Failure `too-many-requests` while earlier failures require a wait, without calling `guess`; `refusal` after
   *   a wrong password
   */
  tryPassword<T>(username: string, address: string, guess: Guess<T>, refusal: () => Failure): Promise<T> {
    const network = networkOf(address);
    const lane = JSON.stringify(['account', usernameKey(username), network]);
    return this.#throttle.inLane(lane, ACCOUNT_LANE_WIDTH, () =>
      this.#inAddressLane(network, () => this.#tryOnce(username, network, guess, refusal)),
    );
  }

  /**
   * Runs hashing work in the lane of the actor, so that one actor cannot fill the hashing queue and block the logins of
   * others.
   */
  inHashingLane<T>(actor: Actor, work: () => Promise<T>): Promise<T> {
    if (actor.kind === 'operator') return work();
    const who = actor.kind === 'anonymous' ? networkOf(actor.address) : actor.userId.toString();
    return this.#throttle.inLane(JSON.stringify(['hashing', actor.kind, who]), HASHING_LANE_WIDTH, work);
  }

  /**
   * One attempt to take a user name. Every attempt counts, because the response shows whether the name is taken.
   * @throws Failure `too-many-requests`
   */
  async tryName<T>(address: string, take: () => Promise<T>): Promise<T> {
    if (!this.#guardsAddresses) return take();
    const network = networkOf(address);
    const counters = [this.#counter(OF_SIGN_UPS, 'sign-up', network)];
    return this.#inAddressLane(network, async () => {
      await this.#throttle.countAttempt(counters);
      return take();
    });
  }

  /**
   * One attempt at a reset link. `use` calls `fail` if the link is invalid.
   * @throws Failure `too-many-requests`; `refusal` after an invalid link
   */
  tryReset<T>(address: string, use: (fail: Fail) => Promise<T>, refusal: () => Failure): Promise<T> {
    return this.#tryOfNetwork('reset', OF_RESETS, address, use, refusal);
  }

  #tryOfNetwork<T>(
    kind: string,
    limit: Limit,
    address: string,
    use: (fail: Fail) => Promise<T>,
    refusal: () => Failure,
  ): Promise<T> {
    const network = networkOf(address);
    const counters = [this.#counter(limit, kind, network)];
    return this.#throttle.inLane(`${kind}\n${network}`, ACCOUNT_LANE_WIDTH, async () => {
      await this.#throttle.requireNoWait(counters);
      return use(async (entry) => {
        await this.#throttle.countFailure(counters, entry);
        throw refusal();
      });
    });
  }

  /**
   * One attempt of a program at its secret or an authorization code.
   * @throws Failure `too-many-requests`
   */
  async tryClient<T extends CountedAttempt>(address: string, attempt: () => Promise<T>): Promise<T> {
    const network = networkOf(address);
    const counters = [this.#counter(OF_CLIENTS, 'oauth', network)];
    return this.#throttle.inLane(`oauth\n${network}`, ADDRESS_LANE_WIDTH, async () => {
      await this.#throttle.requireNoWait(counters);
      const result = await attempt();
      if (result.isFailed) await this.#throttle.countFailure(counters, result.entry);
      return result;
    });
  }

  /** One login with a passkey. @throws Failure `too-many-requests`; `refusal` after a failure */
  tryPasskey<T>(address: string, use: (fail: Fail) => Promise<T>, refusal: () => Failure): Promise<T> {
    return this.#tryOfNetwork('passkey', OF_PASSKEYS, address, use, refusal);
  }

  async #tryOnce<T>(username: string, network: string, guess: Guess<T>, refusal: () => Failure): Promise<T> {
    const throttle = this.#throttle;
    const { ofPair, ofAddress, ofAccount, familiar } = this.#countersOf(username, network);
    const familiarForMs = await throttle.sinceLastMs(familiar);
    const isFamiliar = familiarForMs !== undefined;
    await throttle.requireNoWait([ofPair, ...ofAddress, ...(isFamiliar ? [] : [ofAccount])]);
    const fail: Fail = async (entry) => {
      // An address that already has to wait does not add to the wait of other addresses.
      const isOneOfMany = !isFamiliar && (await throttle.countOf(ofPair)) < OF_ADDRESS_AND_ACCOUNT.free;
      await throttle.countFailure([ofPair, ...ofAddress, ...(isOneOfMany ? [ofAccount] : [])], entry);
      throw refusal();
    };
    // A lane per account, so that one account with many familiar addresses does not delay other accounts.
    const lane = JSON.stringify(['familiar', usernameKey(username)]);
    const result = await (isFamiliar
      ? throttle.inLane(lane, ACCOUNT_LANE_WIDTH, () => guess(fail, true))
      : guess(fail, false));
    const isRenewalDue = !isFamiliar || familiarForMs > FAMILIAR_RENEWAL_MS;
    await Promise.all([throttle.clear([ofPair]), isRenewalDue ? throttle.countFailure([familiar]) : undefined]);
    return result;
  }

  /** If addresses are not limited, runs the work directly. */
  #inAddressLane<T>(network: string, work: () => Promise<T>): Promise<T> {
    return this.#guardsAddresses ? this.#throttle.inLane(`address\n${network}`, ADDRESS_LANE_WIDTH, work) : work();
  }

  #countersOf(username: string, network: string) {
    const name = usernameKey(username);
    return {
      ofPair: this.#counter(OF_ADDRESS_AND_ACCOUNT, 'password', name, network),
      ofAddress: this.#guardsAddresses ? [this.#counter(OF_ADDRESS, 'passwords', network)] : [],
      ofAccount: this.#counter(OF_ACCOUNT, 'password', name),
      familiar: this.#counter(FAMILIAR, 'familiar', name, network),
    };
  }

  #counter(limit: Limit, ...parts: readonly string[]): Counter {
    return counterOf(this.#tokens, limit, ...parts);
  }
}

/** The lane in which the password of an account is checked. */
export function hashingLaneOf(account: Account | undefined, isFamiliar: boolean): HashingLane {
  if (!isFamiliar) return 'general';
  return account !== undefined && isStaff(account.role) ? 'staff' : 'familiar';
}

/** Deletes expired counters and leases. @param isStopping called before each batch; true ends the deletion */
export function deleteExpiredLimits(
  limits: Pick<LimitStore, 'apply'>,
  clock: Clock,
  isStopping: () => boolean = () => false,
): Promise<void> {
  const nowMs = clock();
  const hour = Math.floor(nowMs / HOUR_MS);
  return inBatches((limit) => limits.apply({ kind: 'forget', nowMs, hour, limit }), isStopping);
}

const GROUPS_OF_ADDRESS = 8;
const GROUPS_OF_NETWORK = 4;

/**
 * The network that is limited as a unit: an IPv4 address, or the first 64 bits of an IPv6 address, because one customer
 * has a whole /64 network.
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('::');
  const front = groupsOf(head);
  const back = groupsOf(tail ?? '');
  const zeros = Array<string>(tail === undefined ? 0 : GROUPS_OF_ADDRESS - front.length - back.length).fill('0');
  return `${[...front, ...zeros, ...back].slice(0, GROUPS_OF_NETWORK).join(':')}::/64`;
}

const GROUPS_OF_SITE = 3;

/**
 * The networks that one customer may have: an IPv4 /24, or an IPv6 /48, which providers give to one place (RFC 6177).
 */
export function wideNetworkOf(address: string): string {
  const network = networkOf(address);
  if (network.includes(':')) return `${network.split(':').slice(0, GROUPS_OF_SITE).join(':')}::/48`;
  return `${network.slice(0, network.lastIndexOf('.'))}.0/24`;
}

function groupsOf(part: string): string[] {
  return part === '' ? [] : part.split(':');
}
