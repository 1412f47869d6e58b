import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { germanBreed, germanColour, germanLabel, germanPattern } from '../../src/domain/german-words/german-words.ts';
import { SPECIES } from '../../src/domain/pets/profile.ts';

const WEB = join(import.meta.dirname, '../../src/web');

async function readList<T>(path: string): Promise<T> {
  return JSON.parse(await readFile(join(WEB, path), 'utf8')) as T;
}

/** Breeds and colours that Germans call by their English name, or as the English do. */
const SAME_IN_GERMAN =
  /^(?:Boxer$|American|Asian|Australian|Brazilian|Colorpoint|German Rex|Irish Sport|Japanese Bobtail|Old English)/;

void test('German words: each breed that the form suggests has a German name, which the German form suggests', async () => {
  for (const species of ['dog', 'cat', 'rabbit', 'horse', 'bird', 'small-furry']) {
    const english = await readList<string[]>(`editing/breeds/${species}.en.json`);
    const german = new Set(await readList<string[]>(`editing/breeds/${species}.de.json`));
    const same = english.filter((name) => germanBreed(name, species) === name && !german.has(name));
    assert.deepEqual(
      same.filter((name) => !SAME_IN_GERMAN.test(name)),
      [],
      species,
    );
  }
});

async function wordsIn(language: string) {
  const form = await readList<Record<'colours' | 'patterns', string>>(`texts/${language}/profile-form.json`);
  return { colours: form.colours.split(', '), patterns: form.patterns.split(', ') };
}

void test('German words: each colour and pattern that the form suggests is German', async () => {
  const [english, german] = [await wordsIn('en'), await wordsIn('de')];
  for (const colour of english.colours) {
    const isKnown = germanColour(colour) !== colour || german.colours.includes(colour);
    assert.ok(isKnown, colour);
  }
  for (const pattern of english.patterns)
    assert.ok(germanPattern(pattern) !== pattern || german.patterns.includes(pattern), pattern);
});

void test('German words: by species, in every spelling', () => {
  assert.equal(germanBreed('german  SHEPHERD dog', 'dog'), 'Deutscher Schäferhund');
  assert.equal(germanBreed('Himalayan', 'cat'), 'Colourpoint');
  assert.equal(germanBreed('Himalayan', 'rabbit'), 'Russe');
  assert.equal(germanBreed('Abyssinian', 'small-furry'), 'Rosettenmeerschweinchen');
  assert.equal(germanBreed('African lion', 'reptile-other'), 'Afrikanischer Löwe');
});

void test('German words: without a species, only names that mean one breed', () => {
  assert.equal(germanBreed('Persian', undefined), 'Perser');
  assert.equal(germanBreed('Mixed breed', undefined), 'Mischling');
  assert.equal(germanBreed('Himalayan', undefined), 'Himalayan');
});

void test('German words: categories and tags, with a capital if they had one', () => {
  assert.equal(germanLabel('Dogs'), 'Hunde');
  assert.equal(germanLabel('good-with-kids'), 'mag Kinder');
  assert.equal(germanLabel('Playful'), 'Verspielt');
  for (const word of ['Hunde', 'Notfellchen', '', '__proto__']) assert.equal(germanLabel(word), word);
});

void test('German words: two colours in one, and words that no list has', () => {
  assert.equal(germanColour('Black and white'), 'Schwarz und Weiß');
  assert.equal(germanColour('Black & White'), 'Schwarz und Weiß');
  assert.equal(germanColour('Red/white'), 'Rot und Weiß');
  assert.equal(germanColour('Sand and white'), 'Sand und Weiß');
  for (const word of ['Schneeweiß', 'Black and bluish', '', ' ', 'constructor', '__proto__', '/', 'x'.repeat(1000)]) {
    assert.equal(germanColour(word), word);
    assert.equal(germanPattern(word), word);
    for (const species of [...SPECIES, undefined, 'dinosaur']) assert.equal(germanBreed(word, species), word);
  }
});
