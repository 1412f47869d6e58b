import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertRefusal, runCommand } from '../support/operator-commands.ts';

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
    [['move', 'postgres://me:hunter2@db/pets'], /^There are too many arguments\.\nUsage: menagerie move /],

    [['backup', '/b', '--kep', '3'], /^Unknown option --kep\. Did you mean --keep\?\nUsage: menagerie backup /],
    [['backup', '/b', '--backup', 'x'], /^Unknown option --backup\. See --help\.\nUsage: menagerie backup /],
    [['backup', '/a', '/b'], /^There are too many arguments\.\nUsage: menagerie backup /],
    [['restore'], /^An argument is missing\.\nUsage: menagerie restore /],
    [['restore', '/b', '--list'], /^Unknown option --list\. See --help\.\nUsage: menagerie restore /],
    [['doctor', '--repiar'], /^Unknown option --repiar\. Did you mean --repair\?\nUsage: menagerie doctor /],
    [['migrate', '--dryrun'], /^Unknown option --dryrun\. Did you mean --dry-run\?\nUsage: menagerie migrate /],
    [['move', '--form', '/a', '--to=/b'], /^Unknown option --form\. Did you mean --from\?\nUsage: menagerie move /],
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
    for (const args of [['user', 'list'], ['doctor'], ['migrate'], ['backup', '/b'], ['restore', '/none'], ['move']])
      assert.match((await runCommand(args, { environment })).stderr, warning, args.join(' '));
  });
});
