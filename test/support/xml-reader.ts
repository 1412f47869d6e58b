import { spawnSync } from 'node:child_process';

/* XML as another parser reads it: expat, which comes with Python. */

/** An element as `[name, text before its first child, children, text after it]`. */
export type ReadElement = [name: string, text: string, children: ReadElement[]];

const SCRIPT = `
import json, sys
import xml.etree.ElementTree as tree
def read(element):
    return [element.tag.rpartition('}')[2], element.text or '', [read(child) for child in element]]
def attempt(document):
    try:
        return read(tree.fromstring(document.encode('utf-8', 'surrogatepass')))
    except Exception:
        return None
json.dump([attempt(document) for document in json.load(sys.stdin)], sys.stdout)
`;

/** Why the parser is not available, or false. */
export const noXmlReader =
  spawnSync('python3', ['-c', 'import xml.etree.ElementTree']).status !== 0 &&
  'python3 with its XML parser is not installed';

/** Each document as the parser reads it; null if it is not well-formed. */
export function readByOthers(documents: readonly string[]): (ReadElement | null)[] {
  const { stdout, status, stderr } = spawnSync('python3', ['-c', SCRIPT], {
    input: JSON.stringify(documents),
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as (ReadElement | null)[];
}
