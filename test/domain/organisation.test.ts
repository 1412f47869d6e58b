import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { accentTones, contrastOf, textOn, type Theme } from '../../src/domain/organisation/accent.ts';
import { organisationOf, type SentOrganisation } from '../../src/domain/organisation/organisation.ts';
import { requireOwnFields, type OwnField } from '../../src/domain/organisation/own-field.ts';
import { Failure } from '../../src/domain/failure.ts';

function problemsOf(work: () => unknown): readonly string[] {
  try {
    work();
  } catch (error) {
    if (error instanceof Failure) return (error.details.problems ?? []).map(({ path }) => path);
    throw error;
  }
  return [];
}

function ownField(other: Partial<OwnField> = {}): OwnField {
  return { key: 'chip', type: 'text', label: { en: 'Chip', de: 'Chip' }, isPublic: true, ...other };
}

const problemsInFields = (...fields: OwnField[]) => problemsOf(() => requireOwnFields(fields));
const problemsIn = (sent: SentOrganisation) => problemsOf(() => organisationOf(sent));

void describe('organisation', () => {
  void it('is stored without empty fields, in NFC, with an id for each location', () => {
    assert.deepEqual(
      organisationOf({
        name: ' Tierheim Mu\u0308nster ',
        about: '',
        contact: { telephone: '', email: undefined },
        adoptionSteps: ['Call us', ' '],
        locations: [
          { name: 'Große Weide', place: '' },
          { name: 'Grosse Weide' },
          { id: 'grosse-weide-2', name: 'Fort' },
          { name: '猫', latitude: 0, longitude: 0 },
        ],
      }),
      {
        name: 'Tierheim Münster',
        adoptionSteps: ['Call us'],
        locations: [
          { id: 'grosse-weide', name: 'Große Weide' },
          { id: 'grosse-weide-3', name: 'Grosse Weide' },
          { id: 'grosse-weide-2', name: 'Fort' },
          { id: 'location', name: '猫', latitude: 0, longitude: 0 },
        ],
      },
    );
    assert.deepEqual(organisationOf({}), {});
  });

  void it('names every wrong field', () => {
    const contact = { telephone: 'none', email: 'a@b', website: 'javascript:alert(1)' };
    assert.deepEqual(
      problemsIn({
        contact,
        locations: [
          { id: 'a', name: 'A', latitude: 1 },
          { id: 'a', name: 'B' },
        ],
      }),
      ['/contact/telephone', '/contact/email', '/contact/website', '/locations/0', '/locations/1/id'],
    );
    for (const website of ['example.org', 'ftp://example.org', 'https://a:b@example.org', 'https://'])
      assert.deepEqual(problemsIn({ contact: { website } }), ['/contact/website'], website);
    for (const email of ['a b@example.org', '@example.org', 'a@example.', 'a@@example.org'])
      assert.deepEqual(problemsIn({ contact: { email } }), ['/contact/email'], email);
    assert.deepEqual(problemsIn({ contact: { website: 'HTTP://example.org', email: 'büro@tierheim.example' } }), []);
  });
});

void describe('accent colour', () => {
  void it('gets a tone for each theme that is readable on its backgrounds', () => {
    const backgrounds: Record<Theme, readonly string[]> = {
      light: ['#faf6ee', '#fffdf9', '#f2ebde', '#ffffff'],
      dark: ['#121815', '#1a221e', '#0d1210', '#222c27'],
    };
    const channels = ['00', '33', '66', '99', 'cc', 'ff'];
    const colours = channels.flatMap((red) => channels.flatMap((g) => channels.map((blue) => `#${red}${g}${blue}`)));
    for (const colour of colours) {
      for (const theme of ['light', 'dark'] as const) {
        const { accent, accentSoft, onAccent } = accentTones(colour, theme);
        for (const other of [...backgrounds[theme], accentSoft, onAccent])
          assert.ok(contrastOf(accent, other) >= 4.5, `${colour} as ${accent} on ${other}`);
      }
    }
  });

  void it('stays as it is where it is readable', () => {
    assert.equal(accentTones('#1c6b4a', 'light').accent, '#1c6b4a');
    assert.equal(accentTones('#7fcba5', 'dark').accent, '#7fcba5');
  });

  void it('is refused if neither white nor near-black text is readable on it', () => {
    assert.equal(textOn('#000000'), '#ffffff');
    assert.equal(textOn('#ffff00'), '#0d1a13');
    assert.equal(textOn('#7a7a7a'), undefined);
    assert.deepEqual(problemsIn({ accentColour: '#7A7A7A' }), ['/accentColour']);
    assert.deepEqual(organisationOf({ accentColour: '#FFFF00' }), { accentColour: '#ffff00' });
  });
});

void describe('own fields', () => {
  void it('have unique keys, and choices only where they are chosen', () => {
    assert.deepEqual(problemsInFields(), []);
    assert.deepEqual(
      problemsInFields(ownField(), ownField({ key: 'size', type: 'choice', choices: [{ value: 'S' }] })),
      [],
    );
    assert.deepEqual(problemsInFields(ownField(), ownField()), ['/fields/1/key']);
    assert.deepEqual(problemsInFields(ownField({ choices: [{ value: 'S' }] })), ['/fields/0/choices']);
    assert.deepEqual(problemsInFields(ownField({ type: 'choice' })), ['/fields/0/choices']);
    const choices = [{ value: 'S' }, { value: 'M' }, { value: 'S' }];
    assert.deepEqual(problemsInFields(ownField({ type: 'choice', choices })), ['/fields/0/choices/2/value']);
  });
});
