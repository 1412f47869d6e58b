import { VERSION } from '../main/version.ts';
import { serve, SERVE_HELP } from './serve.ts';

const HELP = `Menagerie ${VERSION}: a pet catalogue with pictures, and the accounts of the people who keep it.

Usage: menagerie COMMAND [FLAGS]

  serve        start the service
  --version    print the version
  --help       print this; after a command, its flags
`;

/** Exit code for a call that makes no sense, as shells have it. */
const USAGE = 2;

export async function main([command, ...args]: readonly string[]): Promise<void> {
  switch (command) {
    case 'serve':
      return args.includes('--help') ? print(SERVE_HELP) : serve(args);
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

function print(text: string): void {
  process.stdout.write(text);
}
