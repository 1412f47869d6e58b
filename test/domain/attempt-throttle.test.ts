import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { tokens } from '../../src/services/crypto/secrets.ts';
import { AttemptThrottle, networkOf } from '../../src/domain/accounts/attempt-throttle.ts';
import type { NewAuditEntry } from '../../src/domain/audit.ts';
import { Failure } from '../../src/domain/failure.ts';
import { Throttle } from '../../src/domain/accounts/throttle.ts';
import { STAMP } from '../support/changes.ts';
import { MemoryLimits, TestClock } from '../support/memory-limits.ts';

const MINUTE_S = 60;
const DAY_S = 24 * 60 * MINUTE_S;

const ENTRY: NewAuditEntry = { stamp: STAMP, action: 'session.begun', subject: null, outcome: 'failed', details: null };

const HOME = '192.0.2.1';
const ELSEWHERE = '198.51.100.7';

/** A different address for each number. */
const attackerAddress = (number: number) => `203.0.${number >> 8}.${number & 255}`;

/** Addresses of one IPv6 customer. */
const ofCustomer = (number: number) => `2001:db8:0:7:${number.toString(16)}::1`;

type Outcome = 'in' | 'wrong' | { waitS: number };

const wrong = () => new Failure('invalid-input', 'wrong');

const failUnexpectedly = () => Promise.reject(new Failure('unavailable', 'out of reach', { retryAfterSeconds: 1 }));

class World {
  readonly limits = new MemoryLimits();
  readonly clock = new TestClock();
  readonly #attempts: AttemptThrottle;
  /** How many passwords were checked. */
  checks = 0;

  constructor(guardsAddresses = true) {
    const throttle = new Throttle({ limits: this.limits, clock: this.clock.read });
    this.#attempts = new AttemptThrottle({ throttle, tokens, guardsAddresses });
  }

  pass(seconds: number): void {
    this.clock.pass(seconds * 1000);
  }

  guess(username: string, address: string, isRight: boolean): Promise<Outcome> {
    return this.#outcomeOf(
      this.#attempts.tryPassword(
        username,
        address,
        async (fail) => {
          this.checks += 1;
          if (!isRight) await fail(ENTRY);
          return 'in' as const;
        },
        wrong,
      ),
    );
  }

  reset(address: string, isRight: boolean): Promise<Outcome> {
    return this.#outcomeOf(
      this.#attempts.tryReset(
        address,
        async (fail) => {
          if (!isRight) await fail(ENTRY);
          return 'in' as const;
        },
        wrong,
      ),
    );
  }

  signUp(address: string): Promise<Outcome> {
    return this.#outcomeOf(this.#attempts.tryName(address, () => Promise.resolve('in' as const)));
  }

  /**
   * Fails repeatedly, waiting as required each time.
   * @returns the waits, in seconds
   */
  async fail(times: number, attempt: () => Promise<Outcome>): Promise<readonly number[]> {
    const waits: number[] = [];
    for (let failures = 0; failures < times;) {
      const outcome = await attempt();
      if (outcome === 'wrong') failures += 1;
      else if (outcome !== 'in') this.pass(outcome.waitS);
      if (outcome === 'in') assert.fail('expected a failed attempt');
      if (outcome !== 'wrong') waits.push(outcome.waitS);
    }
    return waits;
  }

  async #outcomeOf(attempt: Promise<'in'>): Promise<Outcome> {
    try {
      return await attempt;
    } catch (error) {
      assert.ok(error instanceof Failure, String(error));
      if (error.code === 'invalid-input') return 'wrong';
      assert.equal(error.code, 'too-many-requests');
      return { waitS: error.details.retryAfterSeconds ?? 0 };
    }
  }
}

/** Makes this many attackers fail once each with the same name. */
async function failFromEverywhere(world: World, username: string, attackers: number): Promise<readonly number[]> {
  const waits: number[] = [];
  for (let number = 0; number < attackers; number++) {
    waits.push(...(await world.fail(1, () => world.guess(username, attackerAddress(number), false))));
  }
  return waits;
}

const isWait = (outcome: Outcome) => typeof outcome === 'object';

void describe('attempt throttle: one account, one address', () => {
  void it('allows a few mistakes without a wait', async () => {
    const world = new World();
    assert.deepEqual(await world.fail(9, () => world.guess('ada', HOME, false)), []);
    assert.equal(await world.guess('ada', HOME, true), 'in');
  });

  void it('raises the wait up to a quarter of an hour', async () => {
    const world = new World();
    const waits = await world.fail(40, () => world.guess('ada', HOME, false));
    assert.ok(waits.length >= 28);
    assert.deepEqual(waits.slice(0, 10), [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]);
    assert.ok(waits.slice(10).every((seconds) => seconds === 15 * MINUTE_S));
  });

  void it('permits about a hundred guesses a day', async () => {
    const world = new World();
    let guesses = 0;
    for (const end = world.clock.nowMs + DAY_S * 1000; world.clock.nowMs < end;) {
      const outcome = await world.guess('ada', HOME, false);
      if (outcome === 'wrong') guesses += 1;
      else if (outcome !== 'in') world.pass(outcome.waitS);
    }
    assert.ok(guesses <= 130, `${guesses} guesses`);
  });

  void it('refuses even the right password during a wait', async () => {
    const world = new World();
    await world.fail(15, () => world.guess('ada', HOME, false));
    const checks = world.checks;
    assert.ok(isWait(await world.guess('ada', HOME, true)));
    assert.equal(world.checks, checks);
  });

  void it('does not extend the wait for attempts made during it', async () => {
    const world = new World();
    await world.fail(15, () => world.guess('ada', HOME, false));
    const first = await world.guess('ada', HOME, false);
    assert.ok(typeof first === 'object');
    for (let repetition = 0; repetition < 100; repetition++)
      assert.deepEqual(await world.guess('ada', HOME, false), first);
    world.pass(first.waitS);
    assert.equal(await world.guess('ada', HOME, true), 'in');
  });

  void it('starts over after a success', async () => {
    const world = new World();
    for (let round = 0; round < 5; round++) {
      assert.deepEqual(await world.fail(9, () => world.guess('ada', HOME, false)), [], `round ${round}`);
      assert.equal(await world.guess('ada', HOME, true), 'in');
    }
  });

  void it('starts over after a success that followed long waits', async () => {
    const world = new World();
    const [lastWait] = (await world.fail(15, () => world.guess('ada', HOME, false))).slice(-1);
    world.pass((lastWait ?? 0) * 2);
    assert.equal(await world.guess('ada', HOME, true), 'in');
    assert.deepEqual(await world.fail(9, () => world.guess('ada', HOME, false)), []);
  });

  void it('starts over after a day without a failure', async () => {
    const world = new World();
    await world.fail(20, () => world.guess('ada', HOME, false));
    world.pass(DAY_S);
    assert.deepEqual(await world.fail(9, () => world.guess('ada', HOME, false)), []);
  });

  void it('counts all spellings of a username as one', async () => {
    const world = new World();
    const spellings = ['Zoë', 'ZOË', 'zoe\u0308'];
    for (const name of spellings) await world.fail(5, () => world.guess(name, HOME, false));
    for (const name of spellings) assert.ok(isWait(await world.guess(name, HOME, true)), name);
  });

  void it('does not slow down the owner elsewhere, nor other accounts', async () => {
    const world = new World();
    await world.fail(30, () => world.guess('ada', HOME, false));
    assert.ok(isWait(await world.guess('ada', HOME, true)));
    assert.equal(await world.guess('ada', ELSEWHERE, true), 'in');
    assert.equal(await world.guess('bob', HOME, true), 'in');
  });

  void it('grants no extra attempts to concurrent ones', async () => {
    const world = new World();
    const outcomes = await Promise.all(Array.from({ length: 200 }, () => world.guess('ada', HOME, false)));
    assert.ok(world.checks <= 15, `${world.checks} passwords were checked`);
    assert.equal(outcomes.filter(isWait).length, 200 - world.checks);
  });

  void it('counts wrong passwords, not other failures', async () => {
    const world = new World();
    const throttle = new Throttle({ limits: world.limits, clock: world.clock.read });
    const attempts = new AttemptThrottle({ throttle, tokens, guardsAddresses: true });
    for (let time = 0; time < 30; time++) {
      await assert.rejects(attempts.tryPassword('ada', HOME, failUnexpectedly, wrong), /out of reach/);
    }
    assert.equal(world.limits.counted.size, 0);
  });

  void it('writes each failure to the audit log together with the count', async () => {
    const world = new World();
    await world.fail(12, () => world.guess('ada', HOME, false));
    await world.guess('ada', HOME, false);
    assert.equal(world.limits.entries.length, 12);
    for (const entry of world.limits.entries) assert.deepEqual(entry, ENTRY);
  });

  void it('stores nothing that a user typed', async () => {
    const world = new World();
    await world.fail(3, () => world.guess('hunter2', HOME, false));
    await world.guess('hunter2', HOME, true);
    const kept = [...world.limits.counted.keys()];
    assert.ok(kept.length >= 2);
    assert.ok(kept.every((key) => /^[\w-]{43}$/.test(key)));
  });
});

void describe('attempt throttle: many accounts, one address', () => {
  void it('finally delays every account from that address, and no other address', async () => {
    const world = new World();
    let name = 0;
    const waits = await world.fail(110, () => world.guess(`user${(name += 1)}`, HOME, false));
    assert.ok(waits.length >= 8);
    assert.ok(isWait(await world.guess('ada', HOME, true)));
    assert.equal(await world.guess('ada', ELSEWHERE, true), 'in');
  });

  void it("is not reset by logging in to an account of one's own", async () => {
    const world = new World();
    let name = 0;
    const attempt = () => world.guess(`user${(name += 1)}`, HOME, false);
    await world.fail(50, attempt);
    assert.equal(await world.guess('mallory', HOME, true), 'in');
    await world.fail(60, attempt);
    assert.ok(isWait(await attempt()));
  });

  void it('tolerates an office with an occasional mistake, month after month', async () => {
    const world = new World();
    for (let day = 0; day < 120; day++) {
      for (const name of ['ada', 'bob']) {
        assert.equal(await world.guess(name, HOME, false), 'wrong', `${name} on day ${day}`);
        assert.equal(await world.guess(name, HOME, true), 'in', `${name} on day ${day}`);
      }
      world.pass(DAY_S - 60);
    }
  });

  void it('is off where addresses are not guarded; the limit per account stays on', async () => {
    const world = new World(false);
    let name = 0;
    assert.deepEqual(await world.fail(300, () => world.guess(`user${(name += 1)}`, HOME, false)), []);
    assert.equal(await world.guess('ada', HOME, true), 'in');
    await world.fail(12, () => world.guess('bob', HOME, false));
    assert.ok(isWait(await world.guess('bob', HOME, true)));
  });
});

void describe('attempt throttle: one account, many addresses', () => {
  void it('delays after a while, by half a minute at most', async () => {
    const world = new World();
    assert.deepEqual(await failFromEverywhere(world, 'ada', 49), []);
    const waits = await failFromEverywhere(world, 'ada', 300);
    assert.ok(waits.length > 200);
    assert.ok(waits.every((seconds) => seconds > 0 && seconds <= 30));
    assert.equal(Math.max(...waits), 30);
  });

  void it('does not delay owners at addresses where they have logged in before', async () => {
    const world = new World();
    assert.equal(await world.guess('ada', HOME, true), 'in');
    await failFromEverywhere(world, 'ada', 200);
    assert.equal(await world.guess('ada', HOME, false), 'wrong');
    assert.equal(await world.guess('ada', HOME, true), 'in');
    const elsewhere = await world.guess('ada', ELSEWHERE, true);
    assert.ok(typeof elsewhere === 'object' && elsewhere.waitS <= 30);
  });

  void it("does not count the owner's mistakes at known addresses against others", async () => {
    const world = new World();
    await world.guess('ada', HOME, true);
    await world.fail(80, () => world.guess('ada', HOME, false));
    assert.equal(await world.guess('ada', ELSEWHERE, true), 'in');
  });

  void it('lets an owner in from a new address after the required wait', async () => {
    const world = new World();
    await failFromEverywhere(world, 'ada', 200);
    const first = await world.guess('ada', ELSEWHERE, true);
    assert.ok(typeof first === 'object');
    world.pass(first.waitS);
    assert.equal(await world.guess('ada', ELSEWHERE, true), 'in');
  });

  void it('remembers known addresses for three months since the last login', async () => {
    const world = new World();
    await world.guess('ada', HOME, true);
    world.pass(80 * DAY_S);
    assert.equal(await world.guess('ada', HOME, true), 'in');
    world.pass(80 * DAY_S);
    await failFromEverywhere(world, 'ada', 100);
    assert.equal(await world.guess('ada', HOME, true), 'in');
    world.pass(91 * DAY_S);
    await failFromEverywhere(world, 'ada', 100);
    assert.ok(isWait(await world.guess('ada', HOME, true)));
  });

  void it('does not slow down other accounts', async () => {
    const world = new World();
    await failFromEverywhere(world, 'ada', 200);
    assert.equal(await world.guess('bob', attackerAddress(1), true), 'in');
  });

  void it('counts the addresses of one IPv6 customer as one', async () => {
    const world = new World();
    let number = 0;
    await world.fail(12, () => world.guess('ada', ofCustomer((number += 1)), false));
    assert.ok(isWait(await world.guess('ada', ofCustomer(999), true)));
    assert.equal(await world.guess('ada', '2001:db8:0:8::1', true), 'in');
  });
});

async function outcomesFor(username: string) {
  const world = new World();
  const outcomes: Outcome[] = [];
  for (let attempt = 0; attempt < 40; attempt++) {
    outcomes.push(await world.guess(username, HOME, false));
    world.pass(3);
  }
  for (let number = 0; number < 60; number++)
    outcomes.push(await world.guess(username, attackerAddress(number), false));
  return { outcomes, asked: world.limits.asked, counters: world.limits.counted.size };
}

void describe('attempt throttle: an unknown username', () => {
  void it('behaves like an existing one', async () => {
    assert.deepEqual(await outcomesFor('nobody'), await outcomesFor('ada'));
  });
});

void describe('attempt throttle: frequent logins', () => {
  void it('record the address once a day, and nothing else', async () => {
    const world = new World();
    for (let login = 0; login < 100; login++) {
      assert.equal(await world.guess('ada', HOME, true), 'in');
      world.pass(60);
    }
    assert.equal(world.limits.asked.length, 1);
    world.pass(DAY_S);
    await world.guess('ada', HOME, true);
    await world.guess('ada', HOME, true);
    assert.equal(world.limits.asked.length, 2);
  });
});

void describe('attempt throttle: sign-ups', () => {
  void it('are delayed after many from one address, successful or not, and only there', async () => {
    const world = new World();
    for (let time = 0; time < 99; time++) assert.equal(await world.signUp(HOME), 'in');
    await world.signUp(HOME);
    await world.signUp(HOME);
    const outcome = await world.signUp(HOME);
    assert.ok(typeof outcome === 'object' && outcome.waitS <= 3600);
    assert.equal(await world.signUp(ELSEWHERE), 'in');
    world.pass(outcome.waitS);
    assert.equal(await world.signUp(HOME), 'in');
  });

  void it('are not delayed where addresses are not guarded', async () => {
    const world = new World(false);
    for (let time = 0; time < 300; time++) assert.equal(await world.signUp(HOME), 'in');
  });

  void it('are independent of logins', async () => {
    const world = new World();
    for (let time = 0; time < 150; time++) await world.signUp(HOME);
    assert.equal(await world.guess('ada', HOME, true), 'in');
    assert.equal(await world.reset(HOME, true), 'in');
  });
});

void describe('attempt throttle: reset links', () => {
  for (const guardsAddresses of [true, false]) {
    void it(`are delayed after some wrong ones${guardsAddresses ? '' : ', also where addresses are not guarded'}`, async () => {
      const world = new World(guardsAddresses);
      assert.deepEqual(await world.fail(19, () => world.reset(HOME, false)), []);
      const waits = await world.fail(30, () => world.reset(HOME, false));
      assert.ok(waits.length >= 20);
      assert.equal(Math.max(...waits), 15 * MINUTE_S);
      assert.equal(await world.reset(ELSEWHERE, true), 'in');
    });
  }

  void it('do not count valid ones', async () => {
    const world = new World();
    for (let time = 0; time < 50; time++) assert.equal(await world.reset(HOME, true), 'in');
    assert.equal(world.limits.counted.size, 0);
  });

  void it('grants no extra attempts to concurrent ones', async () => {
    const world = new World();
    const outcomes = await Promise.all(Array.from({ length: 200 }, () => world.reset(HOME, false)));
    assert.ok(outcomes.filter((outcome) => outcome === 'wrong').length <= 25);
  });
});

const networks: { addresses: readonly string[]; network: string }[] = [
  { addresses: ['192.0.2.1'], network: '192.0.2.1' },
  { addresses: ['192.0.2.10'], network: '192.0.2.10' },
  { addresses: ['unknown'], network: 'unknown' },
  {
    addresses: ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::', '2001:db8:1:2::6', '2001:db8:1:2:3::', '2001:db8:1:2:3::6'],
    network: '2001:db8:1:2::/64',
  },
  { addresses: ['2001:db8::1', '2001:db8::', '2001:db8::1:2:3:4'], network: '2001:db8:0:0::/64' },
  { addresses: ['2001:db8:0:1::1', '2001:db8:0:1:1:1:1:1'], network: '2001:db8:0:1::/64' },
  { addresses: ['2001::1:0:0:0:1', '2001:0:0:1::1'], network: '2001:0:0:1::/64' },
  { addresses: ['::1', '::', '::1:2:3:4'], network: '0:0:0:0::/64' },
  { addresses: ['::1:2:3:4:5'], network: '0:0:0:1::/64' },
  { addresses: ['1::2:3:4:5:6:7', '1:0:2:3:4:5:6:7'], network: '1:0:2:3::/64' },
  { addresses: ['fe80::1', 'fe80::abcd:1'], network: 'fe80:0:0:0::/64' },
];

void describe('networkOf', () => {
  for (const { addresses, network } of networks) {
    for (const address of addresses) {
      void it(`${address} is ${network}`, () => assert.equal(networkOf(address), network));
    }
  }
});
