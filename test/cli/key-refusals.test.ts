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
  const cases: (readonly [what: string, args: readonly string[], code: 1 | 2, says: RegExp])[] = [
    ...['soon', '0d', '30s', '3651d'].map(
      (text) => [`the lifetime "${text}"`, [...read, `--expires=${text}`], 2, EXPIRES] as const,
    ),
    ['no scope', ['create', 'edna'], 1, SCOPES],
    ['a label with an escape character', [...read, '--name', LABEL], 1, NAME],
    ['a key for an unknown user', ['create', 'unknown', '--scope', 'read:pets'], 1, /^User not found\n$/],
    ['listing the keys of an unknown user', ['list', 'unknown'], 1, /^User not found\n$/],
    ['revoking an unknown key', ['revoke', 'edna', '--json'], 1, /^API key not found\n$/],
    ['revoking without an ID', ['revoke'], 2, /^An argument is missing\.\nUsage: menagerie key revoke ID\n$/],
    ['a misspelt command', ['crate', 'edna'], 2, /^Unknown command: key crate\. Did you mean key create\? Run /],
    ['an unknown command', ['destroy', id], 2, /^Unknown command: key destroy\. Run "menagerie key --help"/],
  ];
  for (const [what, args, code, says] of cases) {
    void it(`${what}: is refused`, async () => {
      assertRefusal(await commandsOn(dataDir)(['key', ...args]), { code, says });
      assert.equal((await entriesOf()).filter(({ subject }) => subject?.name !== LABEL).length, before.length);
    });
  }
});
