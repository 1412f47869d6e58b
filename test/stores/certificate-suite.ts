import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { CertificateRenewal, renewalOf } from '../../src/domain/https/certificate-renewal.ts';
import { CERTIFICATE_REPORTED_AFTER_MS, type Certificate } from '../../src/domain/https/ports.ts';
import type { DatabaseStores } from '../../src/storage/rows/stores/stores.ts';
import { applyOne, createUsers, loginAccount, STAMP } from '../support/changes.ts';
import { testsOn, type OpenStores } from './open-stores.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const START_MS = 1_800_000_000_000;

/** Nodes on one database, with an authority whose answers the test decides. */
function nodesOn({ certificates }: Pick<DatabaseStores, 'certificates'>, names: readonly string[]) {
  const state = { nowMs: START_MS, refusal: undefined as string | undefined, orders: [] as string[] };
  const used: string[] = [];
  const failures: [error: string, delayMs: number][] = [];
  const start = (name: string) =>
    new CertificateRenewal({
      certificates,
      directory: 'https://ca.example/dir',
      stagingDirectory: 'https://staging.example/dir',
      domains: ['pets.example.org'],
      clock: () => state.nowMs,
      authority: {
        createAccountKey: async () => `account key of ${name}`,
        async order({ directory, accountKey }, putAnswer, removeAnswer): Promise<Certificate> {
          state.orders.push(`${name} ${new URL(directory).hostname} ${accountKey}`);
          await putAnswer('token', 'answer');
          assert.equal(await certificates.findChallenge('token'), 'answer', 'any node can answer');
          await removeAnswer('token');
          if (state.refusal !== undefined) throw new Error(state.refusal);
          const chain = `certificate ${state.orders.length}`;
          return { privateKey: 'key', chain, notBeforeMs: state.nowMs, notAfterMs: state.nowMs + 90 * DAY_MS };
        },
      },
      onCertificate: ({ chain }) => used.push(`${name} ${chain}`),
      onFailure: (error, nextAtMs) => failures.push([error, nextAtMs - state.nowMs]),
    });
  const [first, second] = names.map(start);
  assert.ok(first);
  return { state, used, failures, first, second: second ?? first, restart: start };
}

export function describeCertificates(openStores: OpenStores): void {
  const test = testsOn(openStores);
  void describe('HTTPS certificates', () => {
    test('one of several nodes orders, after a trial, and all use the certificate', async (stores) => {
      const { state, used, first, second } = nodesOn(stores, ['a', 'b']);
      await Promise.all([first.run(), second.run()]);
      await Promise.all([first.run(), second.run()]);
      const [node = ''] = (state.orders[0] ?? '').split(' ');
      assert.deepEqual(state.orders, [
        `${node} staging.example account key of ${node}`,
        `${node} ca.example account key of ${node}`,
      ]);
      assert.deepEqual(used.toSorted(), ['a certificate 2', 'b certificate 2']);
      assert.equal(await stores.certificates.findChallenge('token'), undefined);
    });

    test('a certificate is renewed after two thirds of its lifetime, without a trial', async (stores) => {
      const { state, used, first } = nodesOn(stores, ['a']);
      await first.run();
      state.nowMs =
        renewalOf({ privateKey: '', chain: '', notBeforeMs: START_MS, notAfterMs: START_MS + 90 * DAY_MS }) - 1;
      await first.run();
      assert.equal(state.orders.length, 2);
      state.nowMs++;
      await first.run();
      assert.deepEqual(state.orders.slice(2), ['a ca.example account key of a']);
      assert.deepEqual(used, ['a certificate 2', 'a certificate 3']);
    });

    test('a failure keeps the certificate, and attempts become rare', async (stores) => {
      const { state, used, failures, first, restart } = nodesOn(stores, ['a']);
      await first.run();
      state.nowMs += 61 * DAY_MS;
      state.refusal = 'rateLimited';
      for (const endMs = state.nowMs + 2 * DAY_MS; state.nowMs < endMs;) {
        await first.run();
        state.nowMs += 10 * MINUTE_MS;
      }
      assert.deepEqual(used, ['a certificate 2']);
      assert.deepEqual(
        failures.map(([, delayMs]) => delayMs / MINUTE_MS),
        [10, 60, 240, 720, 720, 720, 720],
      );
      const restarted = restart('again');
      const failed = (await first.read()).failedAtMs ?? 0;
      state.nowMs = failed + 10 * MINUTE_MS - 1;
      await restart('too soon').run();
      assert.equal(failures.length, 7);
      state.nowMs = Math.max(state.nowMs, failed + 2 * HOUR_MS);
      state.refusal = undefined;
      await restarted.run();
      assert.deepEqual(used.slice(2), ['again certificate 2', `again certificate ${state.orders.length}`]);
      const { attempts, error, failingSinceMs } = await first.read();
      assert.deepEqual([attempts, error, failingSinceMs], [0, undefined, undefined]);
    });

    test('the claim of a node that died ends', async (stores) => {
      const { certificates } = stores;
      const { state, first } = nodesOn(stores, ['a']);
      await first.run();
      state.nowMs += 61 * DAY_MS;
      const order = 'https://ca.example/dir pets.example.org';
      const { revision } = await certificates.find(order);
      const claim = { kind: 'claim', order, revision, untilMs: state.nowMs + 5 * MINUTE_MS, accountKey: 'x' } as const;
      assert.equal(await certificates.apply(claim), 1);
      assert.equal(await certificates.apply(claim), 0);
      await first.run();
      assert.equal(state.orders.length, 2);
      state.nowMs += 5 * MINUTE_MS;
      await first.run();
      assert.equal(state.orders.length, 3);
    });

    test('after a day of failures, each administrator with an address gets one message', async (stores) => {
      const { users, addresses, mail } = stores;
      const admin = { role: 'admin', profile: { username: 'root', email: 'root@example.org' } } as const;
      await applyOne(users, createUsers(loginAccount('root', admin)));
      const link = { purpose: 'confirmation', accountId: 1n, email: 'root@example.org', digest: 'd' } as const;
      await addresses.apply({ kind: 'offer', link: { ...link, expiresAtMs: 5000, stamp: STAMP } });
      await addresses.apply({ kind: 'confirm', digest: 'd', language: 'de', stamp: STAMP });
      const { state, first } = nodesOn(stores, ['a']);
      state.refusal = 'DNS problem';
      const waiting = async () => {
        const due = await mail.apply({ kind: 'claim', nowMs: 9e12, untilMs: 9e12, limit: 10 });
        return due.filter(({ kind }) => kind === 'certificate-failed');
      };
      const endMs = START_MS + CERTIFICATE_REPORTED_AFTER_MS;
      for (; state.nowMs < endMs; state.nowMs += HOUR_MS) await first.run();
      assert.deepEqual(await waiting(), []);
      for (; state.nowMs < endMs + 2 * DAY_MS; state.nowMs += HOUR_MS) await first.run();
      const messages = await waiting();
      assert.equal(messages.length, 1);
      assert.deepEqual(messages[0]?.details, { error: 'DNS problem', atMs: String(START_MS) });
    });
  });
}
