import assert from 'node:assert/strict';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { CHECK_NAMES } from '../../src/domain/health/checks.ts';
import { BUGS } from '../../src/domain/playgrounds/bugs.ts';
import { PROBLEM_NAMES, PROBLEMS, type Problem } from '../../src/domain/health/finding.ts';
import { parse, TYPE, type MessageFormatElement } from '@formatjs/icu-messageformat-parser';

/*
 * English is the reference: every other language has the same texts with the same parameters.
 */

const TEXTS = join(import.meta.dirname, '../../src/web/texts');
const GERMAN_FINDINGS = join(TEXTS, '../administration/health/german-findings.json');
const FEATURES = join(TEXTS, '../../features');
/** A file in English, from the folder of the texts. That of another language is in a folder beside it. */
const files = [
  ...globSync('en/*.json', { cwd: TEXTS }),
  ...globSync('*/texts/en/*.json', { cwd: FEATURES }).map((path) => relative(TEXTS, join(FEATURES, path))),
];
const others = readdirSync(TEXTS, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'en')
  .map(({ name }) => name);

void test('texts: there are files, and at least one other language', () => {
  assert.ok(files.length > 5);
  assert.ok(others.length > 0);
});

for (const language of others) {
  for (const file of files) {
    void test(`${file}: the same keys and parameters in ${language} as in English`, () => {
      const english = parametersIn('en', file);
      const other = parametersIn(language, file);
      assert.deepEqual([...other.keys()].toSorted(), [...english.keys()].toSorted());
      for (const [key, parameters] of english) assert.deepEqual(other.get(key), parameters, `${key} in ${language}`);
    });
  }
}

for (const language of ['en', ...others]) {
  void test(`texts in ${language}: none is empty`, () => {
    for (const file of files)
      for (const [key, text] of textsIn(language, file))
        assert.match(text, /\S/, `${inLanguage(language, file)}: ${key}`);
  });
}

/** Forms with which German speaks to a friend. */
const INFORMAL = /\b(?:du|dich|dir|dein\w*|gib|lade|wähle|prüfe|korrigiere|schreibe)\b/i;

void test('texts: the word is e-mail, and German says Sie', () => {
  const wrong = ['en', ...others].flatMap((language) =>
    files.flatMap((file) =>
      textsIn(language, file)
        .map(([key, text]) => ({
          place: `${inLanguage(language, file)}: ${key}`,
          text: text.replaceAll(/\{\w+\}/g, ''),
        }))
        .filter(({ text }) => /\bemails?\b/i.test(text) || (language === 'de' && INFORMAL.test(text))),
    ),
  );
  assert.deepEqual(wrong, []);
});

/** Words that Germans use as well, and names. */
const SAME_IN_GERMAN = `Administration, Administrator, Adopt-a-Pet, Baby, Backup, Backups, Details, ID, Link, Logo,
Menagerie, Name, Node.js, OK, Operation, Organisation, Passkey, Passkeys, Petfinder, Playground, Playgrounds, Port,
RescueGroups, STARTTLS, Sandbox, Senior, Snapshot, Software, Standby, Status, System, Tag, Tags, Test, Text, TLS, URL, Uploads, Videos,
Webhook, Webhooks, Website, Websites`;

void test('texts: none is left in English', () => {
  const words = new Set(SAME_IN_GERMAN.split(/,\s/));
  const left = files.flatMap((file) => {
    const german = new Map(textsIn('de', file));
    return textsIn('en', file).filter(([key, text]) => german.get(key) === text && !isSame(text, words));
  });
  assert.deepEqual(left, []);
});

/** Whether a text is a word that is the same in German, beside its parameters. */
function isSame(text: string, words: ReadonlySet<string>): boolean {
  const rest = text.replaceAll(/\{[^}]*\}|\u00AD/g, '').trim();
  return words.has(rest) || !/\p{L}{3}/u.test(rest);
}

void test('findings of the health checks: each has texts in every other language, with the same parameters', () => {
  const texts = JSON.parse(readFileSync(GERMAN_FINDINGS, 'utf8')) as FindingTexts;
  for (const file of globSync('*/texts/de/findings.json', { cwd: FEATURES })) {
    const ofFeature = JSON.parse(readFileSync(join(FEATURES, file), 'utf8')) as Partial<FindingTexts>;
    Object.assign(texts.checks, ofFeature.checks);
    Object.assign(texts.problems, ofFeature.problems);
  }
  assert.deepEqual(others, ['de']);
  assert.deepEqual(Object.keys(texts.checks).toSorted(), CHECK_NAMES.toSorted());
  assert.deepEqual(Object.keys(texts.problems).toSorted(), PROBLEM_NAMES.toSorted());
  for (const problem of PROBLEM_NAMES)
    for (const part of ['message', 'advice'] as const)
      assert.deepEqual(placesIn(texts.problems[problem][part]), placesIn(PROBLEMS[problem][part]), problem);
});

void test('planted bugs: are described as in the API', () => {
  const texts = Object.fromEntries(textsIn('en', 'en/playground.json'));
  for (const [id, { description }] of Object.entries(BUGS)) assert.equal(texts[`bugs.description.${id}`], description);
});

function placesIn(text: string): readonly string[] {
  return (text.match(/\{\w+\}/g) ?? []).toSorted();
}

interface FindingTexts {
  checks: Record<string, string>;
  problems: Record<Problem, { message: string; advice: string }>;
}

/** The parameters of each text, by its key. */
function parametersIn(language: string, file: string): Map<string, readonly string[]> {
  const texts = textsIn(language, file);
  return new Map(texts.map(([key, text]) => [key, [...new Set(parse(text).flatMap(parametersOf))].toSorted()]));
}

function textsIn(language: string, file: string): readonly (readonly [key: string, text: string])[] {
  return leavesOf(JSON.parse(readFileSync(join(TEXTS, inLanguage(language, file)), 'utf8')), '');
}

function inLanguage(language: string, file: string): string {
  return file.replace(/(^|\/)en\//, `$1${language}/`);
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
