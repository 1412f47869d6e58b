import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { explainFileError, readText } from '../../server/configuration/config-file.ts';
import { exposedFile, isExposed } from '../../server/configuration/setting-sources.ts';
import { printError, UsageError } from './output.ts';

/**
 * Reads a new password: on a terminal by prompting twice without echo, otherwise from the first line of standard input.
 * Never from an argument, which every process of the machine can see.
 *
 * @throws UsageError if there is none
 */
export async function readNewPassword(username: string): Promise<string> {
  const password = process.stdin.isTTY ? await askTwice(username) : await firstLine();
  if (password === '')
    throw new UsageError('The password is missing. Type it, or pass it as the first line of standard input.');
  return password;
}

async function askTwice(username: string): Promise<string> {
  const [password = '', again] = await promptWithoutEcho([`New password for ${username}: `, 'Repeat the password: ']);
  if (password !== again) throw new UsageError('The passwords do not match. Nothing was changed.');
  return password;
}

/**
 * Reads the passphrase of an encrypted backup: the first line of a file, otherwise from the terminal.
 *
 * @param isNew whether to prompt twice
 * @throws UsageError if there is none
 */
export async function readPassphrase(file: string | undefined, isNew: boolean): Promise<string> {
  const passphrase = file === undefined ? await askPassphrase(isNew) : firstLineOf(file);
  if (passphrase === '') throw new UsageError('The passphrase is empty.');
  return passphrase;
}

async function askPassphrase(isNew: boolean): Promise<string> {
  if (!process.stdin.isTTY)
    throw new UsageError(
      'The archive is encrypted: set --passphrase-file (MENAGERIE_BACKUP_PASSPHRASE_FILE), or run this on a terminal.',
    );
  const prompts = ['Passphrase: ', ...(isNew ? ['Repeat the passphrase: '] : [])];
  const [passphrase = '', again = passphrase] = await promptWithoutEcho(prompts);
  if (passphrase !== again) throw new UsageError('The passphrases do not match. Nothing was changed.');
  return passphrase;
}

function firstLineOf(file: string): string {
  return lineIn(readSecret(file, 'passphrase'));
}

/** Reads a file with age identities. @throws UsageError if it cannot be read */
export function readKeyFile(file: string): string {
  return readSecret(file, 'identity');
}

function readSecret(file: string, what: string): string {
  try {
    const text = readText(file);
    if (isExposed(file)) printError(exposedFile(file));
    return text;
  } catch (error) {
    throw new UsageError(`The ${what} file ${file} cannot be read: ${explainFileError(error)}.`, { cause: error });
  }
}

/**
 * Prompts for lines without echoing them.
 *
 * @throws UsageError on Control-C or Control-D
 */
function promptWithoutEcho(prompts: readonly string[]): Promise<readonly string[]> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const keyboard = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  const lines: string[] = [];
  const prompt = () => process.stderr.write(prompts[lines.length] ?? '');
  return new Promise((resolve, reject) => {
    keyboard.on('line', (line) => {
      lines.push(line);
      process.stderr.write('\n');
      prompt();
      if (lines.length === prompts.length) keyboard.close();
    });
    keyboard.on('close', () => {
      if (lines.length >= prompts.length) resolve(lines);
      else reject(new UsageError('\nCanceled. Nothing was changed.'));
    });
    prompt();
  });
}

/** Ends at the first line feed only: a password may contain the other line separators of Unicode. */
async function firstLine(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    if (chunk.includes('\n')) break;
  }
  return lineIn(Buffer.concat(chunks).toString('utf8'));
}

function lineIn(text: string): string {
  const [line = ''] = text.split('\n', 1);
  return line.replace(/\r$/, '');
}
