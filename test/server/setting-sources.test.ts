import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import * as fc from 'fast-check';
import { updateConfigFile } from '../../src/server/configuration/config-file.ts';
import { explainExposedFiles, explainUnknownNames } from '../../src/server/configuration/setting-sources.ts';
import { operatorCommand } from '../../src/server/log/explain-failure.ts';
import { type Config } from '../../src/server/configuration/config.ts';
import { SETTINGS, type Setting } from '../../src/server/configuration/settings.ts';
import { configOf, problemsOf } from '../support/read-config.ts';
import { temporaryFolder } from '../support/service.ts';

/** A folder with a file for each entry. */
async function folderWith(t: TestContext, files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await temporaryFolder(t);
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

function settingOf({ settings }: Config, name: string) {
  const setting = settings.find((each) => each.name === name);
  assert.ok(setting);
  return [setting.value, setting.source, setting.origin];
}

void describe('sources of settings', () => {
  void it('order: flag, variable, file, credential, config file, default', async (t) => {
    const folder = await folderWith(t, {
      'menagerie.toml': '# Our pets\nport = 5\n',
      'menagerie.port': '4\n',
      secret: '3\r\n',
    });
    const path = join(folder, 'menagerie.toml');
    const dataDir = ['--data-dir', folder];
    const credentials = { CREDENTIALS_DIRECTORY: folder };
    const file = { ...credentials, MENAGERIE_PORT_FILE: join(folder, 'secret') };
    const variable = { ...file, MENAGERIE_PORT: '2' };
    const all = [
      configOf([...dataDir, '--port', '1'], variable),
      configOf(dataDir, variable),
      configOf(dataDir, file),
      configOf(dataDir, credentials),
      configOf(dataDir),
      configOf(['--config=', ...dataDir]),
    ];
    assert.deepEqual(
      all.map(({ port }) => port),
      [1, 2, 3, 4, 5, 8080],
    );
    assert.deepEqual(
      all.map((config) => settingOf(config, 'port')),
      [
        ['1', 'flag', '--port'],
        ['2', 'variable', 'MENAGERIE_PORT'],
        ['3', 'file', 'MENAGERIE_PORT_FILE'],
        ['4', 'credential', 'credential menagerie.port'],
        ['5', 'config-file', `${path}, line 2`],
        ['8080', 'default', ''],
      ],
    );
    assert.deepEqual([all[4]?.configFile, all[5]?.configFile], [path, undefined]);
  });

  void it('--config: names a file, which may name the data folder', async (t) => {
    const folder = await folderWith(t, { 'own.toml': 'data-dir = "/srv/pets"\naccess = "secured"\n' });
    const path = join(folder, 'own.toml');
    for (const config of [configOf(['--config', path]), configOf([], { MENAGERIE_CONFIG: path })]) {
      assert.deepEqual([config.dataDir, config.http.access], [resolve('/srv/pets'), 'secured']);
      assert.equal(operatorCommand('doctor', config), `npx menagerie doctor --data-dir /srv/pets --config ${path}`);
    }
    assert.deepEqual(problemsOf(['--config', join(folder, 'none.toml')]), [
      `The config file ${join(folder, 'none.toml')} of --config (MENAGERIE_CONFIG) cannot be read: no such file or directory.`,
    ]);
  });

  void it('config file: has every setting, in the types of TOML', async (t) => {
    const values = SETTINGS.map((setting: Setting) => setting)
      .filter(({ name }) => !['config', 'data-dir', 'host', 'ephemeral'].includes(name))
      .map(({ name, value, default: byDefault }) => {
        const isBare = value === undefined || /^\d+$/.test(byDefault);
        return `${name} = ${isBare ? byDefault : JSON.stringify(byDefault)}\n`;
      });
    const folder = await folderWith(t, { 'menagerie.toml': values.join('') });
    const config = configOf(['--data-dir', folder]);
    assert.deepEqual(
      { ...config, settings: [] },
      {
        ...configOf(['--config=', '--data-dir', folder]),
        settings: [],
        configFile: config.configFile,
        // The file says that samples are wanted.
        hasChosenSamples: true,
      },
    );
    await writeFile(
      join(folder, 'menagerie.toml'),
      'cors-origins = ["https://a.example", "https://b.example"]\nempty = true\n',
    );
    const { http, empty } = configOf(['--data-dir', folder]);
    assert.deepEqual([http.corsOrigins, empty], [['https://a.example', 'https://b.example'], true]);
  });

  const faults: [text: string, problem: RegExp][] = [
    ['access = "secured"\nprot = 9000', /^Unknown key prot in \S+\/menagerie\.toml, line 2\. Did you mean port\?$/],
    [
      '[server]\nport = 9000',
      /^Unknown key server in \S+, line 1\. The keys are the options of "menagerie serve --help", outside of any table\.$/,
    ],
    ['dataDir = "/srv"', /^Unknown key dataDir in \S+, line 1\. Did you mean data-dir\?$/],
    ['\nport = "hunter2"', /^port \(\S+, line 2\) must be a whole number from 0 to 65535\.$/],
    ['port = { a = "hunter2" }', /^port \(\S+, line 1\) must be a text, a number or a boolean\.$/],
    ['host = hunter2', /^\S+, line 1, is not valid TOML: invalid value\. Texts need quotation marks\.$/],
    ['empty = false\ndatabase-url = "hunter2', /^\S+, line 2, is not valid TOML: unfinished string\.$/],
    ['port = 1\nport = 2', /^\S+, line 2, is not valid TOML: /],
    ['data-dir = "/srv"', /^data-dir \(\S+, line 1\) must not be in the config file of the data folder\. Use --config/],
    ['config = "x"', /^config \(\S+, line 1\) must be a flag or a variable\.$/],
    ['synonyms = "https://me:hunter2@x/y"', /^synonyms \(\S+, line 1\) must be a path, and not a URL\.$/],
    ['synonyms = "hunter2\\u0000"', /^synonyms \(\S+, line 1\) must not contain the character U\+0000\.$/],
    ['database-url = "hunter2"', /^database-url \(\S+, line 1\) must be like postgres:/],
  ];
  for (const [text, expected] of faults) {
    void it(`config file with ${JSON.stringify(text)}: is refused with one sentence`, async (t) => {
      const folder = await folderWith(t, { 'menagerie.toml': text });
      const problems = problemsOf(['--data-dir', folder]);
      assert.equal(problems.length, 1, problems.join('\n'));
      assert.match(problems[0] ?? '', expected);
      assert.doesNotMatch(problems[0] ?? '', /hunter|\n/);
    });
  }

  void it('file of a variable: must be readable, and its value is checked', async (t) => {
    const folder = await folderWith(t, { url: 'hunter2\n' });
    assert.deepEqual(problemsOf([], { MENAGERIE_DATABASE_URL_FILE: '/hunter2' }), [
      'The file of MENAGERIE_DATABASE_URL_FILE cannot be read: no such file or directory.',
    ]);
    const [problem = ''] = problemsOf([], { MENAGERIE_DATABASE_URL_FILE: join(folder, 'url') });
    assert.match(problem, /^--database-url \(MENAGERIE_DATABASE_URL_FILE\) must be like/);
    const empty = { MENAGERIE_DATABASE_URL: '', MENAGERIE_DATABASE_URL_FILE: join(folder, 'url') };
    assert.deepEqual(problemsOf([], empty), [problem], 'an empty variable is not set');
  });

  void it('files that are not UTF-8: are refused', async (t) => {
    const folder = await temporaryFolder(t);
    const path = join(folder, 'latin');
    await writeFile(path, Buffer.from('host = "hunter2\u00e4"', 'latin1'));
    assert.deepEqual(problemsOf(['--config', path], { MENAGERIE_PUBLIC_URL_FILE: path }), [
      'The file of MENAGERIE_PUBLIC_URL_FILE cannot be read: it is not UTF-8 text.',
      `The config file ${path} of --config (MENAGERIE_CONFIG) cannot be read: it is not UTF-8 text.`,
    ]);
    // Editors of Windows begin a text with a byte order mark.
    await writeFile(path, '\ufeffport = 1\n');
    assert.equal(configOf(['--config', path]).port, 1);
  });

  void it('variables of a Kubernetes Service: are ignored, by name and value', () => {
    const injected = {
      MENAGERIE_PORT: 'tcp://10.96.3.7:8080',
      MENAGERIE_SERVICE_HOST: '10.96.3.7',
      MENAGERIE_SERVICE_PORT: '8080',
      MENAGERIE_SERVICE_PORT_HTTP: '8080',
      MENAGERIE_PORT_8080_TCP: 'tcp://10.96.3.7:8080',
      MENAGERIE_PORT_8080_TCP_PROTO: 'tcp',
      MENAGERIE_PORT_8080_TCP_PORT: '8080',
      MENAGERIE_PORT_8080_TCP_ADDR: '10.96.3.7',
      MENAGERIE_DATABASE_PORT: 'tcp://[fd00::7]:5432',
      MENAGERIE_DATABASE_SERVICE_HOST: 'fd00::7',
      MENAGERIE_DATABASE_PORT_5432_UDP_ADDR: 'fd00::7',
    };
    assert.deepEqual([configOf([], injected).port, configOf(['--port', '9000'], injected).port], [8080, 9000]);
    assert.deepEqual(explainUnknownNames(injected), []);
    const typos = { MENAGERIE_PROT: '9000', MENAGERIE_HTTP_PORT: '9000', MENAGERIE_SERVICE_HOST: 'pets.example.org' };
    assert.equal(explainUnknownNames(typos).length, 3);
    for (const MENAGERIE_PORT of ['tcp://10.96.3.7', 'http://10.96.3.7:8080', 'tcp://10.96.3.7:8080/x', '80 80'])
      assert.equal(problemsOf([], { MENAGERIE_PORT }).length, 1, MENAGERIE_PORT);
  });

  void it('unknown names: are reported for files and credentials as well', async (t) => {
    const folder = await folderWith(t, { 'menagerie.databse-url': '', 'other.thing': '' });
    const environment = { CREDENTIALS_DIRECTORY: folder, MENAGERIE_CONFIG_FILE: 'x', MENAGERIE_DATABASE_UR_FILE: 'x' };
    assert.deepEqual(explainUnknownNames(environment), [
      'The environment variable MENAGERIE_CONFIG_FILE is unknown and ignored. Did you mean MENAGERIE_CONFIG?',
      'The environment variable MENAGERIE_DATABASE_UR_FILE is unknown and ignored. Did you mean ' +
        'MENAGERIE_DATABASE_URL_FILE?',
      'The credential menagerie.databse-url is unknown and ignored. Did you mean menagerie.database-url?',
    ]);
    assert.deepEqual(explainUnknownNames({ MENAGERIE_DATABASE_URL_FILE: 'x', CREDENTIALS_DIRECTORY: '/none' }), []);
    assert.deepEqual(problemsOf([], { CREDENTIALS_DIRECTORY: '/none' }), [
      'The folder of CREDENTIALS_DIRECTORY cannot be read: no such file or directory.',
    ]);
  });

  void it(
    'files with secrets: others should not be able to read them',
    { skip: process.platform === 'win32' },
    async (t) => {
      const folder = await folderWith(t, { url: 'hunter2', kept: 'hunter2' });
      const [url, kept] = [join(folder, 'url'), join(folder, 'kept')];
      await chmod(url, 0o644);
      await chmod(kept, 0o640);
      const environment = {
        MENAGERIE_DATABASE_URL_FILE: url,
        MENAGERIE_PHOTOS_URL_FILE: kept,
        MENAGERIE_HOST_FILE: '/none',
      };
      assert.deepEqual(explainExposedFiles(environment), [
        `Every user of this machine can read the secret in ${url}. Give it to the user of the service, and allow only this user to read it (chmod 600).`,
      ]);
    },
  );

  void it('secrets: are masked', () => {
    const masked = {
      'postgres://me:hunter2@a:1,b:2/pets': 'postgres://me:***@a:1,b:2/pets',
      'postgres://me@a/pets?p%61ssword=hunter2&sslmode=require': 'postgres://me@a/pets?p%61ssword=***&sslmode=require',
      'postgresql://:hunter2@a/pets': 'postgresql://:***@a/pets',
      'postgres://a/pets': 'postgres://a/pets',
    };
    for (const [url, expected] of Object.entries(masked)) {
      const config = configOf([], { MENAGERIE_DATABASE_URL: url });
      assert.deepEqual(settingOf(config, 'database-url'), [expected, 'variable', 'MENAGERIE_DATABASE_URL']);
      assert.doesNotMatch(JSON.stringify(config.settings), /hunter2/);
    }
  });
});

void describe('writing the config file', () => {
  void it('new file: is readable by its owner only, and leaves no other file', async (t) => {
    const folder = await temporaryFolder(t);
    const path = join(folder, 'menagerie.toml');
    await updateConfigFile(path, { access: 'secured', port: '9000', empty: 'true', 'backup-at': '04:00' });
    assert.equal(await readFile(path, 'utf8'), 'access = "secured"\nport = 9000\nempty = true\nbackup-at = "04:00"\n');
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    assert.deepEqual(await readdir(folder), ['menagerie.toml']);
    const { port, http } = configOf(['--data-dir', folder]);
    assert.deepEqual([port, http.access], [9000, 'secured']);
  });

  void it('present file: keeps comments and other keys', async (t) => {
    const folder = await folderWith(t, { 'menagerie.toml': '# Our pets\nport = 1\n\nlog-level = "debug"' });
    const path = join(folder, 'menagerie.toml');
    await updateConfigFile(path, { port: '2', access: 'secured' });
    assert.equal(await readFile(path, 'utf8'), '# Our pets\nport = 2\n\nlog-level = "debug"\naccess = "secured"\n');
    await writeFile(path, 'cors-origins = [\n  "https://a.example",\n]\nport = 1\n');
    await updateConfigFile(path, { 'cors-origins': 'https://b.example' });
    const { http, port } = configOf(['--data-dir', folder]);
    assert.deepEqual([http.corsOrigins, port], [['https://b.example'], 1]);
  });

  void it('any text: is read as it was written', async (t) => {
    const folder = await temporaryFolder(t);
    const path = join(folder, 'menagerie.toml');
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), async (text) => {
        await updateConfigFile(path, { synonyms: `x${text}` });
        assert.equal(settingOf(configOf(['--data-dir', folder]), 'synonyms')[0], `x${text}`);
      }),
      { numRuns: 50 },
    );
  });

  void it('file that is invalid or cannot be written: stays, with a failure', async (t) => {
    const folder = await folderWith(t, { 'menagerie.toml': 'port = hunter2' });
    const path = join(folder, 'menagerie.toml');
    await assert.rejects(updateConfigFile(path, { port: '1' }), {
      code: 'conflict',
      message: /, line 1, is not valid/,
    });
    assert.equal(await readFile(path, 'utf8'), 'port = hunter2');
    await assert.rejects(updateConfigFile(join(folder, 'none', 'menagerie.toml'), { port: '1' }), {
      code: 'unavailable',
      message: /cannot be written: no such file or directory\.$/,
    });
    await mkdir(join(folder, 'folder.toml'));
    await assert.rejects(updateConfigFile(join(folder, 'folder.toml'), { port: '1' }), { code: 'unavailable' });
  });
});
