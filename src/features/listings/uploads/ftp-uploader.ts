import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, FTPError } from 'basic-ftp';
import type { UploadedFile } from '../domain/listing-uploads.ts';
import { replaceFile, type RemoteFolder } from './replacing.ts';
import type { UploadTarget } from './upload-url.ts';

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
    for (const file of files) await replaceFile(folderOf(client), file);
  } catch (error) {
    throw passiveProblem(error) ?? error;
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

/** The server has no space: nothing is wrong with the name, and its file would be emptied. */
const NO_SPACE = 552;

/** Not a refusal for now, such as 450. */
function isRefused(error: unknown): boolean {
  return error instanceof FTPError && error.code >= 500 && error.code !== NO_SPACE;
}

function folderOf(client: Client): RemoteFolder {
  const isAccepted = async (command: string): Promise<boolean> => {
    try {
      await client.send(command);
      return true;
    } catch (error) {
      if (isRefused(error)) return false;
      throw error;
    }
  };
  return {
    async store(name, text) {
      await client.uploadFrom(Readable.from(contentOf(text)), name);
    },
    async rename(name, to) {
      if (!(await isAccepted(`RNFR ${name}`))) return 'refused';
      return (await isAccepted(`RNTO ${to}`)) ? 'renamed' : 'exists';
    },
    async remove(name) {
      await client.remove(name, true);
    },
    isRefusedName: isRefused,
  };
}

const OTHER_ADDRESS = /PASV returned another host \(([-\d.]{1,64})\)/;
const NO_CONNECTION =
  /^None of the available transfer strategies work\. Last error response was '(?:\w*Error: )?(.*)'\.$/;

/** Replaces messages of the library about the data connection, which are written for developers. */
function passiveProblem(error: unknown): Error | undefined {
  const message = error instanceof Error ? error.message : '';
  const [, address] = OTHER_ADDRESS.exec(message) ?? [];
  if (address !== undefined)
    return new Error(
      `The server names another address than its own for files: ${address}. ` +
        'Ask its administrators to correct its passive address (PASV), or to allow EPSV.',
    );
  const [, cause] = NO_CONNECTION.exec(message) ?? [];
  if (cause === undefined) return undefined;
  return new Error(`The server did not open a passive connection for files (EPSV or PASV): ${cause}`);
}
