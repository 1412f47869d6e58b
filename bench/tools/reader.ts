import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** The user for secured access. */
const READER = { username: 'reader', password: `bench reader ${crypto.randomUUID()}` };

const created = new Set<string>();

/**
 * Creates the user with the command line of a checkout, once per folder.
 *
 * @param flags those of the database of a server
 */
export function createReader(folder: string, checkout: string, flags: readonly string[] = []): void {
  if (created.has(folder)) return;
  const script = join(checkout, 'src/cli/menagerie.js');
  const args = [script, 'user', 'create', READER.username, '--role', 'admin', '--data-dir', folder];
  const url = flags[flags.indexOf('--database-url') + 1];
  const env = { ...process.env, ...(url !== undefined && flags.length > 0 && { MENAGERIE_DATABASE_URL: url }) };
  const { status, stderr } = spawnSync(process.execPath, args, { input: READER.password, encoding: 'utf8', env });
  if (status !== 0) throw new Error(`Creating the user failed: ${stderr}`);
  created.add(folder);
}

/** Logs in. @returns the Cookie header */
export async function logIn(origin: string): Promise<string> {
  const response = await fetch(`${origin}/v2/user/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(READER),
  });
  const cookie = response.headers.getSetCookie()[0]?.split(';')[0];
  if (cookie === undefined) throw new Error('The login failed.');
  return cookie;
}
