import { XMLParser } from 'fast-xml-parser';
import { Failure } from '../../domain/failure.ts';
import { hasForeignCharacters, withoutReferences } from './characters.ts';

/** An element as far as it matters here: attributes, prefixes, comments and processing instructions do not. */
export interface XmlElement {
  name: string;
  /** All text that stands directly in it, as it is: nothing is trimmed, and nothing taken for a number. */
  text: string;
  children: readonly XmlElement[];
}

/** A pet with everything has about 500. The parser takes a sixth of a second for the 200,000 that a body can hold, measured. */
const MAX_ELEMENTS = 10_000;
const MAX_DEPTH = 20;

/** Names that the parser refuses, because its results are plain objects. To us they are elements like others that nobody asked for. */
const REFUSED_NAMES = new Set(['__proto__', 'constructor', 'prototype']);

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: true,
  removeNSPrefix: true,
  parseTagValue: false,
  trimValues: false,
  // The parser decodes either no reference at all or too many, and some not (`&#39;`); see characters.ts.
  processEntities: false,
  // In a CDATA section `&amp;` is five characters, so it must be told apart from text.
  cdataPropName: '#cdata',
  ignoreDeclaration: true,
  // Depth is looked at below, with a sentence of its own.
  maxNestedTags: MAX_ELEMENTS,
  jPath: false,
  transformTagName: (name) => (REFUSED_NAMES.has(name) ? 'other' : name),
});

/**
 * Reads an XML document, and gives its root. There are no entities but the five that XML has itself: a DOCTYPE is refused unread.
 *
 * @throws Failure `invalid-input`, in a sentence that repeats nothing of the document
 */
export function readXml(document: string): XmlElement {
  if (hasForeignCharacters(document)) throw malformed();
  const nodes = parse(withoutAsides(document));
  const [root, ...others] = elementsOf(nodes);
  if (root === undefined || others.length > 0 || nodes.some((node) => '#cdata' in node)) throw malformed();
  return root;
}

/** What is neither an element nor text. Each begins where it stands, and nothing else may begin with `<!` or `<?`. */
const ASIDE = /<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<\?[\s\S]*?\?>|<!DOCTYPE|<[!?]?/g;

/** Takes comments, processing instructions and the declaration away: the parser takes long for them, and looks at them less closely than XML wants. */
function withoutAsides(document: string): string {
  const kept: string[] = [];
  let keptTo = 0;
  let tags = 0;
  // One by one: `replaceAll` finds all before it asks about the first, and looks for the end of 250,000 open comments, each to the end of the body.
  for (const { 0: aside, index } of document.matchAll(ASIDE)) {
    if (aside === '<') {
      if (++tags > 2 * MAX_ELEMENTS)
        throw new Failure('invalid-input', `The XML has more than ${MAX_ELEMENTS} elements.`);
    } else if (!aside.startsWith('<![')) {
      refuseAside(aside, index);
      kept.push(document.slice(keptTo, index));
      keptTo = index + aside.length;
    }
  }
  return kept.join('') + document.slice(keptTo);
}

function refuseAside(aside: string, index: number): void {
  if (aside === '<!DOCTYPE')
    throw new Failure('invalid-input', 'The XML has a document type declaration (DOCTYPE). Send it without one.');
  const isOpen = aside === '<!' || aside === '<?';
  if (isOpen || (/^<\?xml\s/i.test(aside) && index > 0)) throw malformed();
  demandUtf8(aside);
}

/** Of the declaration. */
function demandUtf8(aside: string): void {
  const encoding = /^<\?xml\s(?:[^>]*\s)?encoding\s*=\s*["']([^"']*)["']/.exec(aside)?.[1];
  if (encoding !== undefined && !/^(?:utf-8|us-ascii)$/i.test(encoding))
    throw new Failure('unsupported-media-type', 'Send the body in UTF-8.');
}

type Node = Readonly<Record<string, unknown>>;

function parse(document: string): readonly Node[] {
  // The parser passes over text behind the root.
  if (!document.trimEnd().endsWith('>')) throw malformed();
  try {
    return parser.parse(document, true) as readonly Node[];
  } catch {
    // What it says quotes the document.
    throw malformed();
  }
}

/** The elements among the nodes, with what is in them. */
function elementsOf(nodes: readonly Node[], depth = 1): XmlElement[] {
  if (depth > MAX_DEPTH) throw new Failure('invalid-input', `The XML is nested deeper than ${MAX_DEPTH} elements.`);
  return nodes.flatMap((node) => {
    const [name = ''] = Object.keys(node);
    if (name.startsWith('#')) return [];
    const inside = node[name] as readonly Node[];
    return [{ name, text: inside.map(textOf).join(''), children: elementsOf(inside, depth + 1) }];
  });
}

function textOf(node: Node): string {
  const cdata = node['#cdata'] as readonly Node[] | undefined;
  if (cdata !== undefined) return cdata.map((part) => part['#text'] as string).join('');
  const text = withoutReferences((node['#text'] as string | undefined) ?? '');
  if (text === undefined) throw malformed();
  return text;
}

function malformed(): Failure {
  return new Failure('invalid-input', 'The body is not well-formed XML.');
}
