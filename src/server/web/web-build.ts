import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { FIRST_VIEW_FILE, type FirstViewModule } from '../../api/web/first-view.ts';
import type { WebBuild, WebFile } from '../../http/web/web-build.ts';

/** The output of `npm run build:web`. The relative path also holds for the compiled file in dist/server/web. */
export const WEB_FOLDER = fileURLToPath(new URL('../../../dist/web', import.meta.url));

const PAGE = 'index.html';
const WEB_MANIFEST = 'manifest.webmanifest';
const ASSETS = 'assets/';
const DOCS_ENTRY = 'docs/docs.ts';

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.webp': 'image/webp',
  '.jpg': 'image/jpeg',
  '.woff2': 'font/woff2',
};

/**
 * Reads the whole build into memory, a few MB, so that requests do not wait for the disk, and a later build does not
 * mix with the pages of this one.
 *
 * @param basePath the path of the service, which is only known now: the files of the build have relative addresses
 * @returns undefined if the application has not been built
 */
export async function readWebBuild(folder: string, basePath = ''): Promise<WebBuild | undefined> {
  const files = await readFiles(folder);
  for (const name of [PAGE, WEB_MANIFEST]) {
    const text = files.get(name)?.toString('utf8').replaceAll('"./', `"${basePath}/`);
    if (text !== undefined) files.set(name, Buffer.from(text));
  }
  const html = files.get(PAGE);
  const chunks = chunksIn(files.get('.vite/manifest.json'));
  const { file: script, css: [style] = [] } = chunksIn(files.get('.vite/docs-manifest.json'))[DOCS_ENTRY] ?? {};
  const isComplete = html !== undefined && script !== undefined && style !== undefined && files.has(FIRST_VIEW_FILE);
  if (!isComplete) return undefined;
  const firstView = (await import(pathToFileURL(join(folder, FIRST_VIEW_FILE)).href)) as FirstViewModule;
  const names = [...files.keys()].filter((name) => MEDIA_TYPES[extname(name)] !== undefined && !name.startsWith('.'));
  const assets = names.filter((name) => name.startsWith(ASSETS));
  const rootFiles = names.filter((name) => !name.startsWith(ASSETS));
  return {
    basePath,
    html: html.toString('utf8'),
    chunks,
    renderFirstView: firstView.renderFirstView,
    docs: { script, style },
    assets: new Map(assets.map((name) => [name.slice(ASSETS.length), webFile(files, name)])),
    rootFiles: new Map(rootFiles.map((name) => [`/${name}`, webFile(files, name)])),
  };
}

/** The chunks in a manifest, none if it is missing. */
function chunksIn(manifest: Buffer | undefined): WebBuild['chunks'] {
  return manifest === undefined ? {} : (JSON.parse(manifest.toString('utf8')) as WebBuild['chunks']);
}

function webFile(files: ReadonlyMap<string, Buffer>, name: string): WebFile {
  const forms = [['br', files.get(`${name}.br`)] as const, ['gzip', files.get(`${name}.gz`)] as const];
  return {
    mediaType: MEDIA_TYPES[extname(name)] ?? '',
    bytes: files.get(name) ?? Buffer.alloc(0),
    compressed: new Map(forms.flatMap(([encoding, bytes]) => (bytes === undefined ? [] : [[encoding, bytes]]))),
  };
}

async function readFiles(folder: string): Promise<Map<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(nothingIfMissing);
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const read = async (path: string) => [relative(folder, path).replaceAll(sep, '/'), await readFile(path)] as const;
  return new Map(await Promise.all(paths.map(read)));
}

function nothingIfMissing(error: unknown): [] {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
  throw error;
}
