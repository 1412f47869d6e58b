import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const FORMAT = 'v1.';

/** Encrypts secrets for the database with a key that is elsewhere (AES-256-GCM, NIST SP 800-38D). */
export class SecretBox {
  readonly #key: Buffer;

  /** @param secret a text that cannot be guessed, from which the key is derived (HKDF, RFC 5869) */
  constructor(secret: string) {
    this.#key = Buffer.from(hkdfSync('sha256', secret, '', 'menagerie stored settings', KEY_BYTES));
  }

  /** @param name what is sealed: the result opens under the same name only, so it cannot be moved */
  seal(name: string, text: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, nonce).setAAD(Buffer.from(name));
    const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return FORMAT + sealed.toString('base64url');
  }

  /** Undefined if it was sealed with another key or under another name, or was changed. */
  open(name: string, sealed: string): string | undefined {
    if (!sealed.startsWith(FORMAT)) return undefined;
    const bytes = Buffer.from(sealed.slice(FORMAT.length), 'base64url');
    const end = bytes.byteLength - TAG_BYTES;
    if (end < NONCE_BYTES) return undefined;
    const decipher = createDecipheriv(CIPHER, this.#key, bytes.subarray(0, NONCE_BYTES));
    decipher.setAAD(Buffer.from(name)).setAuthTag(bytes.subarray(end));
    try {
      return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, end)), decipher.final()]).toString('utf8');
    } catch {
      return undefined;
    }
  }
}
