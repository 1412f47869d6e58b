import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { assertRefusal, commandsOn, deskOn, jsonOf, outputOf, runCommand } from '../support/operator-commands.ts';
import { temporaryFolder } from '../support/service.ts';

interface Printed {
  configFile: string | null;
  settings: { name: string; value: string; source: string; origin: string }[];
}

void describe('menagerie config', () => {
  void it('output: has values and sources, without secrets', async (t) => {
    const dataDir = await temporaryFolder(t);
    const path = join(dataDir, 'menagerie.toml');
    await writeFile(path, 'database-url = "postgres://me:hunter2@db/pets"\n');
    const environment = { MENAGERIE_DATA_DIR: dataDir };
    const text = outputOf(await runCommand(['config', '--port', '9000'], { environment }));
    assert.match(text, /^port +9000 +--port$/m);
    assert.match(text, /^data-dir +\S+ +MENAGERIE_DATA_DIR$/m);
    assert.match(text, /^database-url +postgres:\/\/me:\*\*\*@db\/pets +\S+\/menagerie\.toml, line 1$/m);
    assert.match(text, /^host +127\.0\.0\.1 +default$/m);
    const json = jsonOf(await runCommand(['config', '--json'], { environment })) as Printed;
    assert.equal(json.configFile, path);
    assert.deepEqual(
      json.settings.find(({ name }) => name === 'port'),
      { name: 'port', value: '8080', source: 'default', origin: '' },
    );
    assert.doesNotMatch(text + JSON.stringify(json), /hunter2/);
  });

  void it('invalid settings: are reported as by serve', async (t) => {
    const dataDir = await temporaryFolder(t);
    await writeFile(join(dataDir, 'menagerie.toml'), 'prot = 1\n');
    const says = /^Invalid settings:\n- Unknown key prot in \S+\/menagerie\.toml, line 1\. Did you mean port\?\n$/;
    assertRefusal(await runCommand(['config', '--data-dir', dataDir]), { code: 2, says });
    const misspelt = /^Invalid settings:\n- Unknown option --jsno\. Did you mean --json\?\n$/;
    assertRefusal(await runCommand(['config', '--jsno']), { code: 2, says: misspelt });
  });

  void it('other commands: use the config file', async (t) => {
    const folder = await temporaryFolder(t);
    const dataDir = join(folder, 'data');
    await deskOn(t, dataDir, true);
    const path = join(folder, 'own.toml');
    await writeFile(path, `data-dir = ${JSON.stringify(dataDir)}\n`);
    assert.deepEqual(jsonOf(await runCommand(['user', 'list', '--config', path, '--json'])), []);
    for (const command of [['doctor'], ['backup', folder]]) {
      const ended = await runCommand([...command, '--config', join(folder, 'none.toml')]);
      assertRefusal(ended, {
        code: 2,
        says: /^The config file \S+\/none\.toml of --config [^\n]* cannot be read: [^\n]+\n$/,
      });
    }
    await writeFile(join(dataDir, 'menagerie.toml'), 'port = true\n');
    const says = /^port \(\S+, line 1\) must be a whole number/;
    assertRefusal(await commandsOn(dataDir)(['user', 'list']), { code: 2, says });
  });
});
