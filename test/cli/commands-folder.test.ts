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

void describe('data folder of a command', { concurrency: 4 }, () => {
  const elsewhere: string[][] = [
    ['user', 'list'],
    ['user', 'role', 'ada', 'admin'],
    ['user', 'password', 'ada'],
    ['user', 'close', 'ada'],
    ['user', 'reopen', 'ada'],
    ['user', 'reset-factors', 'ada'],
    ['user', 'sessions', 'ada', '--end'],
    ['key', 'create', 'ada', '--scope', 'read:pets'],
    ['key', 'list', 'ada'],
    ['key', 'revoke', 'abc'],
    ['audit', 'list'],
  ];
  for (const args of elsewhere) {
    void it(`${args.slice(0, 2).join(' ')} on a folder without data: is refused and changes nothing`, async (t) => {
      const folder = await temporaryFolder(t);
      const exists = args[0] === 'user';
      if (exists) await mkdir(join(folder, 'data'));
      const ended = await commandsOn(join(folder, 'data'))(args, `${PASSWORD}\n`);
      assertRefusal(ended, { code: 1, says: /^No Menagerie data found in \S+\/data\. [^\n]*--data-dir\.\n$/ });
      if (exists) assert.deepEqual(await readdir(join(folder, 'data')), []);
      else assert.ok(!existsSync(join(folder, 'data')));
    });
  }

  void it('--data-dir and MENAGERIE_DATA_DIR: the flag wins', async (t) => {
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

  void it('other settings of the server: are ignored', async (t) => {
    const dataDir = await temporaryFolder(t);
    const desk = await deskOn(t, dataDir, true);
    await desk.administration.createUser(desk.operator, { username: 'ada', role: 'viewer', password: PASSWORD });
    // The container image sets it for the server, which gets --access secured as a flag.
    const environment = { MENAGERIE_HOST: '0.0.0.0' };
    assert.match(outputOf(await commandsOn(dataDir)(['user', 'list'], { environment })), /ada/);
  });
});
