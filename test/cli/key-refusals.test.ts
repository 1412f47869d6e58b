import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { assertRefusal, commandsOn, deskOn } from '../support/operator-commands.ts';
import { newSecuredFolder } from '../support/secured.ts';
import { removeFolder } from '../support/service.ts';

const DAY_MS = 24 * 3_600_000;

void describe('menagerie key', { concurrency: 4 }, async () => {
  const dataDir = await newSecuredFolder();
  after(() => removeFolder(dataDir));
  const desk = await deskOn({ after }, dataDir);
  const { id } = await desk.administration.createKey(desk.operator, 'edna', {
    name: 'kept',
    scopes: ['read:pets'],
    lifetimeMs: DAY_MS,
  });
  const entriesOf = () => desk.auditLog.listEntries(desk.operator, {}, { beforeId: undefined, limit: 1000 });
  const before = await entriesOf();

  const EXPIRES = /--expires must be a duration such as 12h, 90d or 1y, from 1 minute to 3650 days\.\n$/;
  const SCOPES = /^The scopes\b[^\n]* read:pets, write:pets\b[^\n]*\.\n$/;
  const NAME = /^The name must be a string of 1 to 100 characters\.\n$/;
  const LABEL = 'a\u001b[2Jb';
  const read = ['create', 'edna', '--scope', 'read:pets'];
  const cases: { what: string; args: string[]; code: 1 | 2; says: RegExp }[] = [
    ...['soon', '0', '0d', '-1d', '90', '30s', '3651d', '11y', '', 'd', '9'.repeat(120) + 'd'].map((text) => ({
      what: `the lifetime "${text.slice(0, 9)}"`,
      args: [...read, `--expires=${text}`],
      code: 2 as const,
      says: EXPIRES,
    })),
    { what: 'no scope', args: ['create', 'edna'], code: 1, says: SCOPES },
    { what: 'an unknown scope', args: ['create', 'edna', '--scope', 'write:users'], code: 1, says: SCOPES },
    { what: 'an empty scope', args: ['create', 'edna', '--scope', 'read:pets,'], code: 1, says: SCOPES },
    { what: 'a scope given twice', args: [...read, '--scope', 'write:pets,read:pets'], code: 1, says: SCOPES },
    { what: 'an empty label', args: [...read, '--name', ' '], code: 1, says: NAME },
    { what: 'a label with an escape character', args: [...read, '--name', LABEL], code: 1, says: NAME },
    { what: 'a label that is too long', args: [...read, '--name', 'n'.repeat(101)], code: 1, says: NAME },
    {
      what: 'a key for an unknown user',
      args: ['create', 'unknown', '--scope', 'read:pets'],
      code: 1,
      says: /^User not found\n$/,
    },
    { what: 'listing the keys of an unknown user', args: ['list', 'unknown'], code: 1, says: /^User not found\n$/ },
    {
      what: 'revoking an unknown key',
      args: ['revoke', 'edna', '--json'],
      code: 1,
      says: /^API key not found\n$/,
    },
    { what: 'revoking without an ID', args: ['revoke'], code: 2, says: /^Usage: menagerie key revoke ID\n$/ },
    {
      what: 'an unknown command',
      args: ['destroy', id],
      code: 2,
      says: /^Unknown command: key destroy\n/,
    },
  ];
  for (const { what, args, code, says } of cases) {
    void it(`${what}: is refused`, async () => {
      assertRefusal(await commandsOn(dataDir)(['key', ...args]), { code, says });
      assert.equal((await entriesOf()).filter(({ subject }) => subject?.name !== LABEL).length, before.length);
    });
  }
});
