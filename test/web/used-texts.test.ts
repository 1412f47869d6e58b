import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

/*
 * The texts that the source code names by a literal key. The compiler refuses a missing one as well, with a list of all
 * keys; this names the file that lacks it.
 */

const ROOT = join(import.meta.dirname, '../..');
const ENGLISH = 'src/web/texts/en';
/** Of features, with the namespaces inside. */
const STAFF_TEXTS = globSync('src/features/*/texts/en/{staff,of-pets}.json', { cwd: ROOT });
const known = new Map<string, unknown>();

void test('texts: each key in the source code is in the JSON file of its namespace', () => {
  const missing = globSync('src/{web,features/*/web}/**/*.{ts,tsx}', { cwd: ROOT }).flatMap((file) => missingIn(file));
  assert.deepEqual(missing, []);
});

function missingIn(file: string): readonly string[] {
  const source = readFileSync(join(ROOT, file), 'utf8');
  const namespaces = Map.groupBy(
    source
      .matchAll(/const (\w+) = useTranslations\((?:'([\w.]+)')?\)/g)
      .map(([, name = '', namespace = '']) => [name, namespace] as const),
    ([name]) => name,
  );
  return [...namespaces].flatMap(([name, found]) => {
    const calls = [...source.matchAll(new RegExp(String.raw`(?<![\w.])${name}(?:\.\w+)?\('([\w.]+)'`, 'g'))];
    return calls
      .filter(([, key = '']) => !found.some(([, namespace]) => hasText(pathOf(namespace, key))))
      .map(({ index, 1: key }) => {
        const line = source.slice(0, index).split('\n').length;
        return `${found.map(([, namespace]) => placeOf(pathOf(namespace, key))).join(' or ')} (${file}:${line})`;
      });
  });
}

function pathOf(namespace: string, key = ''): string {
  return namespace === '' ? key : `${namespace}.${key}`;
}

function placeOf(path: string): string {
  const [file, ...keys] = path.split('.');
  return `${fileOf(file)} lacks ${keys.join('.')}`;
}

function fileOf(namespace = ''): string {
  const name = `${namespace.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.json`;
  return globSync(`src/features/*/texts/en/${name}`, { cwd: ROOT })[0] ?? `${ENGLISH}/${name}`;
}

function hasText(path: string): boolean {
  const [namespace, ...keys] = path.split('.');
  return has(fileOf(namespace), keys) || STAFF_TEXTS.some((file) => has(file, path.split('.')));
}

function has(file: string, keys: readonly string[]): boolean {
  let node = textsIn(file);
  for (const key of keys) node = (node as Readonly<Record<string, unknown>> | undefined)?.[key];
  return node !== undefined;
}

function textsIn(file: string): unknown {
  if (!known.has(file)) {
    const path = join(ROOT, file);
    known.set(file, existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {});
  }
  return known.get(file);
}
