import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, FTPError } from 'basic-ftp';
import type { UploadedFile } from '../../domain/listings/listing-uploads.ts';
import { temporaryName, type UploadTarget } from './upload-url.ts';

export async function uploadOverFtp(
  { protocol, host, port, user, password = '', caFile, folder }: UploadTarget,
  files: readonly UploadedFile[],
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<void> {
  const client = new Client(timeoutMs);
  const abort = () => client.close();
  signal.addEventListener('abort', abort);
  try {
    const secureOptions = {
      ...(caFile !== undefined && { ca: await readFile(caFile) }),
      ...(isIP(host) === 0 ? { servername: host } : { host }),
    };
    await client.access({ host, port, user, password, secure: protocol === 'ftps', secureOptions });
    if (folder !== '') await client.cd(folder);
    for (const file of files) await uploadOne(client, file);
  } finally {
    signal.removeEventListener('abort', abort);
    client.close();
  }
}

/**
 * How long an empty file keeps its connection open. With TLS 1.3, a client may end the connection before the server has
 * completed the handshake: two of five empty files failed on ProFTPD.
 */
const EMPTY_FILE_MS = 1000;

async function* contentOf(text: string): AsyncGenerator<Buffer> {
  if (text === '') await delay(EMPTY_FILE_MS);
  else yield Buffer.from(text);
}

async function uploadOne(client: Client, { name, text }: UploadedFile): Promise<void> {
  const temporary = temporaryName(name);
  await client.uploadFrom(Readable.from(contentOf(text)), temporary);
  try {
    await client.rename(temporary, name);
  } catch (error) {
    if (!(error instanceof FTPError)) throw error;
    // Some servers do not replace a file.
    await client.remove(name, true);
    await client.rename(temporary, name);
  }
}
