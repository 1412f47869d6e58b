import { hash, randomBytes } from 'node:crypto';
import type { Tokens } from '../../domain/accounts/ports.ts';

const TOKEN_BYTES = 32;
const ID_BYTES = 12;

/** Opaque tokens: nothing can be read out of them, and what is stored is no token. */
export const tokens: Tokens = {
  create: () => randomBytes(TOKEN_BYTES).toString('base64url'),
  createId: () => randomBytes(ID_BYTES).toString('hex'),
  // A fast hash is right here: 256 random bits cannot be guessed, unlike a password.
  digest: (token) => hash('sha256', token, 'base64url'),
};
