import { writtenText } from '../../api/xml/characters.ts';

/* XML documents for crawlers and feed readers. */

export const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';

export interface ElementContent {
  attributes?: Readonly<Record<string, string>>;
  text?: string;
}

export function xmlElement(name: string, { attributes = {}, text }: ElementContent): string {
  const written = Object.entries(attributes).map(([attribute, value]) => ` ${attribute}="${quoted(value)}"`);
  const start = `<${name}${written.join('')}`;
  return text === undefined ? `${start}/>` : `${start}>${writtenText(text)}</${name}>`;
}

function quoted(value: string): string {
  return writtenText(value).replaceAll('"', '&quot;');
}
