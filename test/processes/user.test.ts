import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { Role } from '../../src/domain/access.ts';
import { openDatabase } from '../../src/storage/sqlite/engine/database.ts';
import { clientOf } from '../support/client.ts';
import { setUpTotp } from '../support/factors.ts';
import { runMenagerie, startServer } from '../support/menagerie-process.ts';
import { commandsOn, deskOn, HELP, jsonOf, outputOf, runCommand } from '../support/operator-commands.ts';
import { bearer, logIn, PASSWORDS } from '../support/secured.ts';
import { temporaryFolder } from '../support/service.ts';

const PASSWORD = PASSWORDS['edna'] ?? '';
const OTHER_PASSWORD = PASSWORDS['vera'] ?? '';

interface AccountView {
  id: number;
  accountId: number;
  username: string;
  userStatus: number;
  role: Role;
}

/** The rows of a table, each as its cells. */
function cellsOf(table: string): string[][] {
  assert.match(table, /\n$/);
  return table
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/));
}

void describe('menagerie user without a server', () => {
  void it('create, role, password, close, reopen, list: a server that starts later has the changes', async (t) => {
    const dataDir = join(await temporaryFolder(t), 'new');
    const run = commandsOn(dataDir);
    const root = await run(['user', 'create', 'root', '--role', 'admin'], `${PASSWORD}\n`);
    assert.equal(outputOf(root), 'Created user root with role admin.\n');
    const users = await Promise.all(
      ['Ädna', 'vera', 'otto'].map((name) => run(['user', 'create', name], `${PASSWORD}\n`)),
    );
    assert.deepEqual(
      users.map(outputOf).toSorted(),
      ['otto', 'vera', 'Ädna'].map((name) => `Created user ${name} with role viewer.\n`),
    );
    assert.equal(outputOf(await run(['user', 'role', 'ädna', 'editor'])), 'Set the role of ädna to editor.\n');
    const password = await run(['user', 'password', 'vera'], `${OTHER_PASSWORD}\n`);
    assert.match(outputOf(password), /^Set the password of vera\. [^\n]*sessions[^\n]*API keys[^\n]*\.\n$/);
    assert.match(outputOf(await run(['user', 'close', 'otto'])), /^Closed the account of otto\.[^\n]*\.\n$/);
    assert.match(outputOf(await run(['user', 'close', 'vera'])), /^Closed the account of vera\./);
    assert.equal(outputOf(await run(['user', 'reopen', 'vera'])), 'Reopened the account of vera.\n');
    assert.equal(outputOf(await run(['user', 'sessions', 'vera'])), 'vera has no sessions.\n');
    assert.equal(outputOf(await run(['user', 'sessions', 'vera', '--end'])), 'vera has no sessions.\n');

    const rows = cellsOf(outputOf(await run(['user', 'list'])));
    assert.deepEqual(rows[0], ['ACCOUNT ID', 'USERNAME', 'ROLE', 'STATUS', 'NAME', 'EMAIL']);
    assert.deepEqual(
      new Set(rows.slice(1).map((cells) => cells.slice(1).join())),
      new Set(['root,admin,active', 'Ädna,editor,active', 'vera,viewer,active', 'otto,viewer,closed']),
    );

    const { base } = await startServer(t, dataDir, ['--empty', '--access', 'secured']);
    const call = clientOf(base);
    const token = await logIn(call, 'Ädna', PASSWORD);
    assert.equal((await call('POST', 'pet', { headers: bearer(token), json: { name: 'Rex' } })).status, 200);
    await logIn(call, 'vera', OTHER_PASSWORD);
    const closed = await call('POST', 'user/login', { json: { username: 'otto', password: PASSWORD } });
    assert.equal(closed.status, 400);
  });

  void it('list: returns all users, also more than one batch', async (t) => {
    const dataDir = await temporaryFolder(t);
    const run = commandsOn(dataDir);
    outputOf(await run(['user', 'create', 'root', '--role', 'admin'], `${PASSWORD}\n`));
    const db = openDatabase(join(dataDir, 'menagerie.db'));
    db.exec(`with recursive number (n) as (select 2 union all select n + 1 from number where n < 1500)
      insert into account (id, username, username_key, role) select n, 'user' || n, 'user' || n, 'viewer' from number`);
    db.close();
    const listed = jsonOf(await run(['user', 'list', '--json'])) as AccountView[];
    assert.deepEqual(
      listed.map(({ accountId }) => accountId),
      Array.from({ length: 1500 }, (_, index) => index + 1),
    );
  });

  void it('create: six concurrent commands on a new folder all succeed', async (t) => {
    const dataDir = join(await temporaryFolder(t), 'deep', 'new');
    const ended = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        runMenagerie(t, ['user', 'create', `user${index}`, '--json', '--data-dir', dataDir], {
          input: `${PASSWORD}\n`,
        }),
      ),
    );
    const created = ended.map((one) => jsonOf(one) as AccountView);
    assert.deepEqual(
      created.map(({ username }) => username),
      ['user0', 'user1', 'user2', 'user3', 'user4', 'user5'],
    );
    assert.deepEqual(
      created.map(({ id }) => id).toSorted((a, b) => a - b),
      [1, 2, 3, 4, 5, 6],
    );
  });
});

void describe('menagerie user beside a running server', { concurrency: 4 }, async () => {
  const dataDir = await temporaryFolder({ after });
  const desk = await deskOn({ after }, dataDir, true);
  await addAccount('root', 'admin');
  const server = await startServer({ after }, dataDir, ['--empty', '--access', 'secured']);
  const call = clientOf(server.base);

  async function addAccount(username: string, role: Role): Promise<void> {
    await desk.administration.createUser(desk.operator, { username, role, password: PASSWORD });
  }

  async function addPet(token: string): Promise<number> {
    return (await call('POST', 'pet', { headers: bearer(token), json: { name: 'Rex' } })).status;
  }

  async function statusOfAccount(token: string): Promise<number> {
    return (await call('GET', 'account', { headers: bearer(token) })).status;
  }

  async function tryLogIn(username: string, password: string): Promise<number> {
    return (await call('POST', 'user/login', { json: { username, password } })).status;
  }

  void it('role: applies to the next request', async () => {
    const run = commandsOn(dataDir);
    await addAccount('climber', 'viewer');
    const token = await logIn(call, 'climber', PASSWORD);
    assert.equal(await addPet(token), 403);
    const raised = jsonOf(await run(['user', 'role', 'Climber', 'editor', '--json'])) as AccountView;
    assert.deepEqual([raised.username, raised.role], ['climber', 'editor']);
    assert.equal(await addPet(token), 200);
    outputOf(await run(['user', 'role', 'climber', 'viewer']));
    assert.equal(await addPet(token), 403);
    outputOf(await run(['user', 'role', 'climber', 'admin']));
    assert.equal((await call('GET', 'admin/users/climber', { headers: bearer(token) })).status, 200);
  });

  void it('reset-factors: ends the sessions, and the password alone is enough again', async () => {
    const run = commandsOn(dataDir);
    await addAccount('unlucky', 'editor');
    assert.equal(outputOf(await run(['user', 'reset-factors', 'unlucky'])), 'unlucky has no second factor.\n');
    const token = await logIn(call, 'unlucky', PASSWORD);
    await setUpTotp(call, token, Date.now());
    assert.equal(await tryLogIn('unlucky', PASSWORD), 401);
    const reset = outputOf(await run(['user', 'reset-factors', 'Unlucky']));
    assert.match(reset, /^Reset the second factors of Unlucky\. [^\n]*sessions[^\n]*\.\n$/);
    assert.equal(await statusOfAccount(token), 401);
    await logIn(call, 'unlucky', PASSWORD);
    assert.deepEqual(jsonOf(await run(['user', 'reset-factors', 'unlucky', '--json'])), {
      username: 'unlucky',
      deleted: 0,
    });
    const entries = outputOf(await run(['audit', 'list', '--action', 'account.factors-reset', '--json']));
    assert.match(entries, /"via":"command-line"/);
  });

  void it('sessions: lists the sessions of a user; --end ends them all', async () => {
    const run = commandsOn(dataDir);
    await addAccount('busy', 'viewer');
    const login = { json: { username: 'busy', password: PASSWORD } };
    for (const agent of ['Firefox on a \t boat', 'curl/9'])
      assert.equal((await call('POST', 'user/login', { ...login, headers: { 'user-agent': agent } })).status, 200);
    const token = await logIn(call, 'busy', PASSWORD);

    const ended = await run(['user', 'sessions', 'BUSY', '--json']);
    const sessions = jsonOf(ended) as Record<string, unknown>[];
    assert.equal(sessions.length, 3);
    for (const session of sessions) {
      assert.deepEqual(Object.keys(session), [
        'id',
        'createdAt',
        'lastUsedAt',
        'expiresAt',
        'address',
        'userAgent',
        'current',
      ]);
      assert.deepEqual([session['address'], session['current']], ['127.0.0.1', false]);
    }
    assert.ok(!ended.stdout.includes(token));

    const table = outputOf(await run(['user', 'sessions', 'busy']));
    const [headings, ...rows] = cellsOf(table);
    assert.deepEqual(headings, ['CREATED', 'LAST USED', 'EXPIRES', 'ADDRESS', 'USER AGENT']);
    assert.equal(rows.length, 3);
    for (const [created = '', , , address] of rows) {
      assert.match(created, /^\d{4}-\d\d-\d\d \d\d:\d\d$/);
      assert.equal(address, '127.0.0.1');
    }
    assert.match(table, /curl\/9/);

    assert.deepEqual(jsonOf(await run(['user', 'sessions', 'busy', '--end', '--json'])), []);
    assert.equal(await statusOfAccount(token), 401);
    await logIn(call, 'busy', PASSWORD);
  });

  void it('list: returns all users, or those that match --text and --role', async () => {
    const run = commandsOn(dataDir);
    const profile = { username: 'walt', firstName: 'Walter', lastName: 'Whitman', email: 'walt@leaves.example' };
    assert.equal((await call('POST', 'user', { json: { ...profile, password: PASSWORD } })).status, 200);
    await addAccount('whitney', 'editor');
    const namesOf = async (...flags: string[]) =>
      (jsonOf(await run(['user', 'list', '--json', ...flags])) as AccountView[]).map(({ username }) => username);
    assert.deepEqual(await namesOf('--text', 'whit'), ['walt', 'whitney']);
    assert.deepEqual(await namesOf('--text', 'LEAVES.example'), ['walt']);
    assert.deepEqual(await namesOf('--text', 'whit', '--role', 'editor'), ['whitney']);
    assert.deepEqual(await namesOf('--text', '%'), []);
    const all = await namesOf();
    assert.equal(all[0], 'root');
    assert.ok(all.includes('walt') && all.includes('whitney'));
    const [, row] = cellsOf(outputOf(await run(['user', 'list', '--text', 'walt'])));
    assert.deepEqual(row?.slice(-2), ['Walter Whitman', 'walt@leaves.example']);
  });

  void it('list: replaces control characters in profiles', async () => {
    const run = commandsOn(dataDir);
    const nasty = '\u001b]0;owned\u0007\u001b[2J\r\u009b1A';
    const profile = { firstName: `Ann${nasty}`, lastName: 'X\n99  root  admin  active', email: `a@b.example${nasty}` };
    const sent = { username: 'attacker', password: PASSWORD, ...profile };
    assert.equal((await call('POST', 'user', { json: sent })).status, 200);
    const table = outputOf(await run(['user', 'list', '--text', 'attacker']));
    assert.doesNotMatch(table, /(?!\n)\p{Cc}/u);
    assert.equal(cellsOf(table).length, 2, 'one line for the headings, one for the user');
  });
});

void describe('menagerie user', () => {
  const commands = ['create', 'list', 'role', 'password', 'close', 'reopen', 'reset-factors', 'sessions'];
  for (const args of [['--help'], ['role', 'x', '--help']]) {
    void it(`${args.join(' ')}: describes all commands`, async () => {
      const help = outputOf(await runCommand(['user', ...args]));
      assert.match(help, HELP);
      for (const name of commands) assert.match(help, new RegExp(`^ {2}menagerie user ${name}\\b`, 'm'));
    });
  }
});
