import { Secret, TOTP } from 'otpauth';
import type { NewTotp } from '../../domain/sign-in/ports.ts';

const PERIOD_SECONDS = 30;

/** The length of the digests of SHA-1, which all apps support (RFC 4226, section 4). */
const SECRET_BYTES = 20;

/** The clock of a phone may differ, and a code may be sent just after its step. */
const WINDOW_STEPS = 1;

const SIX_DIGITS = /^\d{6}$/;

export function createTotp(site: string, username: string): NewTotp {
  const secret = new Secret({ size: SECRET_BYTES });
  const uri = totpOf(secret, { issuer: withoutColon(site), label: withoutColon(username) }).toString();
  return { secret: secret.base32, uri };
}

/**
 * A colon separates issuer and account, and apps refuse another one
 * (https://github.com/google/google-authenticator/wiki/Key-Uri-Format#label). The host may have a port, and user names
 * may have colons.
 */
function withoutColon(name: string): string {
  return name.replaceAll(':', '-');
}

export function stepOfCode(secret: string, code: string, atMs: number): number | undefined {
  const token = asciiDigitsIn(code);
  // The library compares bytes, and throws if there are more or fewer of them.
  if (!SIX_DIGITS.test(token)) return undefined;
  const totp = totpOf(Secret.fromBase32(secret));
  const delta = totp.validate({ token, timestamp: atMs, window: WINDOW_STEPS });
  return delta === null ? undefined : totp.counter({ timestamp: atMs }) + delta;
}

/** People type the digits of their keyboard and copy invisible marks. */
function asciiDigitsIn(code: string): string {
  return code
    .normalize('NFKC')
    .replaceAll(/[\s\p{Cf}]/gu, '')
    .replaceAll(/\p{Nd}/gu, asciiDigitOf);
}

/** The ten digits of each script are in a row, from zero to nine (Unicode Standard, section 4.6). */
function asciiDigitOf(digit: string): string {
  const at = digit.codePointAt(0) ?? 0;
  let before = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(at - before - 1))) before++;
  return String(before % 10);
}

function totpOf(secret: Secret, names: { issuer?: string; label?: string } = {}): TOTP {
  return new TOTP({ ...names, secret, algorithm: 'SHA1', digits: 6, period: PERIOD_SECONDS });
}
