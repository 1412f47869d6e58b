/*
 * HTML as text (https://html.spec.whatwg.org/multipage/syntax.html): whatever is put into it is escaped here, and nowhere else.
 */

/** Text that is HTML already. */
export type Html = string & { readonly html: unique symbol };

/** What is undefined is left out; what is empty is there without a value. */
export type Attributes = Readonly<Record<string, string | number | undefined>>;

/** Elements that have no content, and no end. */
const VOID = new Set(['img', 'link', 'meta']);

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** An element, its attributes and what is in it: texts are escaped, HTML is taken as it is. */
export function element(name: string, attributes: Attributes, ...content: readonly Html[]): Html {
  const written = Object.entries(attributes).flatMap(([attribute, value]) =>
    value === undefined ? [] : [` ${attribute}="${escapeText(String(value))}"`],
  );
  const start = `<${name}${written.join('')}>`;
  return trusted(VOID.has(name) ? start : `${start}${content.join('')}</${name}>`);
}

/** A text to be read. */
export function textOf(text: string): Html {
  return trusted(escapeText(text));
}

/** For what is HTML by how it was made. */
export function trusted(html: string): Html {
  return html as Html;
}

function escapeText(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => ESCAPES[character] ?? '');
}
