import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { after, describe, it } from 'node:test';
import type { Scope } from '../../src/domain/access.ts';
import { clientOf } from '../support/client.ts';
import { startServer } from '../support/menagerie-process.ts';
import {
  assertRefusal,
  commandsOn,
  deskOn,
  HELP,
  jsonOf,
  outputOf,
  type Run,
  runCommand,
} from '../support/operator-commands.ts';
import { newSecuredFolder } from '../support/secured.ts';

const KEY = /^mgk_[\w-]{43}$/;
const DAY_MS = 24 * 3_600_000;

interface KeyView {
  id: string;
  name: string;
  scopes: Scope[];
  createdAt: string;
  expiresAt: string;
  lastUsedAt?: string;
}

interface CreatedKey extends KeyView {
  key: string;
}

async function createKey(run: Run, username: string, ...flags: string[]): Promise<CreatedKey> {
  return jsonOf(await run(['key', 'create', username, '--json', ...flags])) as CreatedKey;
}

async function listKeys(run: Run, username: string): Promise<KeyView[]> {
  return jsonOf(await run(['key', 'list', username, '--json'])) as KeyView[];
}

void describe('menagerie key, while no server runs,', () => {
  void it('makes, lists and revokes keys, and a server that starts later knows those that are left', async (t) => {
    const dataDir = await newSecuredFolder();
    t.after(() => rm(dataDir, { recursive: true, force: true }));
    const run = commandsOn(dataDir);
    assert.equal(outputOf(await run(['key', 'list', 'edna'])), 'edna has no keys.\n');
    const [kept, revoked] = await Promise.all([
      createKey(run, 'edna', '--scope', 'write:pets', '--name', 'the till'),
      createKey(run, 'edna', '--scope', 'write:pets'),
    ]);
    assert.equal(outputOf(await run(['key', 'revoke', revoked.id])), `The key ${revoked.id} is revoked.\n`);
    assert.deepEqual(
      (await listKeys(run, 'edna')).map(({ id, name }) => ({ id, name })),
      [{ id: kept.id, name: 'the till' }],
    );
    const { base } = await startServer(t, dataDir, ['--empty', '--access', 'secured']);
    const addWith = (key: string) =>
      clientOf(base)('POST', 'pet', { headers: { api_key: key }, json: { name: 'Rex' } });
    assert.equal((await addWith(kept.key)).status, 200);
    assert.equal((await addWith(revoked.key)).status, 401);
  });
});

void describe('menagerie key, beside a server that runs on the same data,', { concurrency: 4 }, async () => {
  const dataDir = await newSecuredFolder();
  after(() => rm(dataDir, { recursive: true, force: true }));
  const desk = await deskOn({ after }, dataDir);
  const { base } = await startServer({ after }, dataDir, ['--empty', '--access', 'secured']);
  const call = clientOf(base);

  async function addPet(key: string): Promise<number> {
    return (await call('POST', 'pet', { headers: { api_key: key }, json: { name: 'Rex' } })).status;
  }

  void it('makes a key that the server takes at once, and prints it alone', async () => {
    const ended = await commandsOn(dataDir)(['key', 'create', 'Edna', '--scope', 'write:pets']);
    const { code, stdout, stderr } = ended;
    assert.equal(code, 0);
    assert.match(stdout.trimEnd(), KEY);
    assert.match(stderr, /^Keep it now: it is not shown again\. [^\n]*write:pets[^\n]* \d{4}-\d\d-\d\d \d\d:\d\d\.\n$/);
    assert.ok(!stderr.includes(stdout.trim()));
    assert.equal(await addPet(stdout.trim()), 200);
  });

  void it('makes a key that may do no more than its scopes say', async () => {
    const { key } = await createKey(commandsOn(dataDir), 'edna', '--scope', 'read:pets');
    assert.equal(await addPet(key), 401);
    assert.equal((await call('GET', 'account', { headers: { api_key: key } })).status, 401);
  });

  void it('makes a key of a viewer that writes nothing, warns of it, until the role is raised', async () => {
    const run = commandsOn(dataDir);
    const { code, stdout, stderr } = await run(['key', 'create', 'vera', '--scope', 'read:pets,write:pets']);
    assert.equal(code, 0);
    assert.match(stderr, /\n[^\n]*role of vera, viewer, does not allow changes[^\n]*\.\n$/);
    assert.equal(await addPet(stdout.trim()), 401);
    outputOf(await run(['user', 'role', 'vera', 'editor']));
    assert.equal(await addPet(stdout.trim()), 200);
    const calm = await run(['key', 'create', 'otto', '--scope', 'read:pets']);
    assert.doesNotMatch(calm.stderr, /viewer/);
  });

  const scopes: { flags: string[]; expected: Scope[] }[] = [
    { flags: ['--scope', 'read:pets', '--scope', 'write:pets'], expected: ['read:pets', 'write:pets'] },
    { flags: ['--scope', 'write:pets,read:pets'], expected: ['read:pets', 'write:pets'] },
    { flags: ['--scope=read:pets'], expected: ['read:pets'] },
  ];
  for (const { flags, expected } of scopes) {
    void it(`takes scopes as ${flags.join(' ')}`, async () => {
      const run = commandsOn(dataDir);
      const created = await createKey(run, 'edna', ...flags);
      const fields = ['key', 'id', 'name', 'scopes', 'createdAt', 'expiresAt'];
      assert.deepEqual(Object.keys(created), fields);
      assert.match(created.key, KEY);
      assert.deepEqual(created.scopes.toSorted(), expected);
      assert.equal(created.name, 'command line');
      assert.equal(Date.parse(created.expiresAt) - Date.parse(created.createdAt), 90 * DAY_MS);
    });
  }

  const lifetimes: { text: string; ms: number }[] = [
    { text: '90d', ms: 90 * DAY_MS },
    { text: '12h', ms: DAY_MS / 2 },
    { text: '1y', ms: 365.25 * DAY_MS },
    { text: '1m', ms: 60_000 },
    { text: '2 weeks', ms: 14 * DAY_MS },
    { text: '3650d', ms: 3650 * DAY_MS },
    { text: '1.00001m', ms: 60_000 },
  ];
  for (const { text, ms } of lifetimes) {
    void it(`makes a key for ${text}`, async () => {
      const { createdAt, expiresAt } = await createKey(
        commandsOn(dataDir),
        'edna',
        '--scope',
        'read:pets',
        '--expires',
        text,
      );
      const lifetimeMs = Date.parse(expiresAt) - Date.parse(createdAt);
      assert.ok(Math.abs(lifetimeMs - ms) <= 1, `${lifetimeMs}`);
    });
  }

  void it('lists the keys of an account, without the secrets', async () => {
    const run = commandsOn(dataDir);
    const { key, id } = await createKey(run, 'root', '--scope', 'read:pets,write:pets', '--name', 'der Wecker');
    assert.equal(await addPet(key), 200);
    const [json, table] = await Promise.all([run(['key', 'list', 'ROOT', '--json']), run(['key', 'list', 'root'])]);
    const [listed] = jsonOf(json) as KeyView[];
    assert.deepEqual([listed?.id, listed?.name], [id, 'der Wecker']);
    assert.ok(listed?.lastUsedAt !== undefined);
    const [heads = '', row = ''] = outputOf(table).split('\n');
    assert.match(heads, /^ID +NAME +SCOPES +CREATED +EXPIRES +LAST USED$/);
    assert.match(row, new RegExp(`^${id} +der Wecker +read:pets write:pets( +\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d){3}$`));
    for (const { stdout } of [json, table]) assert.ok(!stdout.includes(key.slice('mgk_'.length)));
  });

  void it('revokes a key from the very next request on', async () => {
    const run = commandsOn(dataDir);
    const { key, id } = await createKey(run, 'edna', '--scope', 'write:pets');
    assert.equal(await addPet(key), 200);
    assert.deepEqual(jsonOf(await run(['key', 'revoke', id, '--json'])), { id, revoked: true });
    assert.equal(await addPet(key), 401);
    assertRefusal(await run(['key', 'revoke', id]), { code: 1, says: /^Key not found\n$/ });
  });

  void it('makes a hundred keys for an account and no more', async () => {
    const run = commandsOn(dataDir);
    const newKey = { name: 'one of many', scopes: ['read:pets'], lifetimeMs: DAY_MS } as const;
    const password = 'the hoarder keeps all the keys';
    await desk.administration.createUser(desk.operator, { username: 'hoarder', role: 'viewer', password });
    await Promise.all(
      Array.from({ length: 100 }, () => desk.administration.createKey(desk.operator, 'hoarder', newKey)),
    );
    const ended = await run(['key', 'create', 'hoarder', '--scope', 'read:pets']);
    assertRefusal(ended, { code: 1, says: /^The account has 100 keys already\. Revoke one first\.\n$/ });
  });
});

void describe('menagerie key tells', () => {
  for (const args of [['--help'], ['create', 'edna', '--help']]) {
    void it(`what it can do with ${args.join(' ')}`, async () => {
      const help = outputOf(await runCommand(['key', ...args]));
      assert.match(help, HELP);
      for (const name of ['create', 'list', 'revoke'])
        assert.match(help, new RegExp(`^ {2}menagerie key ${name}\\b`, 'm'));
    });
  }
});
