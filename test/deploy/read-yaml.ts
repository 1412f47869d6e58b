import { parsers } from 'prettier/plugins/yaml';

/*
 * Reads the subset of YAML that the Compose files and the workflows use. The parser is that of prettier, which is installed already.
 */

/** A node of prettier's tree, with the fields that are used here. */
interface Node {
  type: string;
  value?: string;
  anchor?: { value: string } | null;
  children?: readonly (Node | null)[];
}

/** Scalars stay text: Compose converts most of them to text as well. */
export type Yaml = string | undefined | readonly Yaml[] | { readonly [key: string]: Yaml };

/** @throws Error for syntax that these files do not use */
export async function readYaml(text: string): Promise<Yaml> {
  const anchors = new Map<string, Yaml>();

  function read(node: Node | null | undefined): Yaml {
    if (node === null || node === undefined) return undefined;
    const value = valueOf(node);
    if (node.anchor) anchors.set(node.anchor.value, value);
    return value;
  }

  function keyOf(item: Node | null): string {
    const key = read(item?.children?.[0]);
    if (typeof key !== 'string') throw new Error('Only text is supported as a key.');
    return key;
  }

  function valueOf({ type, value, children = [] }: Node): Yaml {
    switch (type) {
      case 'plain':
      case 'quoteSingle':
      case 'quoteDouble':
      case 'blockLiteral':
        return value ?? '';
      case 'alias':
        if (!anchors.has(value ?? '')) throw new Error(`Unknown anchor ${value}.`);
        return anchors.get(value ?? '');
      case 'mapping':
      case 'flowMapping':
        return Object.fromEntries(children.map((item) => [keyOf(item), read(item?.children?.[1])]));
      case 'sequence':
      case 'flowSequence':
        return children.map(read);
      case 'root':
      case 'document':
      case 'documentBody':
      case 'mappingKey':
      case 'mappingValue':
      case 'sequenceItem':
      case 'flowMappingItem':
      case 'flowSequenceItem':
        return read(children.findLast((child) => child !== null && child.type !== 'documentHead'));
      default:
        throw new Error(`Unsupported YAML node: ${type}.`);
    }
  }

  // The parser ignores its options.
  return read((await parsers.yaml.parse(text, {} as never)) as Node);
}
