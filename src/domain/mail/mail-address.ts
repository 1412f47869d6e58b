export const ADDRESS_RULE = 'must be an e-mail address such as ada@example.org';

export const MAX_ADDRESS_LENGTH = 254;

/** The unquoted characters of RFC 5322, section 3.2.3, in ASCII: many servers accept no others. */
const LOCAL_PART = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
const MAX_LOCAL_LENGTH = 64;

/** Top-level names that exist in one machine or network, or nowhere (RFC 6761, 6762, 7686, 8375, 9476; `.internal`). */
const LOCAL_NAMES: ReadonlySet<string> = new Set(
  'alt arpa example internal invalid local localhost onion test'.split(' '),
);

/** The last label of an IP address. */
const NUMBER = /^(?:\d+|0x[\da-f]*)$/;

/** Whether a host name can be one of the public internet. */
export function isPublicHost(host: string): boolean {
  const labels = host.toLowerCase().split('.');
  const last = labels.at(-1) ?? '';
  return labels.length > 1 && !LOCAL_NAMES.has(last) && !NUMBER.test(last);
}

/** A label of a domain name, also an internationalized one. */
const LABEL = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?$/u;

/**
 * Whether this is one plain e-mail address. Quotation marks, comments, names, lists, address literals and line breaks
 * are refused: a library that parses them may send a message to another address than the one that was checked.
 */
export function isMailAddress(text: string): boolean {
  const parts = text.split('@');
  const [local = '', domain = ''] = parts;
  return (
    parts.length === 2 &&
    text.length <= MAX_ADDRESS_LENGTH &&
    local.length <= MAX_LOCAL_LENGTH &&
    LOCAL_PART.test(local) &&
    domain.split('.').every((label) => LABEL.test(label))
  );
}

/**
 * The key by which persons are compared, everywhere: case counts nowhere, and the domain is in ASCII. Messages to
 * `ada@bücher.example`, to its form with `xn--`, and to one with wide letters arrive in the same mailbox.
 */
export function personKey(email: string): string {
  const key = email.normalize('NFC').toLowerCase();
  if (!isMailAddress(email)) return key;
  const at = key.indexOf('@') + 1;
  const domain = key.slice(at);
  const host = URL.parse(`http://${domain}`)?.hostname ?? domain;
  // A URL takes a domain such as 0x7f.1 for an IP address.
  return key.slice(0, at) + (NUMBER.test(host.split('.').at(-1) ?? '') ? domain : host);
}

/** The domain whose mail servers ignore dots before the @. */
const DOTLESS_DOMAIN = 'gmail.com';

const ALIASES: Readonly<Record<string, string>> = { 'googlemail.com': DOTLESS_DOMAIN };

/**
 * The key by which messages to a mailbox are counted. Most servers deliver `ada+shelter@example.org` to
 * `ada@example.org`, so that one person could otherwise get any number of messages (RFC 5233).
 */
export function mailboxKey(email: string): string {
  const [local = '', named = ''] = personKey(email).split('@');
  const domain = ALIASES[named] ?? named;
  const name = local.replace(/^([^+]+)\+.*$/, '$1');
  return `${domain === DOTLESS_DOMAIN ? name.replaceAll('.', '') : name}@${domain}`;
}
