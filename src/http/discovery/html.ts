/* HTML documents. */

/** An element without content, as in https://html.spec.whatwg.org/multipage/syntax.html#void-elements. */
export function emptyElement(name: 'img' | 'link' | 'meta', attributes: Readonly<Record<string, string>>): string {
  return startTag(name, attributes);
}

export function startTag(name: string, attributes: Readonly<Record<string, string>>): string {
  const written = Object.entries(attributes).map(([attribute, value]) => ` ${attribute}="${escapeText(value)}"`);
  return `<${name}${written.join('')}>`;
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** For texts, and for attributes in double quotation marks. */
export function escapeText(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => ESCAPES[character] ?? '');
}
