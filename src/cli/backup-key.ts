import { newKeyFile } from '../server/backup/encrypted-files.ts';
import { print, printFailure } from './terminal/output.ts';
import { readCommandLine } from './terminal/usage.ts';

const USAGE_LINE = 'Usage: menagerie backup-key';

const HELP = `Make a key for encrypted backups, and print it. It is not stored: keep the output where the service is not, such as in a
password manager. Without the identity, encrypted backups cannot be restored.

${USAGE_LINE}

The output is a key file of age: the identity, and as a comment the recipient for --backup-recipients.

Examples:
  menagerie backup-key > backup-key.txt
  menagerie serve --backup-to /mnt/backups --backup-recipients age1...
  menagerie restore /mnt/backups --data-dir /srv/new-pets --identity-file backup-key.txt
`;

export async function backupKey(args: readonly string[]): Promise<void> {
  if (args.includes('--help')) return print(HELP);
  try {
    readCommandLine(args, {}, USAGE_LINE);
    print(await newKeyFile(Date.now()));
  } catch (error) {
    printFailure(error);
  }
}
