import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { after, describe, it } from 'node:test';
import { assertRefusal, commandsOn, deskOn } from '../support/operator-commands.ts';
import { newSecuredFolder } from '../support/secured.ts';

/*
 * What `menagerie key` does not do, and how it says so.
 */

const DAY_MS = 24 * 3_600_000;

void describe('menagerie key refuses', { concurrency: 4 }, async () => {
  const dataDir = await newSecuredFolder();
  after(() => rm(dataDir, { recursive: true, force: true }));
  const desk = await deskOn({ after }, dataDir);
  const { id } = await desk.administration.createKey(desk.operator, 'edna', {
    name: 'kept',
    scopes: ['read:pets'],
    lifetimeMs: DAY_MS,
  });
  const entriesOf = () => desk.auditTrail.listEntries(desk.operator, {}, { beforeId: undefined, limit: 1000 });
  const before = await entriesOf();

  const EXPIRES = /--expires must be a time such as 90d, 12h or 1y: a minute at least, 3650 days at most\.\n$/;
  const SCOPES = /^The scopes\b[^\n]* read:pets, write:pets\b[^\n]*\.\n$/;
  const NAME = /^The name must be a string of 1 to 100 characters that says what the key is for\.\n$/;
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
    { what: 'a scope that there is not', args: ['create', 'edna', '--scope', 'write:users'], code: 1, says: SCOPES },
    { what: 'a scope left empty', args: ['create', 'edna', '--scope', 'read:pets,'], code: 1, says: SCOPES },
    { what: 'a scope given twice', args: [...read, '--scope', 'write:pets,read:pets'], code: 1, says: SCOPES },
    { what: 'an empty label', args: [...read, '--name', ' '], code: 1, says: NAME },
    { what: 'a label with an escape character', args: [...read, '--name', LABEL], code: 1, says: NAME },
    { what: 'a label that is too long', args: [...read, '--name', 'n'.repeat(101)], code: 1, says: NAME },
    {
      what: 'a key for somebody unknown',
      args: ['create', 'nobody', '--scope', 'read:pets'],
      code: 1,
      says: /^User not found\n$/,
    },
    { what: 'to list the keys of somebody unknown', args: ['list', 'nobody'], code: 1, says: /^User not found\n$/ },
    {
      what: 'to revoke a key that is not there',
      args: ['revoke', 'edna', '--json'],
      code: 1,
      says: /^Key not found\n$/,
    },
    { what: 'to revoke nothing', args: ['revoke'], code: 2, says: /^Usage: menagerie key revoke ID\n$/ },
    {
      what: 'a command that there is not',
      args: ['destroy', id],
      code: 2,
      says: /^There is no command key destroy\.\n/,
    },
  ];
  for (const { what, args, code, says } of cases) {
    void it(what, async () => {
      assertRefusal(await commandsOn(dataDir)(['key', ...args]), { code, says });
      assert.equal((await entriesOf()).filter(({ subject }) => subject?.name !== LABEL).length, before.length);
    });
  }
});
