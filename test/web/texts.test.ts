import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse, TYPE, type MessageFormatElement } from '@formatjs/icu-messageformat-parser';

/*
 * English is the measure of the texts: whatever it has, every other language has, with the same parameters.
 */

const TEXTS = join(import.meta.dirname, '../../src/web/texts');
const rooms = readdirSync(join(TEXTS, 'en')).filter((name) => name.endsWith('.json'));
const others = readdirSync(TEXTS, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'en')
  .map(({ name }) => name);

void test('there are rooms, and at least one other language', () => {
  assert.ok(rooms.length > 5);
  assert.ok(others.length > 0);
});

for (const language of others) {
  for (const room of rooms) {
    void test(`${room} says the same in ${language} as in English`, () => {
      const english = parametersIn('en', room);
      const other = parametersIn(language, room);
      assert.deepEqual([...other.keys()].toSorted(), [...english.keys()].toSorted());
      for (const [key, parameters] of english) assert.deepEqual(other.get(key), parameters, `${key} in ${language}`);
    });
  }
}

for (const language of ['en', ...others]) {
  void test(`no text in ${language} is empty or left unfinished`, () => {
    for (const room of rooms)
      for (const [key, text] of textsIn(language, room)) assert.match(text, /\S/, `${language}/${room}: ${key}`);
  });
}

/** The parameters of each text, by its key. */
function parametersIn(language: string, room: string): Map<string, readonly string[]> {
  const texts = textsIn(language, room);
  return new Map(texts.map(([key, text]) => [key, [...new Set(parse(text).flatMap(parametersOf))].toSorted()]));
}

function textsIn(language: string, room: string): readonly (readonly [key: string, text: string])[] {
  return leavesOf(JSON.parse(readFileSync(join(TEXTS, language, room), 'utf8')), '');
}

function leavesOf(node: unknown, key: string): readonly (readonly [string, string])[] {
  if (typeof node === 'string') return [[key, node]];
  return Object.entries(node as Record<string, unknown>).flatMap(([name, child]) =>
    leavesOf(child, key === '' ? name : `${key}.${name}`),
  );
}

function parametersOf(element: MessageFormatElement): readonly string[] {
  if (element.type === TYPE.literal || element.type === TYPE.pound) return [];
  if (element.type === TYPE.tag) return [`<${element.value}>`, ...element.children.flatMap(parametersOf)];
  if (element.type !== TYPE.select && element.type !== TYPE.plural) return [element.value];
  const choices = Object.values(element.options).flatMap(({ value }) => value.flatMap(parametersOf));
  return [`${element.value}: ${TYPE[element.type]}`, ...choices];
}
