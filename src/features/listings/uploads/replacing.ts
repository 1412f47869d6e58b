import type { UploadedFile } from '../domain/listing-uploads.ts';

/** The folder of a site, over one protocol. Each function throws what the server said. */
export interface RemoteFolder {
  store(name: string, text: string): Promise<void>;
  /** `exists` if the server may only want the other name to be free. */
  rename(name: string, to: string): Promise<'renamed' | 'exists' | 'refused'>;
  /** Does nothing if the server refuses it. */
  remove(name: string): Promise<void>;
  /** Whether the server may accept the same file with another name. */
  isRefusedName(error: unknown): boolean;
}

/**
 * Stores a file under another name that is changed at the end, so that the server never has half a file. Where it
 * refuses that, the file is stored under its own name.
 */
export async function replaceFile(folder: RemoteFolder, { name, text }: UploadedFile): Promise<void> {
  const temporary = temporaryName(name);
  try {
    await folder.store(temporary, text);
  } catch (error) {
    if (!folder.isRefusedName(error)) throw error;
    await folder.store(name, text);
    return;
  }
  if (await isMoved(folder, temporary, name)) return;
  await folder.store(name, text);
  await folder.remove(temporary);
}

async function isMoved(folder: RemoteFolder, temporary: string, name: string): Promise<boolean> {
  const outcome = await folder.rename(temporary, name);
  if (outcome !== 'exists') return outcome === 'renamed';
  // Some servers do not replace a file.
  await folder.remove(name);
  return (await folder.rename(temporary, name)) === 'renamed';
}

/** The name of a file until it is complete: hidden on servers with Unix, and not that of a table. */
function temporaryName(name: string): string {
  return `.${name}.part`;
}
