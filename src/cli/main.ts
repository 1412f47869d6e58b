import { VERSION } from '../server/version.ts';
import { print, USAGE } from './output.ts';

const HELP = `Menagerie ${VERSION}: a pet catalogue with pictures, and the accounts of the people who keep it.

Usage: menagerie COMMAND [FLAGS]

  serve        start the service
  user         make accounts, give roles and passwords, close them
  key          make, list and revoke API keys
  audit        look at who did what
  photos       pair photos with a database after one of them was lost or restored
  pets         export and import pets, of a running service
  move         copy everything to another database, other pictures
  --version    print the version
  --help       print this; after a command, its flags
`;

/** What is written here is for its owner alone: the database has the hashes of passwords in it. */
const PRIVATE_FILES = 0o077;

export async function main([command, ...args]: readonly string[]): Promise<void> {
  process.umask(PRIVATE_FILES);
  process.stdout.on('error', endQuietlyWithReader);
  // Each command is loaded where it is wanted: to list keys takes no server.
  switch (command) {
    case 'serve':
      return (await import('./serve.ts')).serve(args);
    case 'user':
      return (await import('./user.ts')).user(args);
    case 'key':
      return (await import('./key.ts')).key(args);
    case 'audit':
      return (await import('./audit.ts')).audit(args);
    case 'photos':
      return (await import('./photos.ts')).photos(args);
    case 'pets':
      return (await import('./pets.ts')).pets(args);
    case 'move':
      return (await import('./move.ts')).move(args);
    case '--version':
      return print(`${VERSION}\n`);
    case '--help':
    case undefined:
      return print(HELP);
    default:
      process.stderr.write(`There is no command ${command}. Try: menagerie --help\n`);
      process.exitCode = USAGE;
  }
}

/** `menagerie audit list --json | head`: whoever read has read enough. */
function endQuietlyWithReader(error: Error & { code?: string }): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
}
