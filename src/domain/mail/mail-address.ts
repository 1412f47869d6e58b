export const ADDRESS_RULE = 'must be an e-mail address such as ada@example.org';

const MAX_LENGTH = 254;

/** The unquoted characters of RFC 5322, section 3.2.3, in ASCII: many servers accept no others. */
const LOCAL_PART = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
const MAX_LOCAL_LENGTH = 64;

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
    text.length <= MAX_LENGTH &&
    local.length <= MAX_LOCAL_LENGTH &&
    LOCAL_PART.test(local) &&
    domain.split('.').every((label) => LABEL.test(label))
  );
}
