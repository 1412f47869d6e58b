import { VERSION } from '../server/version.ts';
import { endWithNpm } from './npm-parent.ts';
import { USAGE, print, printError } from './output.ts';

const HELP = `Menagerie ${VERSION}, a pet catalogue service

Usage: menagerie COMMAND [FLAGS]

Commands:
  serve    Start the service
  config   Print the settings in effect
  user     Create, manage, export and import users
  key      Create, list and revoke API keys
  audit    Read the audit log
  photos   Assign the stored photos to the database
  pets     Export and import pets of a running service
  backup   Copy all data to a folder or bucket, while the service runs
  restore  Copy a backup to an empty data folder or database
  doctor   Check the data for damage, and repair it
  migrate  Change the database for this version, or report what would change
  move     Copy all data to another database or photo store

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

/** @param npmScript the npm script that runs this process, if any */
export async function main([command, ...args]: readonly string[], npmScript?: string): Promise<void> {
  process.umask(PRIVATE_FILES);
  process.stdout.on('error', endQuietlyWithReader);
  if (WAITING_SCRIPTS.has(npmScript ?? '')) endWithNpm();
  // Each command is loaded on its own: listing keys needs no server.
  switch (command) {
    case 'serve':
      return (await import('./serve.ts')).serve(args);
    case 'config':
      return (await import('./config.ts')).config(args);
    case 'user':
    case 'users':
      return (await import('./user.ts')).user(args);
    case 'key':
      return (await import('./key.ts')).key(args);
    case 'audit':
      return (await import('./audit.ts')).audit(args);
    case 'photos':
      return (await import('./photos.ts')).photos(args);
    case 'pets':
      return (await import('./pets.ts')).pets(args);
    case 'doctor':
      return (await import('./doctor.ts')).doctor(args);
    case 'migrate':
      return (await import('./migrate.ts')).migrate(args);
    case 'move':
      return (await import('./move.ts')).move(args);
    case 'backup':
      return (await import('./backup.ts')).backup(args);
    case 'restore':
      return (await import('./backup.ts')).restore(args);
    case '--version':
      return print(`${VERSION}\n`);
    case '--help':
    case undefined:
      return print(HELP);
    default:
      printError(`Unknown command: ${command}. Run "menagerie --help" for the list of commands.`);
      process.exitCode = USAGE;
  }
}

/** A reader such as `head` may close the pipe early. That is no error. */
function endQuietlyWithReader(error: Error & { code?: string }): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
}
