import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { ROLES } from '../../src/domain/access.ts';
import { assertRefusal, commandsOn, deskOn, HELP } from '../support/operator-commands.ts';
import { PASSWORDS } from '../support/secured.ts';
import { temporaryFolder } from '../support/service.ts';

/*
 * What `menagerie user` does not do: each time a sentence on standard error, an exit code, and nothing that changed. 2 is for a call that makes no
 * sense, 1 for one that cannot be carried out.
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
  /user ?name must be a string of 1 to 64 characters, without control characters, invisible characters and \//;
const ROLE_RULE = new RegExp(`role must be one of ${ROLES.join(', ')}\\.\n$`);
const LENGTH_RULE = /^The password must have at least 15 characters; [^\n]*\.\n$/;
const COMMON_RULE = /^The password is one of those that are tried first; [^\n]*\.\n$/;
const NO_PASSWORD = /^There is no password\. [^\n]*first line of the input\.\n$/;
const UNKNOWN = /^User not found\n$/;
const LAST_ADMIN = /^root is the only administrator who can log in\. [^\n]*\.\n$/;
const USAGE = /^Usage: menagerie user /m;

const cases: Case[] = [
  { what: 'a name that is taken in other letters', args: ['create', 'EDNA'], says: TAKEN },
  { what: 'a name that is taken as other code points', args: ['create', 'Jo\u0308RG'], says: TAKEN },
  { what: 'an empty name', args: ['create', ''], says: NAME_RULE },
  { what: 'a name with a slash', args: ['create', 'a/b'], says: NAME_RULE },
  { what: 'a name with an escape character', args: ['create', 'a\u001b[2Jb'], says: NAME_RULE },
  { what: 'a name that is too long', args: ['create', 'n'.repeat(65)], says: NAME_RULE },
  { what: 'a name that is a path of the service', args: ['create', 'CreateWithList'], says: /paths of the service/ },
  { what: 'a role that is none', args: ['create', 'ada', '--role', 'boss'], says: ROLE_RULE },
  { what: 'a role in capitals', args: ['role', 'edna', 'ADMIN'], says: ROLE_RULE },
  { what: 'an empty role', args: ['role', 'edna', ''], says: ROLE_RULE },
  { what: 'a list of a role that is none', args: ['list', '--role', 'boss'], says: ROLE_RULE },

  { what: 'a short password', args: ['create', 'ada'], input: 'fourteen chars\n', says: LENGTH_RULE },
  {
    what: 'a short password in many bytes',
    args: ['password', 'edna'],
    input: '🐕🐈🐇🦁'.repeat(3),
    says: LENGTH_RULE,
  },
  { what: 'a password of one letter', args: ['create', 'ada'], input: `${'a'.repeat(20)}\n`, says: COMMON_RULE },
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

  { what: 'another role for somebody unknown', args: ['role', 'nobody', 'admin'], says: UNKNOWN },
  {
    what: 'another password for somebody unknown, and asks for none',
    args: ['password', 'nobody'],
    input: '',
    says: UNKNOWN,
  },
  { what: 'to close somebody unknown', args: ['close', 'nobody'], says: UNKNOWN },
  { what: 'to reopen somebody unknown', args: ['reopen', 'nobody'], says: UNKNOWN },
  { what: 'to end the sessions of somebody unknown', args: ['sessions', 'nobody', '--end'], says: UNKNOWN },

  { what: 'to close the last administrator', args: ['close', 'ROOT'], says: LAST_ADMIN },
  { what: 'to make an editor of the last administrator', args: ['role', 'root', 'editor', '--json'], says: LAST_ADMIN },

  { what: 'a call without a name', args: ['create'], code: 2, says: USAGE },
  { what: 'a call with one argument too many', args: ['list', 'edna'], code: 2, says: USAGE },
  { what: 'a flag that there is not', args: ['list', '--colour'], code: 2, says: USAGE },
  { what: 'a switch with a value', args: ['sessions', 'edna', '--end=yes'], code: 2, says: USAGE },
];

void describe('menagerie user refuses', { concurrency: 4 }, async () => {
  const dataDir = await temporaryFolder({ after });
  const { administration, auditTrail, operator } = await deskOn({ after }, dataDir, true);
  for (const [username, role] of [
    ['root', 'admin'],
    ['edna', 'editor'],
    ['j\u00f6rg', 'viewer'],
  ] as const)
    await administration.createUser(operator, { username, role, password: PASSWORD });
  const everything = async () => ({
    users: await administration.searchUsers(operator, {}, { afterId: 0n, limit: 1000 }),
    entries: await auditTrail.listEntries(operator, {}, { beforeId: undefined, limit: 1000 }),
  });
  const before = await everything();

  for (const { what, args, input = `${PASSWORD}\n`, code = 1, says } of cases) {
    void it(what, async () => {
      const ended = await commandsOn(dataDir)(['user', ...args], input);
      assertRefusal(ended, { code, says });
      assert.deepEqual(await everything(), before);
    });
  }

  void it('a taken name in one sentence that reads well', async () => {
    const { stderr } = await commandsOn(dataDir)(['user', 'create', 'Edna'], `${PASSWORD}\n`);
    assert.match(stderr, /^(?:[^\n]*[:;] )?the user name Edna is taken\.\n$/i);
    assert.doesNotMatch(stderr, /username the user name/);
  });

  for (const name of ['', 'frobnicate', 'constructor', '__proto__']) {
    void it(`the command "${name}", which there is not, and shows those that there are`, async () => {
      const ended = await commandsOn(dataDir)(['user', name]);
      assertRefusal(ended, { code: 2, says: /^There is no command user/ });
      assert.match(ended.stderr.slice(ended.stderr.indexOf('\n')).trim(), HELP);
    });
  }
});

void describe('menagerie user create', () => {
  void it('refuses a password that is longer than a login takes', async (t) => {
    const dataDir = await temporaryFolder(t);
    const password = Array.from({ length: 300 }, (_, number) => number).join('-');
    const ended = await commandsOn(dataDir)(['user', 'create', 'longwinded'], `${password}\n`);
    assertRefusal(ended, { code: 1, says: /^The password must [^\n]*1024[^\n]*\.\n$/ });
  });
});
