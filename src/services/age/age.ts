import { createRequire } from 'node:module';
import type * as age from 'age-encryption';
import { Failure } from '../../domain/failure.ts';

/* Encryption to age recipients (https://age-encryption.org): the service can encrypt backups, and not decrypt them. */

/** Sizes of the format, in bytes: https://github.com/C2SP/C2SP/blob/main/age.md */
const NONCE = 16;
const TAG = 16;
const CHUNK = 64 * 1024;

const MAX_RECIPIENTS = 20;

const require = createRequire(import.meta.url);

/** Loaded on demand, because loading it takes time; synchronously, because settings are read so. */
function loadAge(): typeof age {
  return require('age-encryption') as typeof age;
}

/** Reads recipients, separated by commas. @returns undefined if one is invalid */
export function readRecipients(text: string): readonly string[] | undefined {
  const recipients = [...new Set(text.split(',').map((each) => each.trim()))].toSorted();
  return recipients.length <= MAX_RECIPIENTS && recipients.every(isRecipient) ? recipients : undefined;
}

function isRecipient(text: string): boolean {
  // Those of hardware keys could not be restored by this program.
  if (!/^age1(?!tag)[a-z\d]+$/.test(text)) return false;
  try {
    new (loadAge().Encrypter)().addRecipient(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Reads the identities in the text of a key file, which may have comments.
 * @throws Failure `invalid-input` without one; its message has no part of the text
 */
export function readIdentities(text: string): readonly string[] {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const identities = lines.filter((line) => line !== '' && !line.startsWith('#'));
  const isValid = identities.length > 0 && identities.length <= MAX_RECIPIENTS && identities.every(isIdentity);
  if (!isValid) throw new Failure('invalid-input', 'This is not an age identity. It begins with AGE-SECRET-KEY-1.');
  return identities;
}

function isIdentity(text: string): boolean {
  try {
    new (loadAge().Decrypter)().addIdentity(text);
    return true;
  } catch {
    return false;
  }
}

/** A new identity, and the recipient that belongs to it. */
export async function newKey(): Promise<{ identity: string; recipient: string }> {
  const { generateX25519Identity, identityToRecipient } = loadAge();
  const identity = await generateX25519Identity();
  return { identity, recipient: await identityToRecipient(identity) };
}

/** Encrypts files to recipients. */
export class Sealer {
  readonly recipients: readonly string[];
  #emptyBytes: number | undefined;

  constructor(recipients: readonly string[]) {
    this.recipients = recipients;
  }

  async seal(bytes: Uint8Array): Promise<Uint8Array> {
    const encrypter = new (loadAge().Encrypter)();
    for (const recipient of this.recipients) encrypter.addRecipient(recipient);
    return encrypter.encrypt(bytes);
  }

  /** The size of the content of an encrypted file: the header has the same size for the same recipients. */
  async contentBytes(sealedBytes: number): Promise<number> {
    this.#emptyBytes ??= (await this.seal(new Uint8Array())).byteLength;
    const headerBytes = this.#emptyBytes - NONCE - TAG;
    const payloadBytes = sealedBytes - headerBytes - NONCE;
    return payloadBytes - TAG * Math.ceil(payloadBytes / (CHUNK + TAG));
  }
}

/** Decrypts files with identities. */
export class Opener {
  readonly #identities: readonly string[];

  constructor(identities: readonly string[]) {
    this.#identities = identities;
  }

  /** @returns undefined if the file is damaged, or no identity fits */
  async open(bytes: Uint8Array): Promise<Uint8Array | undefined> {
    const decrypter = new (loadAge().Decrypter)();
    for (const identity of this.#identities) decrypter.addIdentity(identity);
    try {
      return await decrypter.decrypt(bytes);
    } catch {
      return undefined;
    }
  }
}
