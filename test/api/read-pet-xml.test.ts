import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createCheck } from '../../src/api/check.ts';
import { SentPet } from '../../src/api/records/sent-pet.ts';
import { readPet } from '../../src/api/read-pet.ts';
import { readPetXml } from '../../src/api/xml/read-pet-xml.ts';
import { Failure } from '../../src/domain/failure.ts';
import type { PetDetails } from '../../src/domain/pets/pet.ts';

const check = createCheck(SentPet);

/** XML to domain object, by the same steps as a request. */
function petIn(xml: string): { id: bigint | undefined; pet: PetDetails } {
  return readPet(check(readPetXml(xml)));
}

function refusalOf(xml: string): Failure {
  try {
    petIn(xml);
  } catch (error) {
    assert.ok(error instanceof Failure, String(error));
    return error;
  }
  return assert.fail(`taken: ${xml.slice(0, 200)}`);
}

const NAMED = { id: undefined, pet: { name: 'x', photoUrls: [], tags: [] } };
const nameOf = (name: string) => ({ id: undefined, pet: { name, photoUrls: [], tags: [] } });

const taken: [title: string, xml: string, expected: unknown][] = [
  ['a root in lower case', '<pet><name>x</name></pet>', NAMED],
  [
    'capitalized fields',
    '<Pet><Name>x</Name><Category><Name>c</Name></Category></Pet>',
    { id: undefined, pet: { category: { name: 'c' }, ...NAMED.pet } },
  ],
  ['a declaration', '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<Pet><name>x</name></Pet>\n', NAMED],
  [
    'layout between elements',
    '\n<Pet>\n\t<id> 7 </id>\n\t<name>x</name>\n\t<tags>\n\t</tags>\n</Pet>\n',
    { id: 7n, pet: NAMED.pet },
  ],
  ['attributes and namespaces', '<p:Pet xmlns:p="urn:x" a="1>2"><p:name b=\'"\'>x</p:name></p:Pet>', NAMED],
  ['comments and instructions', '<!-- <a> --><?a b?><Pet><!----><name>x<!-- y --></name><?c?></Pet><!--z-->', NAMED],
  ['a name with a comment in it', '<Pet><name>a<!-- & --> b<?c d?>c</name></Pet>', nameOf('a bc')],
  ['spaces in a name', '<Pet><name>  a \n b\t</name></Pet>', nameOf('a \n b')],
  ['line ends, normalized by XML', '<Pet><name>a\r\nb\rc&#13;d</name></Pet>', nameOf('a\nb\nc\rd')],
  ['a name that looks like a number in exponent form', '<Pet><name>1e3</name></Pet>', nameOf('1e3')],
  ['the five entities', '<Pet><name>&lt;&gt;&amp;&quot;&apos;</name></Pet>', nameOf('<>&"\'')],
  ['numeric references', '<Pet><name>&#39;&#x27;&#x1F415;&#128021;&#0065;</name></Pet>', nameOf("''🐕🐕A")],
  ['double escapes, unescaped once', '<Pet><name>&amp;lt;&amp;#38;</name></Pet>', nameOf('&lt;&#38;')],
  ['CDATA, verbatim', '<Pet><name><![CDATA[<b>&amp;&#39;]]></name></Pet>', nameOf('<b>&amp;&#39;')],
  ['CDATA beside text', '<Pet><name> &lt;<![CDATA[&lt;]]><![CDATA[ ]]>x </name></Pet>', nameOf('<&lt; x')],
  [
    'unknown fields',
    '<Pet><name>x</name><owner><name>y</name></owner><__proto__>1</__proto__><constructor/><toString/></Pet>',
    NAMED,
  ],
  [
    'items of any name',
    '<Pet><name>x</name><photoUrls><photoUrls>u</photoUrls><string>v</string></photoUrls><tags><Tag><name>a</name></Tag></tags></Pet>',
    { id: undefined, pet: { name: 'x', photoUrls: ['u', 'v'], tags: [{ name: 'a' }] } },
  ],
  [
    'a tag that is a plain text',
    '<Pet><name>x</name><tags><tag>a b</tag><tag><![CDATA[c]]></tag></tags></Pet>',
    { id: undefined, pet: { name: 'x', photoUrls: [], tags: [{ name: 'a b' }, { name: 'c' }] } },
  ],
  [
    'an empty id and status as none',
    '<Pet><id/><name>x</name><status></status><category><id> </id></category></Pet>',
    { id: undefined, pet: { category: {}, ...NAMED.pet } },
  ],
  ['empty lists', '<Pet><name>x</name><photoUrls/><tags></tags></Pet>', NAMED],
  [
    'an empty address and an empty tag',
    '<Pet><name>x</name><photoUrls><photoUrl/></photoUrls><tags><tag/></tags></Pet>',
    { id: undefined, pet: { name: 'x', photoUrls: [''], tags: [{}] } },
  ],
  [
    'the largest id',
    '<Pet><id>9223372036854775807</id><name>x</name></Pet>',
    { id: 9223372036854775807n, pet: NAMED.pet },
  ],
];

void describe('XML body: accepts', () => {
  for (const [title, xml, expected] of taken) void it(title, () => assert.deepEqual(petIn(xml), expected));
});

const NOT_XML = 'The body is not well-formed XML.';
const laughs = `<!DOCTYPE lolz [<!ENTITY a "ha">${'bcdefghij'
  .split('')
  .map((name, index) => `<!ENTITY ${name} "${`&${'abcdefghij'[index]};`.repeat(10)}">`)
  .join('')}]><Pet><name>&j;</name></Pet>`;

const refused: [title: string, xml: string, message: RegExp | string][] = [
  ['nothing', '', NOT_XML],
  ['text', 'hello', NOT_XML],
  ['no end', '<Pet><name>x</name>', NOT_XML],
  ['a mismatched end tag', '<Pet><name>x</nam></Pet>', NOT_XML],
  ['two roots', '<Pet><name>x</name></Pet><Pet/>', NOT_XML],
  ['text after the root', '<Pet><name>x</name></Pet>x', NOT_XML],
  ['CDATA before the root', '<![CDATA[x]]><Pet><name>x</name></Pet>', NOT_XML],
  ['a declaration inside the root', '<Pet><?xml version="1.0"?><name>x</name></Pet>', NOT_XML],
  ['a comment without end', '<Pet><name>x</name></Pet><!-- ', NOT_XML],
  ['CDATA without end', '<Pet><name><![CDATA[x</name></Pet>', NOT_XML],
  ['a bare ampersand', '<Pet><name>a & b</name></Pet>', NOT_XML],
  ['an undeclared entity', '<Pet><name>&nbsp;</name></Pet>', NOT_XML],
  ['a reference without a number', '<Pet><name>&#;</name></Pet>', NOT_XML],
  ['a reference to zero', '<Pet><name>&#0;</name></Pet>', NOT_XML],
  ['a reference to half a surrogate pair', '<Pet><name>&#xD83D;&#xDC15;</name></Pet>', NOT_XML],
  ['a reference beyond Unicode', `<Pet><name>&#x110000;&#${'9'.repeat(400)};</name></Pet>`, NOT_XML],
  ['a control character', '<Pet><name>a\u0001</name></Pet>', NOT_XML],
  ['an attribute twice', '<Pet a="1" a="2"><name>x</name></Pet>', NOT_XML],
  ['an attribute without quotes', '<Pet a=1><name>x</name></Pet>', NOT_XML],
  ['a DOCTYPE', '<!DOCTYPE Pet><Pet><name>x</name></Pet>', /DOCTYPE/],
  ['a DOCTYPE inside the root', '<Pet><!DOCTYPE Pet><name>x</name></Pet>', /DOCTYPE/],
  [
    'a file as an entity',
    '<!DOCTYPE Pet [<!ENTITY a SYSTEM "file:///etc/passwd">]><Pet><name>&a;</name></Pet>',
    /DOCTYPE/,
  ],
  ['an address as an entity', '<?xml version="1.0"?><!DOCTYPE Pet SYSTEM "http://127.0.0.1:1/x.dtd"><Pet/>', /DOCTYPE/],
  ['a billion laughs', laughs, /DOCTYPE/],
  ['an entity without a DOCTYPE', '<!ENTITY a "x"><Pet><name>&a;</name></Pet>', NOT_XML],
  ['many elements', `<Pet>${'<a/>'.repeat(250_000)}</Pet>`, /at most 10000 elements/],
  ['a million opening brackets', '<'.repeat(1_000_000), /at most 10000 elements/],
  ['comments without end', `<Pet>${'<!--'.repeat(250_000)}`, NOT_XML],
  ['many levels', `<Pet>${'<a>'.repeat(9_000)}${'</a>'.repeat(9_000)}</Pet>`, /at most 20 levels/],
  [
    'another encoding',
    '<?xml version="1.0" encoding="ISO-8859-1"?><Pet><name>x</name></Pet>',
    'The body must be in UTF-8.',
  ],
  ['another root', '<Order><name>x</name></Order>', 'The root element must be Pet.'],
  ['an empty root', '<Pet/>', /must have an element for each field/],
  ['a root of text', '<Pet>x</Pet>', /must have an element for each field/],
];

void describe('XML body: refuses', () => {
  for (const [title, xml, message] of refused) {
    void it(title, () => {
      const { message: actual } = refusalOf(xml);
      if (typeof message === 'string') assert.equal(actual, message);
      else assert.match(actual, message);
    });
  }
});

const wrongFields: [title: string, fields: string, paths: readonly string[]][] = [
  ['no name', '<id>1</id>', ['/name']],
  ['an empty name', '<name/>', ['/name']],
  ['a name of spaces', '<name>   </name>', ['/name']],
  ['a long name', `<name>${'x'.repeat(256)}</name>`, ['/name']],
  ['a name with elements', '<name><b>x</b></name>', ['/name']],
  ['two names', '<name>x</name><Name>y</Name>', ['/name']],
  ['an id that is no number', '<id>x</id><name>x</name>', ['/id']],
  ['an id beyond 64 bits', '<id>9223372036854775808</id><name>x</name>', ['/id']],
  ['an unknown status', '<name>x</name><status>lost</status>', ['/status']],
  ['a category that is a plain text', '<name>x</name><category>Dogs</category>', ['/category']],
  ['lists that are plain texts', '<name>x</name><tags>a</tags><photoUrls>b</photoUrls>', ['/photoUrls', '/tags']],
  ['text between the fields of a tag', '<name>x</name><tags><tag/><tag>a<name>b</name></tag></tags>', ['/tags/1']],
  ['text between fields', '<name>x</name>y', ['']],
  ['too many tags', `<name>x</name><tags>${'<tag/>'.repeat(101)}</tags>`, ['/tags']],
  [
    'long names of tags',
    `<name>x</name><tags><tag/><tag><name>${'x'.repeat(256)}</name></tag></tags>`,
    ['/tags/1/name'],
  ],
];

void describe('XML body: reports the invalid fields of', () => {
  for (const [title, fields, paths] of wrongFields) {
    void it(title, () => {
      const { code, details } = refusalOf(`<Pet>${fields}</Pet>`);
      assert.equal(code, 'invalid-input');
      assert.deepEqual(details.problems?.map(({ path }) => path).toSorted(), paths);
    });
  }
});
