import { spawnSync } from 'node:child_process';

/*
 * XML as others read it: the parser that comes with Python (expat), which knows nothing of ours.
 */

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

/** Why there is no such reader on this machine, if there is none. */
export const noXmlReader =
  spawnSync('python3', ['-c', 'import xml.etree.ElementTree']).status !== 0 &&
  'there is no python3 with its XML parser';

/** Each document as it reads it; null for what it does not take for XML. */
export function readByOthers(documents: readonly string[]): (ReadElement | null)[] {
  const { stdout, status, stderr } = spawnSync('python3', ['-c', SCRIPT], {
    input: JSON.stringify(documents),
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as (ReadElement | null)[];
}
