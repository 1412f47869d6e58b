import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { assertRefusal, commandsOn, deskOn, jsonOf, outputOf, runCommand } from '../support/operator-commands.ts';
import { PASSWORDS } from '../support/secured.ts';
import { temporaryFolder } from '../support/service.ts';

const PASSWORD = PASSWORDS['edna'] ?? '';

async function namesIn(dataDir: string): Promise<string[]> {
  const users = jsonOf(await commandsOn(dataDir)(['user', 'list', '--json'])) as { username: string }[];
  return users.map(({ username }) => username);
}

void describe('the folder that commands work on', { concurrency: 4 }, () => {
  const elsewhere: string[][] = [
    ['user', 'list'],
    ['user', 'role', 'ada', 'admin'],
    ['user', 'password', 'ada'],
    ['user', 'close', 'ada'],
    ['user', 'reopen', 'ada'],
    ['user', 'sessions', 'ada', '--end'],
    ['key', 'create', 'ada', '--scope', 'read:pets'],
    ['key', 'list', 'ada'],
    ['key', 'revoke', 'abc'],
    ['audit', 'list'],
  ];
  for (const args of elsewhere) {
    void it(`without data in it is left as it is by ${args.slice(0, 2).join(' ')}, which says so`, async (t) => {
      const folder = await temporaryFolder(t);
      const isThere = args[0] === 'user';
      if (isThere) await mkdir(join(folder, 'data'));
      const ended = await commandsOn(join(folder, 'data'))(args, `${PASSWORD}\n`);
      assertRefusal(ended, { code: 1, says: /^There is no data of Menagerie in \S+\/data\. [^\n]*--data-dir\.\n$/ });
      if (isThere) assert.deepEqual(await readdir(join(folder, 'data')), []);
      else assert.ok(!existsSync(join(folder, 'data')));
    });
  }

  void it('is named by a flag or a variable, and the flag wins', async (t) => {
    const folder = await temporaryFolder(t);
    const [byFlag, byVariable] = [join(folder, 'flag'), join(folder, 'variable')];
    const create = (username: string, ...flags: string[]) =>
      runCommand(['user', 'create', username, ...flags], {
        input: PASSWORD,
        environment: { MENAGERIE_DATA_DIR: byVariable },
      });
    outputOf(await create('ada', '--data-dir', byFlag));
    assert.ok(!existsSync(byVariable));
    outputOf(await create('bob'));
    assert.deepEqual(await namesIn(byFlag), ['ada']);
    assert.deepEqual(await namesIn(byVariable), ['bob']);
  });

  void it('is all that commands take from the settings of the server', async (t) => {
    const dataDir = await temporaryFolder(t);
    const desk = await deskOn(t, dataDir, true);
    await desk.administration.createUser(desk.operator, { username: 'ada', role: 'viewer', password: PASSWORD });
    // A container sets it for the server, which gets --access secured as a flag.
    const environment = { MENAGERIE_HOST: '0.0.0.0' };
    assert.match(outputOf(await commandsOn(dataDir)(['user', 'list'], { environment })), /ada/);
  });
});
