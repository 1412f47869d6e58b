import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { ROLES } from '../../src/domain/access.ts';
import { assertRefusal, commandsOn, deskOn, HELP } from '../support/operator-commands.ts';
import { PASSWORDS } from '../support/secured.ts';
import { temporaryFolder } from '../support/service.ts';

/*
 * Each refused call prints a message to standard error and changes nothing. The exit code is 2 for invalid usage, and 1
 * for a command that failed.
 */

const PASSWORD = PASSWORDS['edna'] ?? '';

type Case = [what: string, args: readonly string[], says: RegExp, code?: 1 | 2, input?: string];

const TAKEN = /^(?:[^\n]*[:;] )?the user name EDNA is taken\.\n$/i;
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
  ['a name that is taken in lower case', ['create', 'EDNA'], TAKEN],
  ['a name with an escape character', ['create', 'a\u001b[2Jb'], NAME_RULE],
  ['a name that is a path of the API', ['create', 'CreateWithList'], /paths of the API/],
  ['an unknown role', ['create', 'ada', '--role', 'boss'], ROLE_RULE],
  ['a list of an unknown role', ['list', '--role', 'boss'], ROLE_RULE],

  ['a short password', ['create', 'ada'], LENGTH_RULE, 1, 'fourteen chars\n'],
  ['the name as the password', ['create', 'a-name-of-20-letters'], COMMON_RULE, 1, 'A-Name-of-20-Letters'],
  [
    'a password longer than a login allows',
    ['create', 'longwinded'],
    /^The password must [^\n]*1024[^\n]*\.\n$/,
    1,
    `${Array.from({ length: 300 }, (_, number) => number).join('-')}\n`,
  ],
  ['no password', ['create', 'ada'], NO_PASSWORD, 2, ''],

  ['the role of an unknown user', ['role', 'unknown', 'admin'], UNKNOWN],
  ['the password of an unknown user, without reading one', ['password', 'unknown'], UNKNOWN, 1, ''],
  ['ending the sessions of an unknown user', ['sessions', 'unknown', '--end'], UNKNOWN],

  ['closing the last administrator', ['close', 'ROOT'], LAST_ADMIN],
  ['changing the role of the last administrator', ['role', 'root', 'editor', '--json'], LAST_ADMIN],

  ['a call with one argument too many', ['list', 'edna'], USAGE, 2],
  [
    'a call with one argument too few',
    ['create'],
    /^An argument is missing\.\nUsage: menagerie user create USERNAME/,
    2,
  ],
  ['an unknown option', ['list', '--colour'], /^Unknown option --colour\. See --help\.\nUsage: /, 2],
  [
    'a misspelt option',
    ['create', 'ada', '--rol', 'admin'],
    /^Unknown option --rol\. Did you mean --role\?\nUsage: /,
    2,
  ],
  ['a misspelt option with =', ['list', '--txt=a'], /^Unknown option --txt\. Did you mean --text\?\nUsage: /, 2],
  ['an option without its value', ['create', 'ada', '--role', '--json'], /^--role needs a value\.\nUsage: /, 2],
  ['a switch with a value', ['sessions', 'edna', '--end=yes'], /^--end takes true, false or no value\.\nUsage: /, 2],
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

  for (const [what, args, says, code = 1, input = `${PASSWORD}\n`] of cases) {
    void it(`${what}: is refused`, async () => {
      const ended = await commandsOn(dataDir)(['user', ...args], input);
      assertRefusal(ended, { code, says });
      assert.deepEqual(await everything(), before);
    });
  }

  for (const name of ['frobnicate', 'constructor', '__proto__']) {
    void it(`the unknown command "${name}": is refused`, async () => {
      const says = new RegExp(`^Unknown command: user ${name}\\. Run "menagerie user --help" for [^\n]+\\.\n$`);
      assertRefusal(await commandsOn(dataDir)(['user', name]), { code: 2, says });
    });
  }

  void it('no command: prints the help', async () => {
    const ended = await commandsOn(dataDir)(['user', '']);
    assertRefusal(ended, { code: 2, says: /^Missing command\.\n/ });
    assert.match(ended.stderr.slice(ended.stderr.indexOf('\n')).trim(), HELP);
  });
});
