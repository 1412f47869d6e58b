import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import SftpClient from 'ssh2-sftp-client';
import type { UploadedFile } from '../../domain/listings/listing-uploads.ts';
import { temporaryName, type UploadTarget } from './upload-url.ts';

export async function uploadOverSftp(
  { host, port, user, password, keyFile, hostKey, folder }: UploadTarget,
  files: readonly UploadedFile[],
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<void> {
  const client = new SftpClient();
  const abort = () => void client.end();
  let found = hostKey;
  signal.addEventListener('abort', abort);
  try {
    await client.connect({
      host,
      port,
      username: user,
      readyTimeout: timeoutMs,
      ...(password !== undefined && { password }),
      ...(keyFile !== undefined && { privateKey: await readFile(keyFile) }),
      hostVerifier: (key: Buffer) => (found = fingerprintOf(key)) === hostKey,
    });
    for (const file of files) await uploadOne(client, folder, file);
  } catch (error) {
    throw found === hostKey ? error : new Error(`The server has another host key than expected: ${found}.`);
  } finally {
    signal.removeEventListener('abort', abort);
    await client.end();
  }
}

/** As OpenSSH prints it: without the padding. */
function fingerprintOf(key: Buffer): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').slice(0, -1)}`;
}

async function uploadOne(client: SftpClient, folder: string, { name, text }: UploadedFile): Promise<void> {
  const inFolder = (file: string) => (folder === '' ? file : `${folder}/${file}`);
  const temporary = inFolder(temporaryName(name));
  await client.put(Buffer.from(text), temporary, { writeStreamOptions: { mode: 0o644 } });
  try {
    await client.posixRename(temporary, inFolder(name));
  } catch {
    // The server has no rename that replaces a file.
    await client.delete(inFolder(name), true);
    await client.rename(temporary, inFolder(name));
  }
}
