import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { UsageError } from './output.ts';

/**
 * Reads a new password: on a terminal by prompting twice without echo, otherwise from the first line of standard input. Never from an argument,
 * which every process of the machine can see.
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
  const [line = ''] = Buffer.concat(chunks).toString('utf8').split('\n', 1);
  return line.replace(/\r$/, '');
}
