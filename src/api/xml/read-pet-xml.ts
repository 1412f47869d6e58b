import { Failure, invalidInput } from '../../domain/failure.ts';
import { readXml, type XmlElement } from './read-xml.ts';

/*
 * From a pet in XML to the value that its schema checks, the same as from JSON. What cannot be right is passed on as what it is, for the schema
 * knows the words for it.
 */

/** @param path where the element stands, for the messages */
type Read = (element: XmlElement, path: string) => unknown;

/** Text as it is, spaces and all. */
const text: Read = ({ text, children }) => (children.length === 0 ? text : {});

/** A number or a word of a list: spaces around it mean nothing, and empty it is not there. */
const word: Read = ({ text, children }) => (children.length === 0 ? text.trim() || null : {});

/** The items of a list have different names in different clients (tag, Tag, tags): whatever stands in a list is an item. */
function list(item: Read): Read {
  return (element, path) =>
    onlyText(element, path) ?? element.children.map((child, index) => item(child, `${path}/${index}`));
}

function record(fields: Readonly<Record<string, Read>>): Read {
  return (element, path) => {
    const alone = onlyText(element, path);
    if (alone !== undefined) return alone;
    const value: Record<string, unknown> = {};
    for (const child of element.children) {
      const name = fieldNameOf(child);
      const read = Object.hasOwn(fields, name) ? fields[name] : undefined;
      if (read === undefined) continue;
      const place = `${path}/${name}`;
      if (Object.hasOwn(value, name)) throw invalidInput([{ path: place, message: 'is there more than once' }]);
      value[name] = read(child, place);
    }
    return value;
  };
}

const label = record({ id: word, name: text });

const pet = record({
  id: word,
  category: label,
  name: text,
  photoUrls: list(text),
  // With text alone, a tag is its name.
  tags: list(label),
  status: word,
});

/** @throws Failure `invalid-input` where it is no XML, or cannot be a pet */
export function readPetXml(document: string): unknown {
  const root = readXml(document);
  if (fieldNameOf(root) !== 'pet') throw new Failure('invalid-input', 'The root element must be Pet.');
  if (root.children.length === 0)
    throw new Failure('invalid-input', 'The root element must have an element for each field of the pet.');
  return pet(root, '');
}

/** Clients write Category as well as category, as their own classes have it. */
function fieldNameOf({ name }: XmlElement): string {
  return name.slice(0, 1).toLowerCase() + name.slice(1);
}

/** The text of an element that has no others; undefined where there is none but what lays elements out. */
function onlyText({ text, children }: XmlElement, path: string): string | undefined {
  if (text.trim() === '') return undefined;
  if (children.length > 0) throw invalidInput([{ path, message: 'has text between its elements' }]);
  return text;
}
