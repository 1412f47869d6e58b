import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { ROLES } from '../../src/domain/access.ts';
import { assertRefusal, commandsOn, deskOn, HELP } from '../support/operator-commands.ts';
import { PASSWORDS } from '../support/secured.ts';
import { temporaryFolder } from '../support/service.ts';

/*
 * Each refused call prints a message to standard error and changes nothing. The exit code is 2 for invalid usage, and 1 for a command that failed.
 */

const PASSWORD = PASSWORDS['edna'] ?? '';

interface Case {
  what: string;
  args: readonly string[];
  input?: string;
  code?: 1 | 2;
  says: RegExp;
}

const TAKEN = /taken/;
const NAME_RULE =
  /The username must have 1 to 64 characters, without control characters, invisible characters, slashes/;
const ROLE_RULE = new RegExp(`role must be one of ${ROLES.join(', ')}\\.\n$`);
const LENGTH_RULE = /^The password must have at least 15 characters; [^\n]*\.\n$/;
const COMMON_RULE = /^The password is easy to guess; [^\n]*\.\n$/;
const NO_PASSWORD = /^The password is missing\. [^\n]*first line of standard input\.\n$/;
const UNKNOWN = /^User not found\n$/;
const LAST_ADMIN = /^root is the only administrator who can log in\. [^\n]*\.\n$/;
const USAGE = /^Usage: menagerie user /m;

const cases: Case[] = [
  { what: 'a name that is taken in lower case', args: ['create', 'EDNA'], says: TAKEN },
  { what: 'a name that is taken in another Unicode form', args: ['create', 'Jo\u0308RG'], says: TAKEN },
  { what: 'an empty name', args: ['create', ''], says: NAME_RULE },
  { what: 'a name with a slash', args: ['create', 'a/b'], says: NAME_RULE },
  { what: 'a name with an escape character', args: ['create', 'a\u001b[2Jb'], says: NAME_RULE },
  { what: 'a name that is too long', args: ['create', 'n'.repeat(65)], says: NAME_RULE },
  { what: 'a name that is a path of the API', args: ['create', 'CreateWithList'], says: /paths of the API/ },
  { what: 'an unknown role', args: ['create', 'ada', '--role', 'boss'], says: ROLE_RULE },
  { what: 'a role in capitals', args: ['role', 'edna', 'ADMIN'], says: ROLE_RULE },
  { what: 'an empty role', args: ['role', 'edna', ''], says: ROLE_RULE },
  { what: 'a list of an unknown role', args: ['list', '--role', 'boss'], says: ROLE_RULE },

  { what: 'a short password', args: ['create', 'ada'], input: 'fourteen chars\n', says: LENGTH_RULE },
  {
    what: 'a short password of many bytes',
    args: ['password', 'edna'],
    input: '🐕🐈🐇🦁'.repeat(3),
    says: LENGTH_RULE,
  },
  {
    what: 'a password of one repeated letter',
    args: ['create', 'ada'],
    input: `${'a'.repeat(20)}\n`,
    says: COMMON_RULE,
  },
  {
    what: 'a password that repeats a common one',
    args: ['password', 'edna'],
    input: 'passwordpassword',
    says: COMMON_RULE,
  },
  {
    what: 'a password that repeats the name',
    args: ['create', 'wilhelmine'],
    input: 'WilhelmineWilhelmine',
    says: COMMON_RULE,
  },
  {
    what: 'the name as the password',
    args: ['create', 'a-name-of-20-letters'],
    input: 'A-Name-of-20-Letters',
    says: COMMON_RULE,
  },
  { what: 'no password', args: ['create', 'ada'], input: '', code: 2, says: NO_PASSWORD },
  {
    what: 'an empty line for a password',
    args: ['password', 'edna'],
    input: `\r\n${PASSWORD}\n`,
    code: 2,
    says: NO_PASSWORD,
  },

  { what: 'the role of an unknown user', args: ['role', 'unknown', 'admin'], says: UNKNOWN },
  {
    what: 'the password of an unknown user, without reading one',
    args: ['password', 'unknown'],
    input: '',
    says: UNKNOWN,
  },
  { what: 'closing an unknown user', args: ['close', 'unknown'], says: UNKNOWN },
  { what: 'reopening an unknown user', args: ['reopen', 'unknown'], says: UNKNOWN },
  { what: 'ending the sessions of an unknown user', args: ['sessions', 'unknown', '--end'], says: UNKNOWN },

  { what: 'closing the last administrator', args: ['close', 'ROOT'], says: LAST_ADMIN },
  { what: 'changing the role of the last administrator', args: ['role', 'root', 'editor', '--json'], says: LAST_ADMIN },

  { what: 'a call without a name', args: ['create'], code: 2, says: USAGE },
  { what: 'a call with one argument too many', args: ['list', 'edna'], code: 2, says: USAGE },
  { what: 'an unknown flag', args: ['list', '--colour'], code: 2, says: USAGE },
  { what: 'a switch with a value', args: ['sessions', 'edna', '--end=yes'], code: 2, says: USAGE },
];

void describe('menagerie user', { concurrency: 4 }, async () => {
  const dataDir = await temporaryFolder({ after });
  const { administration, auditLog, operator } = await deskOn({ after }, dataDir, true);
  for (const [username, role] of [
    ['root', 'admin'],
    ['edna', 'editor'],
    ['j\u00f6rg', 'viewer'],
  ] as const)
    await administration.createUser(operator, { username, role, password: PASSWORD });
  const everything = async () => ({
    users: await administration.searchUsers(operator, {}, { afterId: 0n, limit: 1000 }),
    entries: await auditLog.listEntries(operator, {}, { beforeId: undefined, limit: 1000 }),
  });
  const before = await everything();

  for (const { what, args, input = `${PASSWORD}\n`, code = 1, says } of cases) {
    void it(`${what}: is refused`, async () => {
      const ended = await commandsOn(dataDir)(['user', ...args], input);
      assertRefusal(ended, { code, says });
      assert.deepEqual(await everything(), before);
    });
  }

  void it('a taken name: the message is one sentence', async () => {
    const { stderr } = await commandsOn(dataDir)(['user', 'create', 'Edna'], `${PASSWORD}\n`);
    assert.match(stderr, /^(?:[^\n]*[:;] )?the user name Edna is taken\.\n$/i);
    assert.doesNotMatch(stderr, /username the user name/);
  });

  for (const name of ['', 'frobnicate', 'constructor', '__proto__']) {
    void it(`the unknown command "${name}": prints the help`, async () => {
      const ended = await commandsOn(dataDir)(['user', name]);
      assertRefusal(ended, { code: 2, says: name === '' ? /^Missing command\.\n/ : /^Unknown command: user / });
      assert.match(ended.stderr.slice(ended.stderr.indexOf('\n')).trim(), HELP);
    });
  }
});

void describe('menagerie user create', () => {
  void it('password longer than a login allows: is refused', async (t) => {
    const dataDir = await temporaryFolder(t);
    const password = Array.from({ length: 300 }, (_, number) => number).join('-');
    const ended = await commandsOn(dataDir)(['user', 'create', 'longwinded'], `${password}\n`);
    assertRefusal(ended, { code: 1, says: /^The password must [^\n]*1024[^\n]*\.\n$/ });
  });
});
