import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { UsageError } from './output.ts';

/**
 * A new password: asked for on the terminal, twice and without echo; where standard input is no terminal, its first line. Never an argument, which
 * every process of the machine can see.
 *
 * @throws UsageError where there is none
 */
export async function readNewPassword(username: string): Promise<string> {
  const password = process.stdin.isTTY ? await askTwice(username) : await firstLine();
  if (password === '')
    throw new UsageError('There is no password. Type one, or give it as the first line of the input.');
  return password;
}

async function askTwice(username: string): Promise<string> {
  const [password = '', again] = await askInSilence([`New password for ${username}: `, 'Once more: ']);
  if (password !== again) throw new UsageError('The two are not the same. Nothing was changed.');
  return password;
}

/**
 * The lines that are typed in answer to the prompts. The terminal is read key by key, and what would be echoed goes nowhere.
 *
 * @throws UsageError when it is given up, with Control-C or Control-D
 */
function askInSilence(prompts: readonly string[]): Promise<readonly string[]> {
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
      else reject(new UsageError('\nNo password was given. Nothing was changed.'));
    });
    prompt();
  });
}

/** Up to the first line feed, whatever else Unicode calls the end of a line. */
async function firstLine(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    if (chunk.includes('\n')) break;
  }
  const [line = ''] = Buffer.concat(chunks).toString('utf8').split('\n', 1);
  return line.replace(/\r$/, '');
}
