import { VERSION } from '../server/system/version.ts';
import { reasonOfFileError } from '../server/system/system-errors.ts';
import { endWithNpm } from './terminal/npm-parent.ts';
import { FAILED, USAGE, print, printError, printFailure } from './terminal/output.ts';

const HELP = `Menagerie ${VERSION}, a pet catalogue service

Usage: menagerie COMMAND [FLAGS]

Commands:
  serve       Start the service
  config      Print the settings in effect
  user        Create, manage, export and import users
  key         Create, list and revoke API keys
  audit       Read the audit log
  photos      Assign the stored photos to the database
  pets        Export and import pets of a running service
  backup      Copy all data to a folder or bucket, while the service runs
  backup-key  Make a key for encrypted backups
  restore     Copy a backup to an empty data folder or database
  doctor      Check the data for damage, and repair it
  grade       Find out which planted bugs a test suite notices
  migrate     Change the database for this version, or report what would change

Flags:
  --version   Print the version
  --help      Print this help; after a command, its help

Examples:
  menagerie serve --port 9000
  menagerie user create root --role admin
`;

/** The npm scripts that wait for this process. Another one may start it in the background and end. */
const WAITING_SCRIPTS = new Set(['start', 'npx']);

/** Files are readable by their owner only: the database contains password hashes. */
const PRIVATE_FILES = 0o077;

type Run = (args: readonly string[]) => Promise<void> | void;

/** Each command is loaded on its own: listing keys needs no server. */
const COMMANDS: Readonly<Record<string, () => Promise<Run>>> = {
  serve: async () => (await import('./serve.ts')).serve,
  config: async () => (await import('./config.ts')).config,
  user: async () => (await import('./user.ts')).user,
  users: async () => (await import('./user.ts')).user,
  key: async () => (await import('./key.ts')).key,
  audit: async () => (await import('./audit.ts')).audit,
  photos: async () => (await import('./photos.ts')).photos,
  pets: async () => (await import('./pets.ts')).pets,
  doctor: async () => (await import('./doctor.ts')).doctor,
  grade: async () => (await import('./grade.ts')).grade,
  migrate: async () => (await import('./migrate.ts')).migrate,
  backup: async () => (await import('./backup.ts')).backup,
  'backup-key': async () => (await import('./backup-key.ts')).backupKey,
  restore: async () => (await import('./backup.ts')).restore,
};

/** @param npmScript the npm script that runs this process, if any */
export async function main([name, ...args]: readonly string[], npmScript?: string): Promise<void> {
  process.umask(PRIVATE_FILES);
  process.stdout.on('error', endWithOutput);
  if (WAITING_SCRIPTS.has(npmScript ?? '')) endWithNpm();
  if (name === '--version') return print(`${VERSION}\n`);
  if (name === '--help' || name === undefined) return print(HELP);
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (load !== undefined) return run(await load(), args);
  process.exitCode = USAGE;
  if (name === 'move')
    return printError(
      'Instead of "menagerie move", use "menagerie backup PLACE --final", then "menagerie restore PLACE".',
    );
  const { explainUnknownCommand } = await import('./terminal/usage.ts');
  printError(explainUnknownCommand(name, [...Object.keys(COMMANDS), '--help', '--version']));
}

/** Commands print their failures themselves. Others are of the system, such as a deleted working folder, or bugs. */
async function run(command: Run, args: readonly string[]): Promise<void> {
  try {
    await command(args);
  } catch (error) {
    printFailure(error);
  }
}

/** A reader such as `head` may close the pipe early. That is no error. */
function endWithOutput(error: Error & { code?: string }): void {
  if (error.code === 'EPIPE') process.exit();
  printError(`The output cannot be written: ${reasonOfFileError(error) ?? error.message}.`);
  process.exit(FAILED);
}
