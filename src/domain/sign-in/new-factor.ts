import type { Factor, LoggedIn } from '../access.ts';
import { FACTOR_LIMITS } from '../accounts/factors.ts';
import type { Tokens } from '../accounts/ports.ts';
import { canonicalCode } from './code-check.ts';

/** Recovery codes, and the digests that are stored. A fast hash is enough: 120 random bits cannot be guessed. */
export function newRecoveryCodes(tokens: Tokens) {
  const codes = Array.from({ length: FACTOR_LIMITS.recoveryCodes }, () => tokens.createCode());
  return { codes, digests: codes.map((code) => tokens.digest(canonicalCode(code))) };
}

/** The session after its owner has proved to have this factor as well. */
export function provedWith({ session }: LoggedIn, factor: Factor) {
  return { digest: session.digest, factors: [...new Set([...session.proof.factors, factor])] };
}
