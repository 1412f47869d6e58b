import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { DEFAULT_HASH_PARAMETERS } from '../../src/services/crypto/passwords.ts';
import { createAddresses, fromAddress } from '../support/addresses.ts';
import { assertResponse, errorText } from '../support/client.ts';
import { compareMedians, shuffle } from '../support/permutation-test.ts';
import { setUpTotp } from '../support/factors.ts';
import { bearer, logIn, startSecuredService } from '../support/secured.ts';

/* The duration of a failed login reveals neither an account nor a second factor: measured, if the machine allows it. */

const DAY_MS = 24 * 3_600_000;

let nowMs = Date.UTC(2026, 0, 15, 12, 20, 0);
const { call } = await startSecuredService(
  { after },
  { flags: ['--trusted-proxies', '1'], clock: () => nowMs, hashing: DEFAULT_HASH_PARAMETERS },
);
const nextAddress = createAddresses();
const root = bearer(await logIn(call, 'root'));

const RIGHT = 'the right password of all of these';
const WRONG = 'no password of anybody is this one';

/** Several of each, so that none fails often. */
const COUNT = 3;
for (let number = 0; number < COUNT; number++) {
  for (const [username, password] of [
    [`open-${number}`, RIGHT],
    [`shut-${number}`, RIGHT],
    [`bare-${number}`, undefined],
    [`coded-${number}`, RIGHT],
  ])
    assert.equal((await call('POST', 'user', { headers: root, json: { username, password } })).status, 200);
  assert.equal((await call('POST', `admin/users/shut-${number}/close`, { headers: root })).status, 200);
  await setUpTotp(call, await logIn(call, `coded-${number}`, RIGHT), nowMs);
}

/** Reasons why a login fails: the beginning of the name, and the password. The control repeats the first one. */
const KINDS = {
  unknown: ['none', WRONG],
  control: ['none', WRONG],
  wrong: ['open', WRONG],
  closed: ['shut', RIGHT],
  bare: ['bare', WRONG],
  coded: ['coded', WRONG],
} as const;

type Kind = keyof typeof KINDS;
const kinds = Object.keys(KINDS) as readonly Kind[];

/** Measurements of each kind. The first few show a large difference; more are taken only if they seem to differ. */
const FEW_SAMPLES = 24;
const SAMPLES = 120;
/** Smaller relative differences cannot be measured remotely, and occur by chance on a busy machine. */
const TOLERANCE = 0.1;
const SUSPICIOUS = 0.05;
const SIGNIFICANT = 0.001;

/** The operations that check a password. */
const PATHS = ['user/login', 'sign-in/password'];

/** Times responses in random order. */
async function measure(path: string, samples: number): Promise<ReadonlyMap<Kind, number[]>> {
  const times = new Map(kinds.map((kind) => [kind, [] as number[]]));
  const plan = shuffle(kinds.flatMap((kind) => Array.from({ length: samples }, (_, number) => ({ kind, number }))));
  for (const { kind, number } of plan) {
    // Failures of a day ago no longer count.
    nowMs += DAY_MS;
    const client = fromAddress(call, nextAddress());
    const [name, password] = KINDS[kind];
    const startedMs = performance.now();
    const response = await client('POST', path, { json: { username: `${name}-${number % COUNT}`, password } });
    times.get(kind)?.push(performance.now() - startedMs);
    assertResponse(response, 400, errorText('Invalid username/password supplied'));
  }
  return times;
}

function isDistinguishable(first: readonly number[], second: readonly number[], significance: number): boolean {
  const { difference, median, p } = compareMedians(first, second);
  return p < significance && Math.abs(difference) > TOLERANCE * median;
}

/** The pairs of reasons with distinguishable durations. */
function distinguishablePairs(times: ReadonlyMap<Kind, number[]>, significance: number): readonly string[] {
  const of = (kind: Kind) => times.get(kind) ?? assert.fail();
  const reasons = kinds.filter((kind) => kind !== 'control');
  const pairs = reasons.flatMap((first, index) => reasons.slice(index + 1).map((second) => [first, second] as const));
  return pairs
    .filter(([first, second]) => isDistinguishable(of(first), of(second), significance))
    .map(([first, second]) => `${first}/${second} ${JSON.stringify(compareMedians(of(first), of(second)))}`);
}

/**
 * Whether this test would detect a difference of two fifths in these measurements, despite the noise of the machine.
 */
function wouldFind(times: ReadonlyMap<Kind, number[]>, significance: number): boolean {
  const all = shuffle([...times.values()].flat());
  const [plain, slower] = [all.slice(0, all.length / 2), all.slice(all.length / 2).map((ms) => ms * 1.4)];
  return isDistinguishable(plain, slower, significance) && isDistinguishable(slower, plain, significance);
}

/** The reason why these measurements prove nothing; undefined if they do. */
function noiseIn(times: ReadonlyMap<Kind, number[]>, significance: number): string | undefined {
  const of = (kind: Kind) => times.get(kind) ?? assert.fail();
  const { difference, median } = compareMedians(of('unknown'), of('control'));
  if (Math.abs(difference) > (TOLERANCE / 2) * median)
    return `identical requests differ by ${difference.toFixed(1)} of ${median.toFixed(1)} ms`;
  return wouldFind(times, significance) ? undefined : 'a difference of two fifths would not be found';
}

for (const path of PATHS) {
  void test(`failed login at ${path}: same duration for every reason`, async (t) => {
    const few = await measure(path, FEW_SAMPLES);
    if (noiseIn(few, SUSPICIOUS) === undefined && distinguishablePairs(few, SUSPICIOUS).length === 0) return;
    // A significant difference occurs by chance once in some hundred runs; a real one reappears.
    for (let attempt = 1; ; attempt++) {
      const many = await measure(path, SAMPLES);
      const noise = noiseIn(many, SIGNIFICANT);
      if (noise !== undefined) {
        t.skip(`the machine is too noisy: ${noise}`);
        return;
      }
      const pairs = distinguishablePairs(many, SIGNIFICANT);
      if (pairs.length === 0) return;
      if (attempt === 2) assert.deepEqual(pairs, []);
    }
  });
}
