import { Failure, invalidInput } from '../../domain/failure.ts';
import { readXml, type XmlElement } from './read-xml.ts';

/*
 * Converts a pet in XML to the same value as from JSON, which its schema then checks. Invalid values are passed on, so
 * that the schema reports them.
 */

/** @param path the path of the element, for messages */
type Read = (element: XmlElement, path: string) => unknown;

/** Text including white space. */
const text: Read = ({ text, children }) => (children.length === 0 ? text : {});

/** A number or an enum value, without the white space around it. An empty one is absent. */
const word: Read = ({ text, children }) => (children.length === 0 ? text.trim() || null : {});

/** Clients name the items of a list differently (tag, Tag, tags), so every element in a list is an item. */
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
      if (Object.hasOwn(value, name)) throw invalidInput([{ path: place, message: 'occurs more than once' }]);
      value[name] = read(child, place);
    }
    return value;
  };
}

/** The XML of Petstore has no profile. An empty element is absent. */
const noProfile: Read = ({ text, children }, path) => {
  if (children.length === 0 && text.trim() === '') return null;
  throw invalidInput([{ path, message: 'must be sent as JSON' }]);
};

const label = record({ id: word, name: text });

const pet = record({
  id: word,
  category: label,
  name: text,
  photoUrls: list(text),
  // A tag with text only is a name.
  tags: list(label),
  status: word,
  profile: noProfile,
});

/** @throws Failure `invalid-input` if it is not XML, or cannot be a pet */
export function readPetXml(document: string): unknown {
  const root = readXml(document);
  if (fieldNameOf(root) !== 'pet') throw new Failure('invalid-input', 'The root element must be Pet.');
  if (root.children.length === 0)
    throw new Failure('invalid-input', 'The root element must have an element for each field of the pet.');
  return pet(root, '');
}

/** Some clients write Category instead of category, after the names of their classes. */
function fieldNameOf({ name }: XmlElement): string {
  return name.slice(0, 1).toLowerCase() + name.slice(1);
}

/** The text of an element without child elements; undefined if there is only white space. */
function onlyText({ text, children }: XmlElement, path: string): string | undefined {
  if (text.trim() === '') return undefined;
  if (children.length > 0) throw invalidInput([{ path, message: 'must not have text between its elements' }]);
  return text;
}
