import { parsers } from 'prettier/plugins/yaml';

/*
 * As much of YAML as the Compose files use, by the parser that formats them: prettier is here already, a YAML library is not.
 */

/** A node of prettier's tree, as far as it is of use here. */
interface Node {
  type: string;
  value?: string;
  anchor?: { value: string } | null;
  children?: readonly (Node | null)[];
}

/** Scalars stay text, as they stand there: Compose makes text of most of them as well. */
export type Yaml = string | undefined | readonly Yaml[] | { readonly [key: string]: Yaml };

/** @throws Error for what these files have no need of */
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
    if (typeof key !== 'string') throw new Error('Only text is a key here.');
    return key;
  }

  function valueOf({ type, value, children = [] }: Node): Yaml {
    switch (type) {
      case 'plain':
      case 'quoteSingle':
      case 'quoteDouble':
        return value ?? '';
      case 'alias':
        if (!anchors.has(value ?? '')) throw new Error(`There is no anchor ${value}.`);
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
        throw new Error(`YAML of the kind ${type} is not read here.`);
    }
  }

  // The options are of no use to this parser.
  return read((await parsers.yaml.parse(text, {} as never)) as Node);
}
