import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { ROLES } from '../../src/domain/access.ts';
import { newDatabase } from '../support/nodes.ts';
import { commandsOn, deskOn, outputOf, type Run } from '../support/operator-commands.ts';
import { PASSWORDS } from '../support/secured.ts';
import type { Lifetime } from '../support/lifetime.ts';
import { temporaryFolder } from '../support/service.ts';

const PASSWORD = PASSWORDS['edna'] ?? '';

interface Users {
  run: Run;
  folder: string;
  /** Imports this text as a file, with these flags. */
  take: (text: string, ...flags: string[]) => ReturnType<Run>;
}

async function prepare(t: Lifetime, engine: 'SQLite' | 'PostgreSQL' = 'SQLite'): Promise<Users> {
  const folder = await temporaryFolder(t);
  const environment = engine === 'SQLite' ? {} : { MENAGERIE_DATABASE_URL: await newDatabase(folder) };
  const run: Run = (args, options) =>
    commandsOn(folder)(
      args,
      typeof options === 'string' ? { input: options, environment } : { environment, ...options },
    );
  outputOf(await run(['user', 'create', 'root', '--role', 'admin'], PASSWORD));
  const take: Users['take'] = async (text, ...flags) => {
    const file = join(folder, text.startsWith('{') ? 'users.ndjson' : 'users.csv');
    await writeFile(file, text);
    return run(['users', 'import', file, ...flags]);
  };
  return { run, folder, take };
}

/** Account IDs are assigned. */
function withoutIds(exported: string): string {
  return exported.replaceAll(',"invitation":"pending"', '').replaceAll(/(?:,"accountId":|,)\d+(?=\r?\}?\r?\n)/g, '');
}

for (const engine of ['SQLite', 'PostgreSQL'] as const)
  void test(`users on ${engine}: exported and imported elsewhere, with their roles but without passwords`, async (t) => {
    const from = await prepare(t, engine);
    for (const [index, role] of ROLES.entries())
      outputOf(await from.run(['user', 'create', `user${index}`, '--role', role], PASSWORD));
    outputOf(
      await from.take(
        'username,firstName,email,userStatus,id\nuser0,"=Ada, A.",ada@example.org,3,9223372036854775807\n',
      ),
    );
    for (const format of ['ndjson', 'csv']) {
      const text = outputOf(await from.run(['users', 'export', '--format', format]));
      assert.doesNotMatch(text, /password|argon2|\$/i);
      const to = await prepare(t, engine);
      const expected = 'users: 3 created, 1 updated\n';
      assert.equal(
        outputOf(await to.take(text.replace(/^\uFEFF/, ''), '--dry-run')),
        `Dry run, nothing was stored: ${expected}`,
      );
      assert.equal(outputOf(await to.take(text)), expected);
      const again = outputOf(await to.run(['users', 'export', '--format', format]));
      assert.equal(withoutIds(again), withoutIds(text));
      assert.equal(outputOf(await to.take(text)), 'users: 4 updated\n');
    }
  });

void test('users with problems: reported, the others are stored', async (t) => {
  const { run, folder, take } = await prepare(t);
  const result = join(folder, 'result.ndjson');
  const ended = await take(
    [
      'username,role,userStatus,password',
      'ada,editor,,',
      'ADA,,,',
      'bob,king,,',
      'a/b,,,',
      'cyn,,,short',
      'dan,,x,',
      'root,viewer,,',
    ].join('\n'),
    '--result',
    result,
  );
  assert.deepEqual([ended.code, ended.stdout], [1, 'users: 1 created, 6 failed\n']);
  const lines = ended.stderr.trimEnd().split('\n');
  const expected = [
    /^row 3: column username is the same as in row 2$/,
    /^row 4: column role must be one of viewer, editor, admin \(found "[^"]+"\)$/,
    /^row 5: column username /,
    /^row 6: column password /,
    /^row 7: column userStatus must be a 32-bit integer/,
    /^row 8: The account exists with the role admin\. An import does not change roles\.$/,
  ];
  assert.equal(lines.length, expected.length, ended.stderr);
  for (const [index, pattern] of expected.entries()) assert.match(lines[index] ?? '', pattern);
  const records = (await readFile(result, 'utf8')).trimEnd().split('\n');
  assert.deepEqual(JSON.parse(records[0] ?? ''), { row: 2, outcome: 'created' });
  assert.match(outputOf(await run(['user', 'list'])), /ada +editor/);
});

for (const engine of ['SQLite', 'PostgreSQL'] as const)
  void test(`user whose row fails, ${engine}: a later row with the username changes nothing`, async (t) => {
    const { run, take } = await prepare(t, engine);
    outputOf(await take('username,firstName,email\nada,Ada,ada@example.org\n'));
    const before = outputOf(await run(['users', 'export']));
    for (const failing of ['ada,Ada,x,y', 'ada,Ada,x,2,more', 'Ada,Ada']) {
      const ended = await take(`username,firstName,email,userStatus\n${failing}\nada,,,\n`);
      assert.deepEqual([ended.stdout, outputOf(await run(['users', 'export']))], ['users: 2 failed\n', before]);
    }
  });

void test('users without a name, from a missing file: are refused', async (t) => {
  const { run, take } = await prepare(t);
  const unnamed = await take('email\na@example.org\n');
  assert.deepEqual([unnamed.code, unnamed.stderr], [1, 'The file has no column username. Nothing was changed.\n']);
  const foreign = await take('Kürzel\nada\n');
  assert.match(
    foreign.stderr,
    /It has "Kürzel"\. Add --map 'Kürzel=username' to map a column\. Nothing was changed\.\n$/,
  );
  const missing = await run(['users', 'import', '/no/such/file.csv']);
  const problem = 'The file /no/such/file.csv cannot be read: no such file or directory.\n';
  assert.deepEqual([missing.code, missing.stderr], [1, problem]);
});

void test('columns of users with other names: similar ones are read and named, others mapped', async (t) => {
  const { run, take } = await prepare(t);
  const file = 'Kürzel;Vorname;Alter\nada;Ada;36\n';
  const wrong = await take(file, '--map', 'Alter=age');
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /^--map must be 'NAME=COLUMN', where COLUMN is username, .*, password or empty\.\n$/);
  const { code, stderr } = await take(file, '--map', 'kürzel=username');
  assert.equal(code, 0);
  assert.match(
    stderr,
    /Columns with similar names are read: "Vorname" as firstName\. Add --map Vorname= to ignore one\./,
  );
  assert.match(stderr, /Ignored columns: Alter/);
  assert.match(outputOf(await run(['user', 'list'])), /ada +viewer +\w+ +Ada/);
});

void test('password of a new user: is stored as a hash; without one, none is', async (t) => {
  const { folder, take } = await prepare(t);
  outputOf(await take(`{"username":"ada","password":"${PASSWORD}"}\n{"username":"bob"}\n`));
  const { administration, operator } = await deskOn(t, folder);
  assert.equal((await administration.getUser(operator, 'ada')).role, 'viewer');
  assert.deepEqual(passwordsIn(folder), ['ada true', 'bob false', 'root true']);
});

function passwordsIn(folder: string): string[] {
  using database = new DatabaseSync(join(folder, 'menagerie.db'), { readOnly: true });
  const rows = database
    .prepare('select username, password_hash is not null as has from account order by username')
    .all();
  return rows.map(({ username, has }) => `${String(username)} ${has === 1}`);
}
