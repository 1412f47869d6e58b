import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { createCheck } from '../../src/api/check.ts';
import { SentPet } from '../../src/api/records/sent-pet.ts';
import { readPet } from '../../src/api/read-pet.ts';
import { readPetXml } from '../../src/api/xml/read-pet-xml.ts';
import { PETS_IN_XML, xmlDocument } from '../../src/api/xml/write-xml.ts';
import { Failure } from '../../src/domain/failure.ts';
import { PET_STATUSES, petText, recordOf, type Label, type PetDetails } from '../../src/domain/pets/pet.ts';
import { canonicalPet, int64 } from '../support/arbitraries.ts';
import { noXmlReader, readByOthers, type ReadElement } from '../support/xml-reader.ts';

const check = createCheck(SentPet);

/** XML to domain object, by the same steps as a request. */
function petIn(xml: string): { id: bigint | undefined; pet: PetDetails } {
  return readPet(check(readPetXml(xml)));
}

/** Characters with a meaning in XML, ones that it cannot carry, and ones that parsers change. */
const PIECES = [
  '&',
  '<',
  '>',
  ']]>',
  '<![CDATA[',
  '<!--',
  '-->',
  '<?',
  '&amp;',
  '&#65;',
  '"',
  "'",
  ' ',
  '\t',
  '\n',
  '\r',
  '\r\n',
  '\u0001',
  '\u000b',
  '\u001f',
  '\u007f',
  '\u0085',
  '\u2028',
  '\uFEFF',
  '\uFFFE',
  '\uFFFF',
  '🐕',
  'é',
  'x',
  '007',
  'true',
];

const anyText = fc.oneof(
  fc.string({ unit: fc.constantFrom(...PIECES), maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 12 }).filter((text) => !text.includes('\u0000')),
);

const label: fc.Arbitrary<Label> = fc.record({ id: int64, name: anyText }, { requiredKeys: [], noNullPrototype: true });

const anyPet: fc.Arbitrary<PetDetails> = fc.record(
  {
    category: label,
    name: anyText.filter((text) => /\S/.test(text)),
    photoUrls: fc.array(anyText, { maxLength: 4 }),
    tags: fc.array(label, { maxLength: 4 }),
    status: fc.constantFrom(...PET_STATUSES),
  },
  { requiredKeys: ['name', 'photoUrls', 'tags'], noNullPrototype: true },
);

/** The text that survives in XML. */
const carried = (text: string) =>
  Array.from(text, (character) => (isForeign(character) ? '\uFFFD' : character)).join('');

function isForeign(character: string): boolean {
  return (character < ' ' && !'\t\n\r'.includes(character)) || character === '\uFFFE' || character === '\uFFFF';
}

const carriedLabel = ({ id, name }: Label): Label => ({
  ...(id !== undefined && { id }),
  ...(name !== undefined && { name: carried(name) }),
});

function carriedPet({ category, name, photoUrls, tags, status }: PetDetails): PetDetails {
  return {
    ...(category !== undefined && { category: carriedLabel(category) }),
    name: carried(name),
    photoUrls: photoUrls.map(carried),
    tags: tags.map(carriedLabel),
    ...(status !== undefined && { status }),
  };
}

const labelElement = (tag: string, value: Label): ReadElement => [
  tag,
  '',
  [
    ...(value.id === undefined ? [] : [['id', String(value.id), []] satisfies ReadElement]),
    ...(value.name === undefined ? [] : [['name', value.name, []] satisfies ReadElement]),
  ],
];

/** The element as another parser reads it. */
function elementOf(id: bigint, { category, name, photoUrls, tags, status }: PetDetails): ReadElement {
  return [
    'Pet',
    '',
    [
      ['id', String(id), []],
      ...(category === undefined ? [] : [labelElement('category', category)]),
      ['name', name, []],
      ['photoUrls', '', photoUrls.map((url): ReadElement => ['photoUrl', url, []])],
      ['tags', '', tags.map((tag) => labelElement('tag', tag))],
      ...(status === undefined ? [] : [['status', status, []] satisfies ReadElement]),
    ],
  ];
}

const xmlOf = (id: bigint, pet: PetDetails) => xmlDocument('Pet', petText(id, recordOf(pet)));

void describe('pet in XML', () => {
  void it('reads back as the same pet, except for characters that XML cannot carry', () => {
    fc.assert(
      fc.property(int64, anyPet, (id, pet) => {
        assert.deepEqual(petIn(xmlOf(id, pet)), { id, pet: canonicalPet(carriedPet(pet)) });
      }),
      { numRuns: 1000 },
    );
  });

  void it('is read the same by another parser', { skip: noXmlReader }, () => {
    const pets = fc.sample(fc.tuple(int64, anyPet), { numRuns: 1000, seed: 11 });
    const read = readByOthers(pets.map(([id, pet]) => xmlOf(id, pet)));
    for (const [index, [id, pet]] of pets.entries()) assert.deepEqual(read[index], elementOf(id, carriedPet(pet)));
  });

  void it('has the field order of JSON, and every digit of 64-bit integers', () => {
    const pet: PetDetails = {
      category: { id: 9007199254740993n, name: 'a & b' },
      name: '<Rex>',
      photoUrls: ['http://x/?a=1&b=2'],
      tags: [{ id: -9223372036854775808n }, {}, { name: '' }],
      status: 'sold',
    };
    assert.equal(
      xmlOf(9223372036854775807n, pet),
      '<?xml version="1.0" encoding="UTF-8"?><Pet><id>9223372036854775807</id>' +
        '<category><id>9007199254740993</id><name>a &amp; b</name></category><name>&lt;Rex&gt;</name>' +
        '<photoUrls><photoUrl>http://x/?a=1&amp;b=2</photoUrl></photoUrls>' +
        '<tags><tag><id>-9223372036854775808</id></tag><tag></tag><tag><name></name></tag></tags><status>sold</status></Pet>',
    );
  });

  void it('is the same in a list as alone', () => {
    const texts = [1n, 2n, 3n].map((id) => petText(id, recordOf({ name: `Pet ${id}`, photoUrls: [], tags: [] })));
    const { begin, chunk, between, end } = PETS_IN_XML;
    const whole = xmlDocument('pets', `[${texts.join()}]`);
    assert.equal(begin + chunk(texts.slice(0, 2).join()) + between + chunk(texts[2] ?? '') + end, whole);
    for (const text of texts) assert.ok(whole.includes(xmlDocument('Pet', text).replace(/^<\?.*?\?>/, '')));
  });
});

const NOT_XML = 'The body is not well-formed XML.';

/** A document with random insertions, deletions and changes. */
const mutated = fc
  .tuple(
    int64,
    anyPet,
    fc.array(
      fc.tuple(
        fc.nat(),
        fc.constantFrom(0, 0, 0, 1, 4),
        fc.constantFrom(...PIECES, '<a>', '</a>', '<a/>', '<a b="c">', '&x;', '</Pet>', ''),
      ),
      { minLength: 1, maxLength: 3 },
    ),
  )
  .map(([id, pet, changes]) =>
    changes.reduce(
      (xml, [at, length, piece]) => {
        const place = at % xml.length;
        return xml.slice(0, place) + piece + xml.slice(place + length);
      },
      xmlOf(id, pet),
    ),
  );

function isReadOrRefused(xml: string): void {
  try {
    petIn(xml);
  } catch (error) {
    assert.ok(error instanceof Failure, `${String(error)}: ${JSON.stringify(xml)}`);
    assert.ok(['invalid-input', 'unsupported-media-type'].includes(error.code));
  }
}

void it('any text: is read as a pet, or refused in a sentence that quotes nothing of it', () => {
  fc.assert(fc.property(mutated, isReadOrRefused), { numRuns: 3000 });
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 60 }), isReadOrRefused), { numRuns: 1000 });
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...PIECES, 'Pet', 'name', '/', '!', '='), maxLength: 40 }),
      isReadOrRefused,
    ),
    {
      numRuns: 3000,
    },
  );
});

void it(
  'any text: is accepted exactly if another parser accepts it, with the same content',
  { skip: noXmlReader },
  () => {
    const documents = fc.sample(mutated, { numRuns: 5000, seed: 7 });
    const read = readByOthers(documents);
    let compared = 0;
    for (const [index, document] of documents.entries()) {
      const element = read[index];
      if (element === null || element === undefined) continue;
      compared++;
      let pet: unknown;
      try {
        pet = readPetXml(document);
      } catch (error) {
        assert.notEqual((error as Failure).message, NOT_XML, document);
        continue;
      }
      const names = element[2].filter(([name, , children]) => name === 'name' && children.length === 0);
      if (names.length === 1 && !document.includes('<a')) assert.equal((pet as { name: unknown }).name, names[0]?.[1]);
    }
    assert.ok(compared > 300, `${compared} were XML`);
  },
);
