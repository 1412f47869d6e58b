import { isMailAddress } from '../mail/mail-address.ts';
import { emailKey } from '../mail/mail.ts';

/**
 * The key by which the addresses of persons are compared. The domain is in ASCII: messages to `ada@bücher.example`, to
 * its form with `xn--`, and to one with wide letters arrive in the same mailbox.
 */
export function personKey(email: string): string {
  if (!isMailAddress(email)) return emailKey(email);
  const at = email.indexOf('@') + 1;
  const domain = email.slice(at);
  return emailKey(email.slice(0, at) + (URL.parse(`http://${domain}`)?.hostname ?? domain));
}

/**
 * The key by which messages to a mailbox are counted. Most servers deliver `ada+shelter@example.org` to
 * `ada@example.org`, so that one person could otherwise get any number of messages (RFC 5233).
 */
export function mailboxKey(email: string): string {
  return personKey(email).replace(/^([^@+]+)\+[^@]*/, '$1');
}
