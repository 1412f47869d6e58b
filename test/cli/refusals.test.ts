import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { EXECUTABLE } from '../support/menagerie-process.ts';
import { assertRefusal, outputOf, runCommand } from '../support/operator-commands.ts';
import { PASSWORDS } from '../support/secured.ts';
import { temporaryFolder } from '../support/service.ts';

/* Refused calls of commands that have no file of their own here. Each prints what to do, on standard error. */

void describe('command lines', () => {
  const cases: [args: string[], says: RegExp][] = [
    [['sevre'], /^Unknown command: sevre\. Did you mean serve\? Run "menagerie --help" for the list of commands\.\n$/],
    [['--hepl'], /^Unknown command: --hepl\. Did you mean --help\? Run /],
    [['xyzzy'], /^Unknown command: xyzzy\. Run "menagerie --help" for the list of commands\.\n$/],
    [['--port', '9000'], /^The command must come before --port\. Run /],
    [['user', '--data-dir', '/srv', 'list'], /^The command must come before --data-dir\. Run "menagerie user --help"/],
    [['audit', 'lst'], /^Unknown command: audit lst\. Did you mean audit list\? Run /],
    [['photos', 'adpt'], /^Unknown command: photos adpt\. Did you mean photos adopt\? Run /],
    // A URL may have a password.
    [['postgres://me:hunter2@db/pets'], /^Unknown command\. Run /],
    [['user', 'postgres://me:hunter2@db/pets'], /^Unknown command\. Run /],
    [
      ['move', '--to=postgres://me:hunter2@db/pets'],
      /^Instead of "menagerie move", use "menagerie backup PLACE --final", /,
    ],

    [['backup', '/b', '--kep', '3'], /^Unknown option --kep\. Did you mean --keep\?\nUsage: menagerie backup /],
    [
      ['backup', '/b', '--backup', 'x'],
      /^A backup is selected and decrypted by --check only: omit --backup and --identity-file\.$/m,
    ],
    [['backup', '/b', '--check', '--list'], /^Use either --list or --check\.$/m],
    [['backup', '/b.tar', '--recipients', 'x'], /^An archive is encrypted with a passphrase: /m],
    [['backup', '/a', '/b'], /^There are too many arguments\.\nUsage: menagerie backup /],
    [['restore'], /^An argument is missing\.\nUsage: menagerie restore /],
    [['restore', '/b', '--list'], /^Unknown option --list\. See --help\.\nUsage: menagerie restore /],
    [['doctor', '--repiar'], /^Unknown option --repiar\. Did you mean --repair\?\nUsage: menagerie doctor /],
    [['migrate', '--dryrun'], /^Unknown option --dryrun\. Did you mean --dry-run\?\nUsage: menagerie migrate /],
    [['audit', 'list', '--limt=3'], /^Unknown option --limt\. Did you mean --limit\?\nUsage: menagerie audit list /],
  ];
  for (const [args, says] of cases) {
    void it(`${args.join(' ')}: is refused`, async () => {
      const ended = await runCommand(args);
      assertRefusal(ended, { code: 2, says });
      assert.doesNotMatch(ended.stderr, /hunter/);
    });
  }

  void it('unknown environment variable: every command warns, because it may have been meant', async () => {
    const environment = { MENAGERIE_DATADIR: '/hunter2' };
    const warning =
      /^The environment variable MENAGERIE_DATADIR is unknown and ignored\. Did you mean MENAGERIE_DATA_DIR\?\n/;
    for (const args of [['user', 'list'], ['doctor'], ['migrate'], ['backup', '/b'], ['restore', '/none']])
      assert.match((await runCommand(args, { environment })).stderr, warning, args.join(' '));
  });
});

void describe('files and folders', async () => {
  const folder = await temporaryFolder({ after });
  const dataDir = join(folder, 'data');
  outputOf(await runCommand(['user', 'create', 'root', '--data-dir', dataDir], { input: PASSWORDS['edna'] ?? '' }));
  await writeFile(join(folder, 'file'), 'mine');
  await mkdir(join(folder, 'folder.tar'));
  const place = join(folder, 'place');
  outputOf(await runCommand(['backup', place, '--data-dir', dataDir]));
  outputOf(await runCommand(['backup', join(folder, 'good.tar'), '--data-dir', dataDir]));
  const on = ['--data-dir', dataDir];

  const ofUser = '(a file with this name exists). Use another folder with --data-dir.';
  const cases: [args: string[], says: string, code?: 1 | 2][] = [
    [['user', 'create', 'ada', '--data-dir', 'FILE'], `The data folder FILE cannot be used ${ofUser}`],
    [
      ['backup', 'FILE', ...on],
      'The folder FILE cannot be used for backups (a file with this name exists). Correct the path.',
    ],
    [
      ['backup', 'FILE/x', ...on],
      'The folder FILE/x cannot be used for backups (a part of its path is a file, not a folder). Correct the path.',
    ],
    [
      ['backup', join(folder, 'none', 'x.tar'), ...on],
      `The folder ${join(folder, 'none')} cannot be used for backups (no such file or directory). Correct the path.`,
    ],
    [['backup', 's3:bucket', ...on], 'PLACE: The URL of a bucket must begin with s3://.', 2],
    [['restore', place, '--data-dir', 'FILE'], `The data folder FILE cannot be used ${ofUser}`],
    [['restore', join(folder, 'good.tar'), '--data-dir', 'FILE'], `The data folder FILE cannot be used ${ofUser}`],
    [
      ['restore', join(folder, 'none.tar'), '--data-dir', join(folder, 'r')],
      `The file ${join(folder, 'none.tar')} cannot be read: no such file or directory.`,
    ],
    [
      ['restore', join(folder, 'folder.tar'), '--data-dir', join(folder, 'r')],
      `The file ${join(folder, 'folder.tar')} cannot be read: it is a folder, not a file.`,
    ],
    [
      ['backup', '/x.tar.age', ...on, '--passphrase-file', 'FILE/x'],
      'The passphrase file FILE/x cannot be read: a part of its path is a file, not a folder.',
      2,
    ],
    [
      ['user', 'import', join(folder, 'users.csv'), ...on, '--result', 'FILE/x.csv'],
      'The result file FILE/x.csv cannot be written: a part of its path is a file, not a folder.',
    ],
  ];
  await writeFile(join(folder, 'users.csv'), 'username\nbob\n');
  const withFile = (text: string) => text.replace('FILE', join(folder, 'file'));
  for (const [args, says, code = 1] of cases) {
    void it(`${args.join(' ').replaceAll(folder, '')}: is refused with the reason`, async () => {
      const ended = await runCommand(args.map(withFile));
      assert.deepEqual([ended.code, ended.stderr.trimEnd().split('\n').at(-1)], [code, withFile(says)]);
    });
  }

  void it(
    'places where nothing can be created: end every command',
    { skip: process.platform !== 'linux' && 'only Linux has /proc' },
    async () => {
      const calls = [
        ['user', 'create', 'ada', '--data-dir', '/proc/xyz'],
        ['backup', '/proc/xyz', ...on],
        ['restore', place, '--data-dir', '/proc/xyz'],
        ['restore', join(folder, 'good.tar'), '--data-dir', '/proc/xyz'],
      ];
      for (const args of calls) {
        const says = /^[^\n]*\/proc\/xyz cannot be used\b[^\n]*\bnothing can be created there\b[^\n]*\.\n$/;
        assertRefusal(await runCommand(args), { code: 1, says });
      }
    },
  );

  void it(
    'full output: ends the command with the reason',
    { skip: !existsSync('/dev/full') && 'needs /dev/full' },
    () => {
      const output = openSync('/dev/full', 'w');
      const ended = spawnSync(process.execPath, [EXECUTABLE, 'config'], {
        stdio: ['ignore', output, 'pipe'],
        encoding: 'utf8',
        env: {},
      });
      closeSync(output);
      assert.deepEqual([ended.status, ended.stderr], [1, 'The output cannot be written: no space left on device.\n']);
    },
  );
});
