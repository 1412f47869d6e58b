import { XMLParser } from 'fast-xml-parser';
import { Failure } from '../../domain/failure.ts';
import { hasForeignCharacters, withoutReferences } from './characters.ts';

/** An element without attributes, prefixes, comments and processing instructions. */
export interface XmlElement {
  name: string;
  /** Its own text, untrimmed. */
  text: string;
  children: readonly XmlElement[];
}

/**
 * The largest pet has about 500. The parser takes a sixth of a second for the 200,000 that a body can contain,
 * measured.
 */
const MAX_ELEMENTS = 10_000;
const MAX_DEPTH = 20;

/**
 * Names that the parser rejects, because its results are plain objects. Here they are unknown elements like any other.
 */
const REFUSED_NAMES = new Set(['__proto__', 'constructor', 'prototype']);

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: true,
  removeNSPrefix: true,
  parseTagValue: false,
  trimValues: false,
  // The parser decodes either no references, or too many and yet not all (`&#39;`); see characters.ts.
  processEntities: false,
  // In a CDATA section `&amp;` is five characters, so it must be distinguished from text.
  cdataPropName: '#cdata',
  ignoreDeclaration: true,
  // Depth is checked below, with its own message.
  maxNestedTags: MAX_ELEMENTS,
  jPath: false,
  transformTagName: (name) => (REFUSED_NAMES.has(name) ? 'other' : name),
});

/**
 * Reads an XML document. Only the five predefined entities are supported: a DOCTYPE is rejected unread.
 *
 * @returns the root
 * @throws Failure `invalid-input`, with a message that quotes nothing of the document
 */
export function readXml(document: string): XmlElement {
  if (hasForeignCharacters(document)) throw malformed();
  const nodes = parse(withoutAsides(document));
  const [root, ...others] = elementsOf(nodes);
  if (root === undefined || others.length > 0 || nodes.some((node) => '#cdata' in node)) throw malformed();
  return root;
}

/** Markup other than elements. Nothing else may begin with `<!` or `<?`. */
const ASIDE = /<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<\?[\s\S]*?\?>|<!DOCTYPE|<[!?]?/g;

/**
 * Strips comments, processing instructions and the declaration: the parser is slow on them, and less strict than XML
 * requires.
 */
function withoutAsides(document: string): string {
  const kept: string[] = [];
  let keptTo = 0;
  let tags = 0;
  // One by one: `replaceAll` finds all matches first, and would search the end of 250,000 open comments, each to the
  // end of the body.
  for (const { 0: aside, index } of document.matchAll(ASIDE)) {
    if (aside === '<') {
      if (++tags > 2 * MAX_ELEMENTS)
        throw new Failure('invalid-input', `The XML must have at most ${MAX_ELEMENTS} elements.`);
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
    throw new Failure('invalid-input', 'The XML must not have a document type declaration (DOCTYPE).');
  const isOpen = aside === '<!' || aside === '<?';
  if (isOpen || (/^<\?xml\s/i.test(aside) && index > 0)) throw malformed();
  requireUtf8(aside);
}

/** Checks the encoding of the declaration. */
function requireUtf8(aside: string): void {
  const encoding = /^<\?xml\s(?:[^>]*\s)?encoding\s*=\s*["']([^"']*)["']/.exec(aside)?.[1];
  if (encoding !== undefined && !/^(?:utf-8|us-ascii)$/i.test(encoding))
    throw new Failure('unsupported-media-type', 'The body must be in UTF-8.');
}

type Node = Readonly<Record<string, unknown>>;

function parse(document: string): readonly Node[] {
  // The parser ignores text after the root.
  if (!document.trimEnd().endsWith('>')) throw malformed();
  try {
    return parser.parse(document, true) as readonly Node[];
  } catch {
    // The message of the parser quotes the document.
    throw malformed();
  }
}

/** The elements among the nodes, with their content. */
function elementsOf(nodes: readonly Node[], depth = 1): XmlElement[] {
  if (depth > MAX_DEPTH) throw new Failure('invalid-input', `The XML must be nested at most ${MAX_DEPTH} levels deep.`);
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
