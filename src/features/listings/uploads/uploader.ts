import type { UploadedFile } from '../domain/listing-uploads.ts';
import type { UploadTarget } from './upload-url.ts';

/**
 * Uploads files. Loads the library of the protocol on first use.
 *
 * @throws Error with what the server said
 */
export async function uploadFiles(
  target: UploadTarget,
  files: readonly UploadedFile[],
  options: { timeoutMs: number; signal: AbortSignal },
): Promise<void> {
  options.signal.throwIfAborted();
  if (target.protocol === 'sftp') {
    const { uploadOverSftp } = await import('./sftp-uploader.ts');
    return uploadOverSftp(target, files, options);
  }
  const { uploadOverFtp } = await import('./ftp-uploader.ts');
  return uploadOverFtp(target, files, options);
}
