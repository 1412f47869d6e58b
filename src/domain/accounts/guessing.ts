import { isStaff, type Actor } from '../access.ts';
import type { NewAuditEntry } from '../audit.ts';
import type { Failure } from '../failure.ts';
import type { Counter, Limit, Throttle } from './throttle.ts';
import type { Clock } from '../ports.ts';
import type { LimitStore } from './throttle.ts';
import { inPortions } from '../portions.ts';
import type { Account, HashingLane, Tokens } from './ports.ts';
import { usernameKey } from './user.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** One address that tries one account: at its worst, some hundred guesses a day. */
const OF_ADDRESS_AND_ACCOUNT: Limit = {
  free: 10,
  firstWaitMs: SECOND_MS,
  maxWaitMs: 15 * MINUTE_MS,
  forgetAfterMs: DAY_MS,
};

/** One address that tries many accounts. Behind it may be a whole office. */
const OF_ADDRESS: Limit = { free: 100, firstWaitMs: SECOND_MS, maxWaitMs: 15 * MINUTE_MS, forgetAfterMs: DAY_MS };

/**
 * Many addresses that try one account. The wait stays short, and goes only for addresses from which its owner never logged in: whoever has
 * many addresses must not be able to lock the owner out.
 */
const OF_ACCOUNT: Limit = { free: 50, firstWaitMs: SECOND_MS, maxWaitMs: 30 * SECOND_MS, forgetAfterMs: DAY_MS };

/** A successful login from an address is remembered for so long. */
const FAMILIAR: Limit = { free: 0, firstWaitMs: 0, maxWaitMs: 0, forgetAfterMs: 90 * DAY_MS };

/** A day old, it is written down again; a login a minute need not be a write a minute. */
const FAMILIAR_RENEWAL_MS = DAY_MS;

/** Making accounts, and asking whether a reset link is one. */
const OF_SIGN_UPS: Limit = { free: 100, firstWaitMs: 10 * SECOND_MS, maxWaitMs: HOUR_MS, forgetAfterMs: DAY_MS };
const OF_RESETS: Limit = { free: 20, firstWaitMs: SECOND_MS, maxWaitMs: 15 * MINUTE_MS, forgetAfterMs: DAY_MS };

/** So many passwords of one account are checked at once for one address, and so many of all accounts. */
const ACCOUNT_LANE_WIDTH = 5;
const ADDRESS_LANE_WIDTH = 20;

/** So many new passwords of one account, or of one address, are hashed at once. */
const HASHING_LANE_WIDTH = 4;

export interface GuessingNeeds {
  throttle: Throttle;
  tokens: Tokens;
  /**
   * Is there anything that an address should be kept from? Where everybody may do everything, a class room or a test job behind one address
   * is not slowed down; guessing at one account is, everywhere.
   */
  guardsAddresses: boolean;
}

type Guess<T> = (fail: (entry: NewAuditEntry) => Promise<never>, isFamiliar: boolean) => Promise<T>;

export type Guessing = ReturnType<typeof createGuessing>;

/** Keeps people from guessing: whose failures are counted together, and what of them makes whom wait. */
export function createGuessing({ throttle, tokens, guardsAddresses }: GuessingNeeds) {
  const counter = (limit: Limit, ...parts: readonly string[]): Counter => ({
    // Unambiguous: a user name may hold whatever separates the parts.
    key: tokens.digest(JSON.stringify(parts)),
    limit,
  });

  function countersOf(username: string, network: string) {
    const name = usernameKey(username);
    return {
      ofPair: counter(OF_ADDRESS_AND_ACCOUNT, 'password', name, network),
      ofAddress: guardsAddresses ? [counter(OF_ADDRESS, 'passwords', network)] : [],
      ofAccount: counter(OF_ACCOUNT, 'password', name),
      familiar: counter(FAMILIAR, 'familiar', name, network),
    };
  }

  /** Where addresses count for nothing, one lane for each account is left. */
  function inAddressLane<T>(network: string, work: () => Promise<T>): Promise<T> {
    return guardsAddresses ? throttle.inLane(`address\n${network}`, ADDRESS_LANE_WIDTH, work) : work();
  }

  async function afterWait<T>(username: string, network: string, guess: Guess<T>, refusal: () => Failure): Promise<T> {
    const { ofPair, ofAddress, ofAccount, familiar } = countersOf(username, network);
    const knownSinceMs = await throttle.sinceLastMs(familiar);
    const isStrange = knownSinceMs === undefined;
    await throttle.demandNoWait([ofPair, ...ofAddress, ...(isStrange ? [ofAccount] : [])]);
    const fail = async (entry: NewAuditEntry): Promise<never> => {
      // One address alone, which has to wait by itself, does not make others wait.
      const isOneOfMany = isStrange && (await throttle.countOf(ofPair)) < OF_ADDRESS_AND_ACCOUNT.free;
      await throttle.countFailure([ofPair, ...ofAddress, ...(isOneOfMany ? [ofAccount] : [])], entry);
      throw refusal();
    };
    const result = await (isStrange
      ? guess(fail, false)
      : // A lane per account: one account with many familiar addresses must not delay the others.
        throttle.inLane(JSON.stringify(['familiar', usernameKey(username)]), ACCOUNT_LANE_WIDTH, () =>
          guess(fail, true),
        ));
    await Promise.all([
      throttle.clear([ofPair]),
      isStrange || knownSinceMs > FAMILIAR_RENEWAL_MS ? throttle.countFailure([familiar]) : undefined,
    ]);
    return result;
  }

  return {
    /**
     * One try at the password of an account, after the waits that earlier failures have earned. It goes the same way for a name that nobody has.
     *
     * @param guess does the checking; calls `fail` with what the audit trail is to say when the password is wrong. Is told whether the account was logged
     *   in to from this address before
     * @throws Failure `too-many-requests` without a try; `refusal` after a wrong one
     */
    tryPassword<T>(username: string, address: string, guess: Guess<T>, refusal: () => Failure): Promise<T> {
      const network = networkOf(address);
      const lane = JSON.stringify(['account', usernameKey(username), network]);
      return throttle.inLane(lane, ACCOUNT_LANE_WIDTH, () =>
        inAddressLane(network, () => afterWait(username, network, guess, refusal)),
      );
    },

    /** Slow work for somebody, a few at a time: nobody's share of the hashing queue keeps others from logging in. */
    inTurn<T>(actor: Actor, work: () => Promise<T>): Promise<T> {
      if (actor.kind === 'operator') return work();
      const who = actor.kind === 'anonymous' ? networkOf(actor.address) : actor.userId.toString();
      return throttle.inLane(JSON.stringify(['hashing', actor.kind, who]), HASHING_LANE_WIDTH, work);
    },

    /** One try at taking a user name: each counts, for the answer tells whether it is taken. */
    async tryName<T>(address: string, take: () => Promise<T>): Promise<T> {
      if (!guardsAddresses) return take();
      const network = networkOf(address);
      const counters = [counter(OF_SIGN_UPS, 'sign-up', network)];
      return inAddressLane(network, async () => {
        await throttle.demandNoWait(counters);
        await throttle.countFailure(counters);
        return take();
      });
    },

    /** One try at a reset link. `use` calls `fail` for one that is not valid. */
    async tryReset<T>(
      address: string,
      use: (fail: (entry: NewAuditEntry) => Promise<never>) => Promise<T>,
      refusal: () => Failure,
    ): Promise<T> {
      const network = networkOf(address);
      const counters = [counter(OF_RESETS, 'reset', network)];
      return throttle.inLane(`reset\n${network}`, ACCOUNT_LANE_WIDTH, async () => {
        await throttle.demandNoWait(counters);
        return use(async (entry) => {
          await throttle.countFailure(counters, entry);
          throw refusal();
        });
      });
    },
  };
}

/** The lane in which the password of an account waits to be checked. */
export function hashingLaneOf(account: Account | undefined, isFamiliar: boolean): HashingLane {
  if (!isFamiliar) return 'general';
  return account !== undefined && isStaff(account.role) ? 'staff' : 'familiar';
}

/** Clears away counts that count for nothing any more. @param isStopping asked between the steps */
export function forgetCounts(limits: LimitStore, clock: Clock, isStopping: () => boolean = () => false): Promise<void> {
  const nowMs = clock();
  const hour = Math.floor(nowMs / HOUR_MS);
  return inPortions((limit) => limits.apply({ kind: 'forget', nowMs, hour, limit }), isStopping);
}

const GROUPS_OF_ADDRESS = 8;
const GROUPS_OF_NETWORK = 4;

/** What counts as one place: an IPv4 address; of IPv6, where a single customer gets as many addresses as they like, the first 64 bits. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('::');
  const front = groupsOf(head);
  const back = groupsOf(tail ?? '');
  const zeros = Array<string>(tail === undefined ? 0 : GROUPS_OF_ADDRESS - front.length - back.length).fill('0');
  return `${[...front, ...zeros, ...back].slice(0, GROUPS_OF_NETWORK).join(':')}::/64`;
}

function groupsOf(part: string): string[] {
  return part === '' ? [] : part.split(':');
}
