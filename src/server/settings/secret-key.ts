import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { link, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure, unusable } from '../../domain/failure.ts';
import type { Secrets } from '../../domain/settings/ports.ts';
import { SecretBox } from '../../services/crypto/secret-box.ts';
import { flushFolder } from '../../storage/files/durable-file.ts';
import type { StorePlaces } from '../configuration/config.ts';
import { reasonOfFileError } from '../system/system-errors.ts';

/** In the data folder, and in no backup. */
export const SECRET_KEY_FILE = 'secret-key';

const KEY_BYTES = 32;
const OWNER_ONLY = 0o600;

const NO_KEY =
  'Secrets are stored encrypted, and the operator has not set the key: set MENAGERIE_SECRET_KEY to the same text on ' +
  'each node, such as one of: openssl rand -base64 32';

/**
 * Secrets under the key of the installation: that of the setting, or of a file in the data folder, which is created
 * when the first secret is stored. Nodes on PostgreSQL have a folder each, and need the setting.
 */
export class StoredSecrets implements Secrets {
  readonly #places: StorePlaces;
  #box: SecretBox | undefined;

  constructor(places: StorePlaces) {
    this.#places = places;
    if (places.secretKey !== undefined) this.#box = new SecretBox(places.secretKey);
    else if (places.isEphemeral === true) this.#box = new SecretBox(newKey());
  }

  /** Whether there is a key, which may be another one than the secrets were stored with. */
  get hasKey(): boolean {
    return this.#findBox() !== undefined;
  }

  async seal(name: string, text: string): Promise<string> {
    return (this.#findBox() ?? (await this.#createBox())).seal(name, text);
  }

  open(name: string, sealed: string): string | undefined {
    return this.#findBox()?.open(name, sealed);
  }

  #findBox(): SecretBox | undefined {
    if (this.#box === undefined && this.#places.database === undefined) {
      const key = readKey(join(this.#places.dataDir, SECRET_KEY_FILE));
      if (key !== undefined) this.#box = new SecretBox(key);
    }
    return this.#box;
  }

  async #createBox(): Promise<SecretBox> {
    if (this.#places.database !== undefined) throw new Failure('conflict', NO_KEY);
    const path = join(this.#places.dataDir, SECRET_KEY_FILE);
    await createKey(this.#places.dataDir);
    const box = this.#findBox();
    if (box === undefined) throw unusable(`The key of stored secrets cannot be read: ${path}.`);
    return box;
  }
}

function newKey(): string {
  return randomBytes(KEY_BYTES).toString('base64url');
}

/** A file that cannot be read counts as missing, so that the service starts. */
function readKey(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

/** Durable before the first secret is. An existing file is never replaced. */
async function createKey(dataDir: string): Promise<void> {
  const path = join(dataDir, SECRET_KEY_FILE);
  const temporaryPath = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    await writeFile(temporaryPath, `${newKey()}\n`, { flag: 'wx', mode: OWNER_ONLY, flush: true });
    await link(temporaryPath, path);
    await flushFolder(dataDir);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return;
    const reason = reasonOfFileError(error);
    if (reason === undefined) throw error;
    throw unusable(`The key of stored secrets cannot be created in ${dataDir} (${reason}).`);
  } finally {
    await rm(temporaryPath, { force: true });
  }
}
