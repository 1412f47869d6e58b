import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Scope } from '../../src/domain/access.ts';
import { clientOf } from '../support/client.ts';
import { startServer } from '../support/menagerie-process.ts';
import {
  assertRefusal,
  commandsOn,
  HELP,
  jsonOf,
  outputOf,
  type Run,
  runCommand,
} from '../support/operator-commands.ts';
import { newSecuredFolder } from '../support/secured.ts';
import { removeFolder } from '../support/service.ts';

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

void describe('menagerie key without a server', () => {
  void it('create, list, revoke: a server that starts later accepts the remaining keys', async (t) => {
    const dataDir = await newSecuredFolder();
    t.after(() => removeFolder(dataDir));
    const run = commandsOn(dataDir);
    assert.equal(outputOf(await run(['key', 'list', 'edna'])), 'edna has no API keys.\n');
    const [kept, revoked] = await Promise.all([
      createKey(run, 'edna', '--scope', 'write:pets', '--name', 'the till'),
      createKey(run, 'edna', '--scope', 'write:pets'),
    ]);
    assert.equal(outputOf(await run(['key', 'revoke', revoked.id])), `Revoked API key ${revoked.id}.\n`);
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

void describe('menagerie key beside a running server', { concurrency: 4 }, async () => {
  const dataDir = await newSecuredFolder();
  after(() => removeFolder(dataDir));
  const { base } = await startServer({ after }, dataDir, ['--empty', '--access', 'secured']);
  const call = clientOf(base);

  async function addPet(key: string): Promise<number> {
    return (await call('POST', 'pet', { headers: { api_key: key }, json: { name: 'Rex' } })).status;
  }

  void it('create: prints only the key to standard output, and the server accepts it immediately', async () => {
    const ended = await commandsOn(dataDir)(['key', 'create', 'Edna', '--scope', 'write:pets']);
    const { code, stdout, stderr } = ended;
    assert.equal(code, 0);
    assert.match(stdout.trimEnd(), KEY);
    assert.match(
      stderr,
      /^Save the key now: it is not shown again\. [^\n]*write:pets[^\n]* \d{4}-\d\d-\d\d \d\d:\d\d UTC\.\n$/,
    );
    assert.ok(!stderr.includes(stdout.trim()));
    assert.equal(await addPet(stdout.trim()), 200);
  });

  void it('create for a viewer with write:pets: warns that the key cannot write until the role changes', async () => {
    const run = commandsOn(dataDir);
    const { code, stdout, stderr } = await run(['key', 'create', 'vera', '--scope', 'read:pets,write:pets']);
    assert.equal(code, 0);
    assert.match(stderr, /\n[^\n]*role of vera, viewer, does not allow changes[^\n]*\.\n$/);
    assert.equal(await addPet(stdout.trim()), 401);
    outputOf(await run(['user', 'role', 'vera', 'editor']));
    assert.equal(await addPet(stdout.trim()), 200);
    const other = await run(['key', 'create', 'otto', '--scope', 'read:pets']);
    assert.doesNotMatch(other.stderr, /viewer/);
  });

  const scopes: { flags: string[]; expected: Scope[] }[] = [
    { flags: ['--scope', 'read:pets', '--scope', 'write:pets'], expected: ['read:pets', 'write:pets'] },
    { flags: ['--scope', 'write:pets,read:pets'], expected: ['read:pets', 'write:pets'] },
  ];
  for (const { flags, expected } of scopes) {
    void it(`create ${flags.join(' ')}: the key has the scopes ${expected.join(' and ')}`, async () => {
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

  const lifetimes: [text: string, ms: number][] = [
    ['12h', DAY_MS / 2],
    ['1y', 365.25 * DAY_MS],
    ['2 weeks', 14 * DAY_MS],
    ['3650d', 3650 * DAY_MS],
    ['1.00001m', 60_000],
  ];
  for (const [text, ms] of lifetimes) {
    void it(`create --expires ${text}: sets the lifetime`, async () => {
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

  void it('list: shows the keys of a user without their secrets', async () => {
    const run = commandsOn(dataDir);
    const { key, id } = await createKey(run, 'root', '--scope', 'read:pets,write:pets', '--name', 'der Wecker');
    assert.equal(await addPet(key), 200);
    const [json, table] = await Promise.all([run(['key', 'list', 'ROOT', '--json']), run(['key', 'list', 'root'])]);
    const [listed] = jsonOf(json) as KeyView[];
    assert.deepEqual([listed?.id, listed?.name], [id, 'der Wecker']);
    assert.ok(listed?.lastUsedAt !== undefined);
    const [headings = '', row = ''] = outputOf(table).split('\n');
    assert.match(headings, /^ID +NAME +SCOPES +CREATED +EXPIRES +LAST USED$/);
    assert.match(row, new RegExp(`^${id} +der Wecker +read:pets write:pets( +\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d){3}$`));
    for (const { stdout } of [json, table]) assert.ok(!stdout.includes(key.slice('mgk_'.length)));
  });

  void it('revoke: the next request with the key is refused', async () => {
    const run = commandsOn(dataDir);
    const { key, id } = await createKey(run, 'edna', '--scope', 'write:pets');
    assert.equal(await addPet(key), 200);
    assert.deepEqual(jsonOf(await run(['key', 'revoke', id, '--json'])), { id, revoked: true });
    assert.equal(await addPet(key), 401);
    assertRefusal(await run(['key', 'revoke', id]), { code: 1, says: /^API key not found\n$/ });
  });
});

void describe('menagerie key', () => {
  for (const args of [['--help'], ['create', 'edna', '--help']]) {
    void it(`${args.join(' ')}: describes all commands`, async () => {
      const help = outputOf(await runCommand(['key', ...args]));
      assert.match(help, HELP);
      for (const name of ['create', 'list', 'revoke'])
        assert.match(help, new RegExp(`^ {2}menagerie key ${name}\\b`, 'm'));
    });
  }
});
