import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createAddresses, fromAddress } from '../support/addresses.ts';
import { compareMedians, shuffle } from '../support/permutation-test.ts';
import { bearer, logIn, startSecuredService } from '../support/secured.ts';
import { startSmtpReceiver } from '../support/smtp-receiver.ts';

/* The duration of a request for a new password does not reveal whether an account has the address. */

const DAY_MS = 24 * 3_600_000;

let nowMs = Date.UTC(2026, 0, 15, 12, 20, 0);
const receiver = await startSmtpReceiver({ after });
const mail = ['--smtp-url', receiver.url, '--mail-from', 'pets@example.org', '--public-url', 'http://pets.example.org'];
const flags = [...mail, '--trusted-proxies', '1'];
const { call } = await startSecuredService({ after }, { flags, clock: () => nowMs });
const nextAddress = createAddresses();

const headers = bearer(await logIn(call, 'vera'));
const profile = { username: 'vera', email: 'known@example.net', userStatus: 2 };
await call('PUT', 'user/vera', { json: profile, headers });
const [confirmation = assert.fail()] = await receiver.waitFor(1);
const token = /#([\w-]{43})/.exec(confirmation.text ?? '')?.[1];
assert.equal((await call('POST', 'email-confirmation', { json: { token } })).status, 200);

const ADDRESSES = { known: 'known@example.net', unknown: 'nobody@example.net', control: 'nobody@example.net' } as const;

type Kind = keyof typeof ADDRESSES;
const kinds = Object.keys(ADDRESSES) as readonly Kind[];

const FEW_SAMPLES = 24;
const SAMPLES = 120;
/** Smaller relative differences cannot be measured remotely, and occur by chance on a busy machine. */
const TOLERANCE = 0.15;

async function measure(samples: number): Promise<ReadonlyMap<Kind, number[]>> {
  const times = new Map(kinds.map((kind) => [kind, [] as number[]]));
  for (const kind of shuffle(kinds.flatMap((each) => Array.from({ length: samples }, () => each)))) {
    // Requests of a day ago no longer count.
    nowMs += DAY_MS;
    const startedMs = performance.now();
    const response = await fromAddress(call, nextAddress())('POST', 'password-reset-request', {
      json: { email: ADDRESSES[kind] },
    });
    times.get(kind)?.push(performance.now() - startedMs);
    assert.deepEqual([response.status, response.text], [200, '{"code":200,"type":"unknown","message":"ok"}']);
  }
  return times;
}

function differ(times: ReadonlyMap<Kind, number[]>, other: Kind, significance: number): boolean {
  const { difference, median, p } = compareMedians(times.get('unknown') ?? [], times.get(other) ?? []);
  return p < significance && Math.abs(difference) > TOLERANCE * median;
}

void test('request for a new password: same duration whether an account has the address', async (t) => {
  if (!differ(await measure(FEW_SAMPLES), 'known', 0.05)) return;
  // A significant difference occurs by chance once in some hundred runs; a real one reappears.
  for (let attempt = 1; attempt <= 2; attempt++) {
    const many = await measure(SAMPLES);
    if (differ(many, 'control', 0.05)) {
      t.skip('the machine is too noisy: identical requests differ');
      return;
    }
    if (!differ(many, 'known', 0.001)) return;
  }
  assert.fail('requests for known and unknown addresses have different durations');
});
