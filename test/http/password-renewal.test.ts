import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Argon2Hasher, DEFAULT_HASH_PARAMETERS } from '../../src/services/crypto/passwords.ts';
import { bearer, logIn, PASSWORDS, startSecuredService } from '../support/secured.ts';
import { openTables } from '../support/stored.ts';

/* Hashes with outdated parameters, from an earlier version or a smaller machine. */

const TODAY = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/;

const service = await startSecuredService({ after }, { hashing: DEFAULT_HASH_PARAMETERS });
const { call } = service;

const { query } = await openTables({ after }, service.dataDir);

async function hashOf(username: string): Promise<string> {
  const [row] = await query('select password_hash from account where username = $1', username);
  return String(row?.['password_hash']);
}

/** Replaces the hash of an account by one with less memory. */
async function weaken(username: string): Promise<string> {
  const parameters = { memoryKib: 64, passes: 1 };
  const hasher = new Argon2Hasher({ concurrency: 1, maxWaiting: 1, parameters });
  const weak = await hasher.hash(PASSWORDS[username] ?? assert.fail());
  await query('update account set password_hash = $1 where username = $2', weak, username);
  return weak;
}

void test('outdated hash: renewed by the next login, without any visible effect', async () => {
  const before = await logIn(call, 'vera');
  const weak = await weaken('vera');
  const token = await logIn(call, 'vera');
  assert.match(await hashOf('vera'), TODAY);
  for (const session of [before, token])
    assert.equal((await call('GET', 'account', { headers: bearer(session) })).status, 200, 'no session may end');
  const renewed = await hashOf('vera');
  assert.notEqual(renewed, weak);
  await logIn(call, 'vera');
  assert.equal(await hashOf('vera'), renewed, 'a current hash must not be renewed');
  const root = bearer(await logIn(call, 'root'));
  const entries = await call('GET', 'admin/audit?subject=vera&action=account', { headers: root });
  assert.doesNotMatch(entries.text, /password/, 'no audit entry may mention it');
});

void test('outdated hash: not renewed by a wrong password', async () => {
  const weak = await weaken('otto');
  const response = await call('POST', 'user/login', { json: { username: 'otto', password: PASSWORDS['vera'] } });
  assert.equal(response.status, 400);
  assert.equal(await hashOf('otto'), weak);
});

void test('Unicode password: the same in every composition', async () => {
  const composed = 'größere Bäume wärmen Żubrówka';
  const json = { username: 'unicode', password: composed.normalize('NFC') };
  assert.equal((await call('POST', 'user', { json })).status, 200);
  await logIn(call, 'unicode', composed.normalize('NFD'));
  await logIn(call, 'unicode', composed.normalize('NFC'));
});
