/*
 * The characters of XML 1.0 (https://www.w3.org/TR/xml/#charsets). JSON allows more: most control characters, U+FFFE
 * and U+FFFF.
 */

const FOREIGN = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;

/** Whether the text has a character that XML does not allow, not even as a reference. */
export function hasForeignCharacters(text: string): boolean {
  return FOREIGN.test(text);
}

/** A carriage return must be escaped, because it would be read as a line feed. */
const TO_WRITE = new RegExp(`[&<>\\r]|${FOREIGN.source}`, 'gu');

const WRITTEN: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;' };

/** Escapes text content. U+FFFD replaces characters that XML does not allow. */
export function writtenText(text: string): string {
  return text.replaceAll(TO_WRITE, (character) => WRITTEN[character] ?? '\uFFFD');
}

const NAMED: ReadonlyMap<string, string> = new Map(
  Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }),
);

/** Resolves references; undefined if one is not defined without a DOCTYPE. */
export function withoutReferences(text: string): string | undefined {
  if (!text.includes('&')) return text;
  let isKnown = true;
  const read = text.replaceAll(/&([^;]*);?/g, (_all, name: string) => {
    const character = NAMED.get(name) ?? numberedCharacter(name);
    isKnown &&= character !== undefined;
    return character ?? '';
  });
  return isKnown ? read : undefined;
}

function numberedCharacter(reference: string): string | undefined {
  const [, hexadecimal, decimal] = /^#(?:x([\dA-Fa-f]+)|(\d+))$/.exec(reference) ?? [];
  const codePoint = hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16);
  if (!(codePoint <= 0x10ffff)) return undefined;
  const character = String.fromCodePoint(codePoint);
  return hasForeignCharacters(character) ? undefined : character;
}
