import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import SftpClient from 'ssh2-sftp-client';
import type { UploadedFile } from '../domain/listing-uploads.ts';
import { replaceFile, type RemoteFolder } from './replacing.ts';
import type { UploadTarget } from './upload-url.ts';

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
    for (const file of files) await replaceFile(folderOf(client, folder), file);
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

/** `SSH_FX_NO_SUCH_FILE`, `SSH_FX_PERMISSION_DENIED` and `SSH_FX_OP_UNSUPPORTED`. */
const REFUSALS: readonly unknown[] = [2, 3, 8];

/** `SSH_FX_FAILURE`, also of a full disk, and `SSH_FX_FILE_ALREADY_EXISTS`. */
const EXISTS: readonly unknown[] = [4, 11];

/** The error of the library for a server without the rename that replaces a file. */
const NO_EXTENSION = /does not support this extended request/;

/** Undefined without an answer of the server, as after a lost connection. */
function statusOf(error: unknown): number | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'number' ? error.code : undefined;
}

function folderOf(client: SftpClient, folder: string): RemoteFolder {
  const inFolder = (file: string) => (folder === '' ? file : `${folder}/${file}`);
  return {
    async store(name, text) {
      await client.put(Buffer.from(text), inFolder(name), { writeStreamOptions: { mode: 0o644 } });
    },
    async rename(name, to) {
      try {
        await client.posixRename(inFolder(name), inFolder(to));
        return 'renamed';
      } catch (error) {
        const isMissing = error instanceof Error && NO_EXTENSION.test(error.message);
        if (statusOf(error) === undefined && !isMissing) throw error;
      }
      try {
        await client.rename(inFolder(name), inFolder(to));
        return 'renamed';
      } catch (error) {
        if (REFUSALS.includes(statusOf(error))) return 'refused';
        if (EXISTS.includes(statusOf(error))) return 'exists';
        throw error;
      }
    },
    async remove(name) {
      await client.delete(inFolder(name), true).catch((error: unknown) => {
        if (statusOf(error) === undefined) throw error;
      });
    },
    isRefusedName: (error) => REFUSALS.includes(statusOf(error)),
  };
}
