import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Failure } from '../../src/domain/failure.ts';
import type { DatabaseStores } from '../../src/storage/rows/stores/stores.ts';
import type { KnownIdentity, NewSignInStep, ProviderChange } from '../../src/domain/providers/ports.ts';
import { issuerKey } from '../../src/domain/providers/provider.ts';
import {
  applyOne,
  beginSession,
  completedStep,
  createUsers,
  loginAccount,
  newAccount,
  STAMP,
} from '../support/changes.ts';
import { testsOn, type OpenStores } from './open-stores.ts';

const ISSUER = 'https://login.example.org';

function identity(subject: string, issuer = ISSUER): KnownIdentity {
  return { issuer, subject, name: `name of ${subject}` };
}

function logIn(subject: string, other: Partial<Extract<ProviderChange, { kind: 'log-in' }>> = {}): ProviderChange {
  const change = { role: undefined, newAccount: undefined, confirmedEmail: undefined, stamp: STAMP };
  return { kind: 'log-in', identity: identity(subject), completed: completedStep(), ...change, ...other };
}

function link(userId: bigint, subject: string, issuer?: string): ProviderChange {
  const completed = completedStep();
  return { kind: 'link', userId, identity: identity(subject, issuer), label: 'Example', completed, stamp: STAMP };
}

function unlink(userId: bigint, subject: string, isPasswordAccepted = true, issuers = [ISSUER]): ProviderChange {
  const waysIn = { isPasswordAccepted, issuers: issuers.map(issuerKey) };
  return { kind: 'unlink', userId, issuer: ISSUER, subject, label: 'Example', waysIn, stamp: STAMP };
}

function begin(digest: string, expiresAtMs: number): ProviderChange {
  return { kind: 'begin', step: { digest, details: `details of ${digest}`, expiresAtMs }, stamp: STAMP };
}

function completedAs(digest: string): NewSignInStep {
  return { digest, details: `details of ${digest}`, expiresAtMs: 2000 };
}

async function addAnn({ users }: DatabaseStores): Promise<void> {
  await users.apply(createUsers(loginAccount('ann')));
}

async function subjectsOf({ providerLogins }: DatabaseStores, userId: bigint): Promise<readonly string[]> {
  return (await providerLogins.listOf(userId)).map(({ subject }) => subject);
}

export function describeProviderStore(openStores: OpenStores): void {
  const test = testsOn(openStores);
  const testWithAnn = testsOn(openStores, addAnn);
  void describe('logins at providers', () => {
    test('a step is taken once, and only before its end', async ({ providerLogins }) => {
      for (const [digest, expiresAtMs] of [
        ['one', 2000],
        ['two', 1000],
      ] as const)
        await providerLogins.apply(begin(digest, expiresAtMs));
      const take = (digest: string) => providerLogins.apply({ kind: 'take', digest, nowMs: 1000 });
      assert.deepEqual(
        [await take('one'), await take('one'), await take('two'), await take('other')],
        ['details of one', '', '', ''],
      );
    });

    test('a step that several requests take together is taken once', async ({ providerLogins }) => {
      await providerLogins.apply(begin('one', 2000));
      const take = () => providerLogins.apply({ kind: 'take', digest: 'one', nowMs: 1000 });
      const taken = await Promise.all([take(), take(), take()]);
      assert.deepEqual(taken.toSorted(), ['', '', 'details of one']);
    });

    test('log-in: creates an account with its login once, and finds it by issuer and subject', async (stores) => {
      const { providerLogins, users } = stores;
      assert.equal(await providerLogins.apply(logIn('s1')), '');
      const account = { ...newAccount('eve'), passwordHash: undefined };
      const first = logIn('s1', { newAccount: account, confirmedEmail: 'Eve@example.org' });
      assert.equal(await providerLogins.apply(first), 'eve');
      assert.equal(await providerLogins.apply(logIn('s1', { newAccount: newAccount('other') })), 'eve');
      assert.equal(
        await providerLogins.apply({
          ...logIn('s1'),
          identity: identity('s1', 'https://other.example'),
        } as ProviderChange),
        '',
      );
      const eve = await users.find('eve');
      assert.deepEqual([eve?.isLinked, eve?.passwordHash, eve?.role], [true, undefined, 'viewer']);
      const [login] = await providerLogins.listOf(eve?.id ?? 0n);
      assert.deepEqual(login, { ...identity('s1'), createdAtMs: 1000, lastUsedAtMs: 1000 });
    });

    testWithAnn('log-in: a taken name changes nothing', async (stores) => {
      const { providerLogins } = stores;
      await assert.rejects(providerLogins.apply(logIn('s1', { newAccount: newAccount('ANN') })), { code: 'conflict' });
      assert.equal(await providerLogins.apply(logIn('s1')), '');
    });

    testWithAnn('log-in: sets the role, except of the last administrator', async ({ providerLogins, users }) => {
      const roleAfter = async (role: 'admin' | 'viewer' | undefined) => {
        await providerLogins.apply(logIn('s1', { role }));
        return (await users.find('ann'))?.role;
      };
      const { id = 0n } = (await users.find('ann')) ?? {};
      await providerLogins.apply(link(id, 's1'));
      assert.equal(await roleAfter('admin'), 'admin');
      assert.equal(await roleAfter(undefined), 'admin');
      assert.equal(await roleAfter('viewer'), 'admin');
      await users.apply(createUsers(loginAccount('root', { role: 'admin' })));
      assert.equal(await roleAfter('viewer'), 'viewer');
    });

    testWithAnn('a failure after a write undoes it, and no other change of the transaction', async (stores) => {
      const { providerLogins, users } = stores;
      const { id = 0n } = (await users.find('ann')) ?? {};
      await providerLogins.apply(link(id, 's1'));
      const ended = { ...STAMP, via: 'session', actorId: id, actorRole: 'viewer', credentialId: 'ended' } as const;
      const [failed, linked] = await Promise.allSettled([
        // The login is noted before the account gets its role, for which the session of the stamp is looked up.
        providerLogins.apply(logIn('s1', { role: 'editor', stamp: ended })),
        providerLogins.apply(link(id, 's2')),
      ]);
      assert.ok(failed.status === 'rejected');
      assert.equal((failed.reason as Failure).code, 'unauthenticated');
      assert.equal(linked.status, 'fulfilled');
      const logins = await providerLogins.listOf(id);
      assert.deepEqual(
        logins.map(({ subject, lastUsedAtMs }) => [subject, lastUsedAtMs]),
        [
          ['s1', undefined],
          ['s2', undefined],
        ],
      );
    });

    testWithAnn('a completed step is known to its account until its end', async (stores) => {
      const { providerLogins, users } = stores;
      const { id = 0n } = (await users.find('ann')) ?? {};
      await providerLogins.apply({ ...link(id, 's1'), completed: completedAs('linked') } as ProviderChange);
      await providerLogins.apply(logIn('s1', { completed: completedAs('logged in') }));
      await providerLogins.apply(logIn('s2', { newAccount: newAccount('eve'), completed: completedAs('signed up') }));
      const { id: eve = 0n } = (await users.find('eve')) ?? {};
      const of = (userId: bigint, nowMs = 1999) =>
        Promise.all(
          ['linked', 'logged in', 'signed up'].map((digest) => providerLogins.completedBy(userId, digest, nowMs)),
        );
      assert.deepEqual(await of(id), ['details of linked', 'details of logged in', '']);
      assert.deepEqual(await of(eve), ['', '', 'details of signed up']);
      assert.deepEqual(await of(id, 2000), ['', '', '']);
      assert.equal(await providerLogins.apply({ kind: 'take', digest: 'linked', nowMs: 1000 }), '');
      assert.equal((await of(id))[0], 'details of linked');
    });

    test('an administrator who can only log in at a provider counts as one', async ({ providerLogins, users }) => {
      const account = { ...newAccount('eve', { role: 'admin' }), passwordHash: undefined };
      await providerLogins.apply(logIn('s1', { newAccount: account }));
      assert.equal(await users.hasAdministrator(), true);
      await assert.rejects(users.apply({ kind: 'delete', username: 'eve', stamp: STAMP }), { code: 'conflict' });
    });

    testWithAnn('link: a login belongs to one account', async (stores) => {
      const { providerLogins, users } = stores;
      const { id = 0n } = (await users.find('ann')) ?? {};
      await providerLogins.apply(logIn('s1', { newAccount: newAccount('eve') }));
      assert.equal(await providerLogins.apply(link(id, 's1')), 'taken');
      assert.equal(await providerLogins.apply(link(id, 's2')), '');
      assert.equal(await providerLogins.apply(link(id, 's2')), '', 'again');
      assert.equal(await providerLogins.apply(link(id, 's1', 'https://other.example')), '');
      assert.deepEqual((await subjectsOf(stores, id)).toSorted(), ['s1', 's2']);
    });

    testWithAnn('unlink: keeps a way in', async (stores) => {
      const { providerLogins, users } = stores;
      const { id = 0n } = (await users.find('ann')) ?? {};
      await providerLogins.apply(link(id, 's1'));
      await assert.rejects(providerLogins.apply(unlink(id, 's1', false)), { code: 'conflict' });
      await providerLogins.apply(link(id, 's3', 'https://gone.example'));
      await assert.rejects(providerLogins.apply(unlink(id, 's1', false)), { code: 'conflict' });
      await assert.rejects(providerLogins.apply(unlink(id, 'unknown')), { code: 'not-found' });
      assert.equal(await providerLogins.apply(unlink(id, 's1')), '');
      await providerLogins.apply(link(id, 's1'));
      await providerLogins.apply(link(id, 's2'));
      assert.equal(await providerLogins.apply(unlink(id, 's2', false)), '');
      assert.deepEqual((await subjectsOf(stores, id)).toSorted(), ['s1', 's3']);
    });

    testWithAnn('unlink by an administrator: also the last way in, and ends the sessions', async (stores) => {
      const { providerLogins, users, sessions } = stores;
      await providerLogins.apply(logIn('s1', { newAccount: newAccount('eve') }));
      const [ann = 0n, eve = 0n] = [(await users.find('ann'))?.id, (await users.find('eve'))?.id];
      await providerLogins.apply(link(ann, 's2'));
      await applyOne(sessions, beginSession('a1', ann));
      const unlinkFor = (userId: bigint, subject: string) =>
        providerLogins.apply({
          kind: 'unlink-for-owner',
          userId,
          issuer: ISSUER,
          subject,
          label: 'Example',
          stamp: STAMP,
        });
      await assert.rejects(unlinkFor(ann, 'unknown'), { code: 'not-found' });
      assert.equal((await sessions.listOf(ann)).length, 1);
      assert.equal(await unlinkFor(ann, 's2'), '');
      assert.deepEqual(await sessions.listOf(ann), []);
      assert.equal(await unlinkFor(eve, 's1'), '');
      assert.deepEqual([await subjectsOf(stores, ann), await subjectsOf(stores, eve)], [[], []]);
      const [entry] = await stores.audit.list({}, { beforeId: undefined, limit: 1 });
      assert.deepEqual([entry?.action, entry?.subject?.name], ['account.provider-unlinked', 'eve']);
    });

    testWithAnn('logins are deleted with the account', async (stores) => {
      const { providerLogins, users } = stores;
      const { id = 0n } = (await users.find('ann')) ?? {};
      await providerLogins.apply(link(id, 's1'));
      await users.apply({ kind: 'delete', username: 'ann', stamp: STAMP });
      assert.equal(await providerLogins.apply(logIn('s1')), '');
    });
  });
}
