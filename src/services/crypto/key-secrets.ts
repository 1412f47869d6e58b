import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { KeySecrets } from '../../domain/idempotency/request-claim.ts';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Three keys come from an idempotency key, none of which tells of the others (HKDF, RFC 5869): one that it is known by, one by which requests are
 * compared, one with which answers are sealed. As hard to guess as the idempotency key itself, and no harder.
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
