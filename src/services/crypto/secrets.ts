import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  hash,
  timingSafeEqual,
} from 'node:crypto';
import type { Signer } from '../../domain/ports.ts';
import type { KeySecrets } from '../../domain/request-claim.ts';
import type { Tokens } from '../../domain/accounts/ports.ts';

const TOKEN_BYTES = 32;
const ID_BYTES = 12;

/** 32 characters, so that each is as likely as the others. Without i, l, o and u, which are mistaken for others. */
const CODE_ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const CODE_GROUPS = 4;
const GROUP_LENGTH = 6;

/** Opaque random tokens. Only their digests are stored. */
export const tokens: Tokens = {
  create: () => randomBytes(TOKEN_BYTES).toString('base64url'),
  createId: () => randomBytes(ID_BYTES).toString('hex'),
  // A fast hash is enough: 256 random bits cannot be guessed, unlike a password.
  digest: (token) => hash('sha256', token, 'base64url'),
  createCode: () => Array.from({ length: CODE_GROUPS }, createGroup).join('-'),
};

function createGroup(): string {
  return Array.from(randomBytes(GROUP_LENGTH), (byte) => CODE_ALPHABET[byte % CODE_ALPHABET.length]).join('');
}

/** HMAC with SHA-256. */
export const signer: Signer = {
  sign: (key, text) => signatureOf(key, text).toString('base64url'),
  isSigned(key, text, signature) {
    const [expected, given] = [signatureOf(key, text), Buffer.from(signature, 'base64url')];
    return given.byteLength === expected.byteLength && timingSafeEqual(given, expected);
  },
};

function signatureOf(key: string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Derives three independent keys from an idempotency key (HKDF, RFC 5869): to identify it, to compare requests, and to
 * encrypt responses. They are as hard to guess as the idempotency key itself.
 */
export const keySecrets: KeySecrets = {
  of(scope, key) {
    const all = Buffer.from(hkdfSync('sha256', key, scope, 'menagerie idempotency key', 3 * KEY_BYTES));
    const [name, comparing, sealing] = [0, 1, 2].map((place) =>
      all.subarray(place * KEY_BYTES, (place + 1) * KEY_BYTES),
    );
    if (name === undefined || comparing === undefined || sealing === undefined) throw new Error('Too few bytes.');
    return {
      digest: name.toString('base64url'),

      fingerprintOf: (content) => createHmac('sha256', comparing).update(content).digest('base64url'),

      seal(text) {
        const nonce = randomBytes(NONCE_BYTES);
        const cipher = createCipheriv(CIPHER, sealing, nonce);
        const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final()]);
        return Buffer.concat([sealed, cipher.getAuthTag()]).toString('base64');
      },

      open(sealed) {
        const bytes = Buffer.from(sealed, 'base64');
        const end = bytes.byteLength - TAG_BYTES;
        const decipher = createDecipheriv(CIPHER, sealing, bytes.subarray(0, NONCE_BYTES));
        decipher.setAuthTag(bytes.subarray(end));
        return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, end)), decipher.final()]).toString('utf8');
      },
    };
  },
};
