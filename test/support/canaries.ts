import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/* Canaries: unmistakable secrets, and a search for them in every encoding in which they may have been written. */

export interface Canary {
  /** Identifies the secret in messages. */
  what: string;
  secret: string;
}

/** A valid password with characters that escaping and encoding change. */
export function canaryPassword(what: string): Canary {
  return { what, secret: `canary-password-${randomUUID()} "ä\\ß&<+%>` };
}

/** A secret that is also a valid username. */
export function canaryName(what: string): Canary {
  return { what, secret: `canary-password-${randomUUID()}` };
}

const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/;
const TOKEN = /^(?:mgk_)?([\w-]{43})$/;

/** All encodings of a secret, by name. */
export function formsOf(secret: string): Map<string, Buffer> {
  const utf8 = Buffer.from(secret);
  const json = JSON.stringify(secret).slice(1, -1);
  const encoded = encodeURIComponent(secret);
  const forms = new Map<string, Buffer>([
    ['UTF-8', utf8],
    ['UTF-16', Buffer.from(secret, 'utf16le')],
    ['lower case', Buffer.from(secret.toLowerCase())],
    ['JSON', Buffer.from(json)],
    ['JSON in JSON', Buffer.from(JSON.stringify(json).slice(1, -1))],
    [
      'ASCII JSON',
      Buffer.from(
        json.replaceAll(/[\u0080-\uFFFF]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
      ),
    ],
    ['percent-encoded', Buffer.from(encoded)],
    ['percent-encoded in lower case', Buffer.from(encoded.toLowerCase())],
    ['percent-encoded twice', Buffer.from(encodeURIComponent(encoded))],
    ['form-encoded', Buffer.from(new URLSearchParams({ '': secret }).toString().slice(1))],
    ['hex', Buffer.from(utf8.toString('hex'))],
    ['hex in capitals', Buffer.from(utf8.toString('hex').toUpperCase())],
  ]);
  for (const encoding of ['base64', 'base64url'] as const)
    for (const place of [0, 1, 2])
      forms.set(`${encoding} at place ${place}`, Buffer.from(base64Core(utf8, place, encoding)));
  const [core] = UUID.exec(secret) ?? [];
  if (core !== undefined) forms.set('its recognisable part', Buffer.from(core));
  const [, token] = TOKEN.exec(secret) ?? [];
  if (token !== undefined) {
    const bytes = Buffer.from(token, 'base64url');
    forms.set('its bytes', bytes).set('the hex of its bytes', Buffer.from(bytes.toString('hex')));
    forms.set('its recognisable part', Buffer.from(token));
  }
  return forms;
}

/**
 * The base64 characters of a text at this offset (modulo three) in a longer text, without those that depend on its
 * neighbours.
 */
function base64Core(bytes: Buffer, place: number, encoding: 'base64' | 'base64url'): string {
  const before = [0, 2, 3][place] ?? 0;
  const text = Buffer.concat([Buffer.alloc(place), bytes])
    .toString(encoding)
    .replace(/=+$/, '');
  return text.slice(before, (place + bytes.length) % 3 === 0 ? undefined : -1);
}

/** One line for each canary found, with its encoding. */
export function leaksIn(where: string, content: string | Uint8Array, canaries: readonly Canary[]): string[] {
  const bytes =
    typeof content === 'string'
      ? Buffer.from(content)
      : Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  return canaries.flatMap(({ what, secret }) =>
    [...formsOf(secret)].filter(([, form]) => bytes.includes(form)).map(([form]) => `${where}: ${what} as ${form}`),
  );
}

/** Every file in a folder and its subfolders, raw. */
export async function rawFilesOf(folder: string): Promise<{ path: string; bytes: Buffer }[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return Promise.all(paths.map(async (path) => ({ path, bytes: await readFile(path) })));
}
