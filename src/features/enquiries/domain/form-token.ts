import { Failure, invalidInput } from '../../../domain/failure.ts';
import type { Signer } from '../../../domain/ports.ts';

/*
 * A form has a token: the time when it was loaded, the pet, a random text, and a signature of these. Programs that do
 * not load the form have no token, and programs that send it immediately are faster than a person.
 */

/** A person needs longer to write a message. */
export const MIN_FORM_MS = 3000;

/** Pages stay open for hours. */
export const MAX_FORM_MS = 24 * 3_600_000;

/** Tolerated difference between the clocks of nodes. */
const MAX_CLOCK_DIFFERENCE_MS = 5 * 60_000;

const TOKEN = /^(?<issued>\d{1,15})\.(?<nonce>[0-9a-f]{24})\.(?<signature>[\w-]{43})$/;

export function createFormToken(signer: Signer, key: string, petId: bigint, nonce: string, nowMs: number): string {
  return `${nowMs}.${nonce}.${signer.sign(key, signedText(petId, String(nowMs), nonce))}`;
}

/**
 * @returns the random text, which identifies the form
 * @throws Failure `invalid-input` for a token that is no longer valid or belongs to another pet; `too-many-requests` if
 *   it was sent too fast
 */
export function requireFormToken(signer: Signer, key: string, petId: bigint, token: string, nowMs: number): string {
  const { issued = '', nonce = '', signature = '' } = TOKEN.exec(token)?.groups ?? {};
  if (!signer.isSigned(key, signedText(petId, issued, nonce), signature)) throw invalidToken();
  const ageMs = nowMs - Number(issued);
  if (ageMs > MAX_FORM_MS || ageMs < -MAX_CLOCK_DIFFERENCE_MS) throw invalidToken();
  // The form of a node whose clock is ahead would be too fast for minutes.
  if (ageMs >= 0 && ageMs < MIN_FORM_MS) throw tooFast(MIN_FORM_MS - ageMs);
  return nonce;
}

function signedText(petId: bigint, issued: string, nonce: string): string {
  return `${petId}.${issued}.${nonce}`;
}

function invalidToken(): Failure {
  return invalidInput([
    { path: '/token', message: 'is not the token of a current form for this pet: get the form again' },
  ]);
}

/** A limit of its client, as others: the same request succeeds later. */
function tooFast(leftMs: number): Failure {
  const retryAfterSeconds = Math.ceil(leftMs / 1000);
  const limit = { name: 'form', quota: 1, windowSeconds: MIN_FORM_MS / 1000 };
  const wait = retryAfterSeconds === 1 ? 'a second' : `${retryAfterSeconds} seconds`;
  const message = `The form was sent too fast. Try again in ${wait}.`;
  return new Failure('too-many-requests', message, { retryAfterSeconds, limit });
}
