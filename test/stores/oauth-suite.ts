import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { DatabaseStores } from '../../src/storage/rows/stores/stores.ts';
import type { Stamp } from '../../src/domain/audit.ts';
import { Failure } from '../../src/domain/failure.ts';
import type { ClientRecord, OAuthClientChange } from '../../src/domain/oauth/client.ts';
import type { GrantedCode, NewAccessToken, TokenChange } from '../../src/domain/oauth/tokens.ts';
import {
  applyOne,
  beginSession,
  createKey,
  createUsers,
  endSessions,
  findAll,
  loginAccount,
  removeUser,
  setPassword,
  setRole,
  STAMP,
} from '../support/changes.ts';
import { testsOn, type OpenStores } from './open-stores.ts';

const NOW_MS = 5000;
const HOUR_MS = 3_600_000;
const BY_ADA: Stamp = {
  ...STAMP,
  via: 'session',
  actorId: 1n,
  actorName: 'ada',
  actorRole: 'editor',
  credentialId: 'id of a1',
};

/** Ada (1) is an editor with a session, Bob (2) a viewer. */
async function withAccounts(stores: DatabaseStores): Promise<void> {
  const ada = loginAccount('ada', { publicId: 7n, role: 'editor' });
  await applyOne(stores.users, createUsers(ada, loginAccount('bob', { publicId: 7n })));
  await applyOne(stores.sessions, beginSession('a1', 1n));
}

function createClient(id: string, client: Partial<ClientRecord> = {}): OAuthClientChange {
  const record: ClientRecord = {
    id,
    accountId: 1n,
    name: `program "${id}" 🐈`,
    redirectUris: ['https://program.example/', 'com.example.app:/back'],
    scopes: ['read:pets', 'write:pets'],
    isPublic: false,
    secretDigest: `secret of ${id}`,
    createdAtMs: 1234,
    ...client,
  };
  return { kind: 'create', client: record, maxOfAccount: 3, stamp: STAMP };
}

const CODE: GrantedCode = {
  clientId: 'c1',
  redirectUri: 'https://program.example/',
  scopes: ['write:pets'],
  challenge: 'challenge',
  sessionId: 'id of a1',
  tokenId: 't1',
};

function saveCode(digest: string): TokenChange {
  return { kind: 'save-code', digest, code: CODE, clientName: 'program', expiresAtMs: NOW_MS + 60_000, stamp: BY_ADA };
}

function useCode(digest: string): TokenChange {
  return { kind: 'use-code', digest, stamp: STAMP, keptUntilMs: NOW_MS + HOUR_MS };
}

type Issue = Extract<TokenChange, { kind: 'issue' }>;

function issue(
  digest: string,
  others: Partial<Omit<Issue, 'token'>> & { token?: Partial<NewAccessToken> } = {},
): Issue {
  const { token: given, ...rest } = others;
  const token: NewAccessToken = {
    id: 't1',
    digest,
    accountId: 1n,
    clientId: 'c1',
    clientName: 'program',
    scopes: ['write:pets'],
    createdAtMs: NOW_MS,
    expiresAtMs: NOW_MS + HOUR_MS,
    ...given,
  };
  return { kind: 'issue', token, codeDigest: undefined, isOfService: false, stamp: BY_ADA, ...rest };
}

/** One of many tokens, in the order of their creation. */
function tokenAt(index: number): Partial<NewAccessToken> {
  return { id: `t${index}`, createdAtMs: NOW_MS + index, expiresAtMs: NOW_MS + HOUR_MS + index };
}

async function tokensOf({ oauthTokens }: DatabaseStores, userId = 1n): Promise<readonly string[]> {
  return (await oauthTokens.listOf(userId, NOW_MS)).map(({ id }) => id);
}

async function clientsOf({ oauthClients }: DatabaseStores, userId?: bigint): Promise<readonly string[]> {
  return (await oauthClients.list(userId)).map(({ id }) => id);
}

export function describeOAuthStores(openStores: OpenStores): void {
  const testPrepared = testsOn(openStores, withAccounts);
  void describe('OAuth clients', () => {
    testPrepared('are found with the data of their owner, and listed by name', async (stores) => {
      await applyOne(stores.oauthClients, createClient('c1', { name: 'b' }));
      await applyOne(stores.oauthClients, createClient('c2', { name: 'a', accountId: 2n, secretDigest: undefined }));
      await applyOne(stores.users, setRole('ada', 'viewer'));
      assert.deepEqual(await stores.oauthClients.find('c1'), {
        id: 'c1',
        name: 'b',
        redirectUris: ['https://program.example/', 'com.example.app:/back'],
        scopes: ['read:pets', 'write:pets'],
        isPublic: false,
        createdAtMs: 1234,
        lastUsedAtMs: undefined,
        owner: { accountId: 1n, username: 'ada', role: 'viewer', userStatus: undefined },
        secretDigest: 'secret of c1',
      });
      assert.equal((await stores.oauthClients.find('c2'))?.isPublic, true);
      assert.equal(await stores.oauthClients.find('none'), undefined);
      assert.deepEqual([await clientsOf(stores), await clientsOf(stores, 1n)], [['c2', 'c1'], ['c1']]);
    });

    testPrepared('are limited per account, and deleted by their owner with their tokens', async (stores) => {
      for (const id of ['c1', 'c2', 'c3']) await applyOne(stores.oauthClients, createClient(id));
      await assert.rejects(stores.oauthClients.apply(createClient('c4')), { code: 'conflict' });
      await applyOne(stores.oauthTokens, issue('d1'));
      const deletion = { kind: 'delete', id: 'c1', userId: 2n, stamp: STAMP } as const;
      await assert.rejects(stores.oauthClients.apply(deletion), { code: 'not-found' });
      assert.deepEqual(await tokensOf(stores), ['t1']);
      await applyOne(stores.oauthClients, { ...deletion, userId: 1n });
      assert.deepEqual([await clientsOf(stores), await tokensOf(stores)], [['c2', 'c3'], []]);
      assert.deepEqual(await findAll(stores.keys, ['d1']), [undefined]);
    });

    testPrepared('end with their account, and with its password if they have a secret', async (stores) => {
      await applyOne(stores.oauthClients, createClient('c1'));
      await applyOne(stores.oauthClients, createClient('c2', { secretDigest: undefined, isPublic: true }));
      await applyOne(stores.oauthClients, createClient('c3', { accountId: 2n }));
      await applyOne(stores.users, setPassword('ada', 'hash', { keepKeys: true }));
      assert.deepEqual(await clientsOf(stores, 1n), ['c1', 'c2']);
      await applyOne(stores.users, setPassword('ada', 'hash'));
      assert.deepEqual(await clientsOf(stores, 1n), ['c2']);
      await applyOne(stores.users, removeUser('bob'));
      assert.deepEqual(await clientsOf(stores), ['c2']);
    });
  });

  void describe('OAuth codes and tokens', () => {
    testPrepared('tokens of other accounts end with that of the owner of the client', async (stores) => {
      await applyOne(stores.oauthClients, createClient('c1', { accountId: 2n }));
      await applyOne(stores.oauthTokens, issue('d1'));
      assert.deepEqual(await tokensOf(stores), ['t1']);
      await applyOne(stores.users, removeUser('bob'));
      assert.deepEqual(await tokensOf(stores), []);
    });

    testPrepared('a code is used once, and a second use revokes its token', async (stores) => {
      const { oauthTokens } = stores;
      await applyOne(stores.oauthClients, createClient('c1'));
      await applyOne(oauthTokens, saveCode('code'));
      const { digest, user, expiresAtMs, ...code } = (await oauthTokens.findCode('code')) ?? assert.fail();
      assert.deepEqual([code, digest, user.username, expiresAtMs], [CODE, 'code', 'ada', NOW_MS + 60_000]);
      assert.deepEqual(
        await Promise.all([useCode('code'), useCode('none')].map((use) => oauthTokens.apply(use))),
        [1, 0],
      );
      assert.equal(await oauthTokens.apply(issue('d1', { codeDigest: 'code' })), 1);
      assert.deepEqual(await tokensOf(stores), ['t1']);
      assert.equal(await oauthTokens.apply(useCode('code')), 0);
      assert.deepEqual(await tokensOf(stores), []);
      const [last] = await stores.audit.list({}, { beforeId: undefined, limit: 1 });
      assert.deepEqual([last?.action, last?.details?.['reason']], ['key.revoked', 'code reused']);
    });

    testPrepared('concurrent uses of a code give no token', async (stores) => {
      const { oauthTokens } = stores;
      await applyOne(stores.oauthClients, createClient('c1'));
      await applyOne(oauthTokens, saveCode('code'));
      const uses = Array.from({ length: 5 }, () => oauthTokens.apply(useCode('code')));
      assert.equal((await Promise.all(uses)).filter((used) => used > 0).length, 1);
      assert.equal(await oauthTokens.apply(issue('d1', { codeDigest: 'code' })), 0);
      assert.deepEqual(await tokensOf(stores), []);
    });

    testPrepared('a token needs its client, its session and the role of its user', async (stores) => {
      const { oauthTokens } = stores;
      assert.equal(await oauthTokens.apply(issue('d1')), 0);
      assert.equal(await oauthTokens.apply(issue('d1', { isOfService: true })), 1);
      const asProgram: Stamp = { ...BY_ADA, via: 'oauth-client', credentialId: 'c1', actorRole: 'admin' };
      assert.equal(await oauthTokens.apply(issue('d2', { isOfService: true, stamp: asProgram })), 0);
      await applyOne(stores.sessions, endSessions('a1'));
      const refused = oauthTokens.apply(issue('d3', { isOfService: true }));
      await assert.rejects(refused, (error) => error instanceof Failure && error.code === 'unauthenticated');
    });

    testPrepared('a client that asks for many tokens loses its oldest ones', async (stores) => {
      for (let index = 0; index < 102; index++)
        await applyOne(stores.oauthTokens, issue(`d${index}`, { isOfService: true, token: tokenAt(index) }));
      const ids = await tokensOf(stores);
      assert.deepEqual([ids.length, ids[0], ids.at(-1)], [100, 't101', 't2']);
    });

    testPrepared('a list of clients has when each last got or used a token', async (stores) => {
      const lastUse = async () => (await stores.oauthClients.list(undefined))[0]?.lastUsedAtMs;
      await applyOne(stores.oauthClients, createClient('c1'));
      assert.equal(await lastUse(), undefined);
      await applyOne(stores.oauthTokens, issue('d1', { token: tokenAt(1) }));
      assert.equal(await lastUse(), tokenAt(1).createdAtMs);
      await applyOne(stores.keys, { kind: 'touch', digest: 'd1', usedAtMs: NOW_MS + 7 });
      assert.equal(await lastUse(), NOW_MS + 7);
      assert.equal((await stores.oauthClients.find('c1'))?.lastUsedAtMs, undefined);
    });

    testPrepared('a token is a key that is not listed or counted as one', async (stores) => {
      await applyOne(stores.oauthClients, createClient('c1'));
      await applyOne(stores.oauthTokens, issue('d1'));
      await applyOne(stores.keys, createKey('k1', 1n, { maxOfAccount: 1 }));
      assert.deepEqual(
        (await stores.keys.listOf(1n)).map(({ id }) => id),
        ['id of k1'],
      );
      const [found] = await findAll(stores.keys, ['d1']);
      assert.deepEqual([found?.username, found?.scopes], ['ada', ['write:pets']]);
      await applyOne(stores.keys, { kind: 'revoke', id: 't1', userId: 1n, stamp: STAMP });
      assert.deepEqual(await tokensOf(stores), []);
    });

    testPrepared('a client revokes its own tokens only, and a new one replaces those that expired', async (stores) => {
      const { oauthTokens } = stores;
      await applyOne(stores.oauthClients, createClient('c1'));
      await applyOne(oauthTokens, issue('d1'));
      const revoke = { kind: 'revoke', digest: 'd1', clientId: 'c2', stamp: STAMP } as const;
      assert.deepEqual(
        [await oauthTokens.apply(revoke), await oauthTokens.apply({ ...revoke, clientId: 'c1' })],
        [0, 1],
      );
      await applyOne(oauthTokens, issue('d2', { token: { id: 't2' } }));
      const later = { id: 't3', createdAtMs: NOW_MS + HOUR_MS, expiresAtMs: NOW_MS + 2 * HOUR_MS };
      await applyOne(oauthTokens, issue('d3', { token: later }));
      assert.deepEqual(await findAll(stores.keys, ['d2']), [undefined]);
      assert.deepEqual(await tokensOf(stores), ['t3']);
    });
  });
}
