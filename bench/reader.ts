import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Who reads in secured access. The account is there as long as the bench runs. */
const READER = { username: 'reader', password: `bench reader ${crypto.randomUUID()}` };

const made = new Set<string>();

/** Makes the account with the command line, once for a folder. */
export function makeReader(folder: string): void {
  if (made.has(folder)) return;
  const script = join(import.meta.dirname, '../src/cli/menagerie.js');
  const args = [script, 'user', 'create', READER.username, '--role', 'admin', '--data-dir', folder];
  const { status, stderr } = spawnSync(process.execPath, args, { input: READER.password, encoding: 'utf8' });
  if (status !== 0) throw new Error(`The account of the reader could not be made: ${stderr}`);
  made.add(folder);
}

/** Logs in, and gives the cookie as a browser sends it. */
export async function logIn(origin: string): Promise<string> {
  const response = await fetch(`${origin}/v2/user/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(READER),
  });
  const cookie = response.headers.getSetCookie()[0]?.split(';')[0];
  if (cookie === undefined) throw new Error('The reader could not log in.');
  return cookie;
}
