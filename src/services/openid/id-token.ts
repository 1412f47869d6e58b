import type { IDToken } from 'openid-client';

/** As the library tolerates for `exp` and `nbf`. */
const TOLERANCE_SECONDS = 30;

/** At most 255 ASCII characters (OpenID Connect Core 1.0, section 2). An empty one would be the same for everyone. */
const SUBJECT = /^[\x20-\x7E]{1,255}$/;

/**
 * Checks claims of an ID token that the library accepts.
 * @returns what is wrong, for the log
 */
export function findTokenFault({ sub, iat, auth_time: loginAt }: IDToken, nowMs: number): string | undefined {
  if (!SUBJECT.test(sub) || sub.trim() === '') return 'the subject is empty, too long or not ASCII';
  const latest = nowMs / 1000 + TOLERANCE_SECONDS;
  if (iat > latest) return 'the ID token was issued in the future: is one of the clocks wrong?';
  if (loginAt !== undefined && !(typeof loginAt === 'number' && loginAt <= latest))
    return 'the login of the ID token is in the future: is one of the clocks wrong?';
  return undefined;
}
