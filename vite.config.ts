import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import react from '@vitejs/plugin-react';
import compileMessage from 'icu-minify/compile';
import { defineConfig, type BuildEnvironmentOptions, type Plugin, type UserConfig } from 'vite';
import { BUNDLED_FILE, BUNDLED_IN_DOCS_FILE } from './scripts/bundled-licenses.ts';
import { webIcons } from './scripts/web-icons.ts';
import { ENDPOINTS } from './src/api/endpoints.ts';
import { FIRST_VIEW_FILE } from './src/api/web/first-view.ts';

const ROOT = join(import.meta.dirname, 'src/web');
const OUT_FOLDER = '../../dist/web';
const BROWSERS = ['chrome123', 'edge123', 'firefox128', 'safari17.5'];

/** The router, the texts and the fields of profiles, in one chunk with their imports. */
const BASE = /\/src\/(?:web\/(?:app\/router|texts\/texts-provider)\.tsx|api\/web\/profile-definitions\.ts)$/;

/**
 * Two style sheets. Those of visitors' pages are one, which the page itself requests: each further one would block
 * rendering for a round trip or take a connection. The other one is loaded with the first chunk that needs it.
 */
const STAFF_STYLES =
  /\/src\/(?:web\/(?:administration|editing|history|list-editing|photos|playground|requests|setup|transfer)|features\/[a-z-]+\/web)\/.*\.css$/;
const VISITOR_STYLES = /\/src\/web\/.*\.css$/;

/** Icons that the page of a pet shares with others. A chunk for each would be longer than the icons. */
const PET_ICONS = /\/icons\/(?:arrow-left|chevron-left|chevron-right|external-link)\.m?js$/;

/** The photos and the age of pets, of the catalogue and of the page of a pet. */
const PET_PHOTOS =
  /\/src\/(?:web\/(?:design\/photo|catalogue\/photo-placeholder)\.tsx|api\/web\/(?:photo-sources|age)\.ts)$/;

/**
 * The pages that visitors go to from others: their chunks are loaded with the chunks that they import. For other pages
 * this costs a round trip, unless the page is opened first: the service preloads all of it. Every page has the lists,
 * which would be 2 KiB longer with all pages (gzipped).
 */
const VISITOR_PAGES = /^(?:catalogue|pet|favourites|enquire|dashboard|about|login)-page\b/;

/**
 * Three builds in dist/web: the application, the renderer of the first view, which the service imports, and with mode
 * `docs` the API documentation.
 */
export default defineConfig(({ command, isSsrBuild = false, mode }) => ({
  // Independent of the working directory.
  root: ROOT,
  // Relative, because the path of the service is a setting.
  base: './',
  ...(command === 'build' && { css: { modules: { generateScopedName: classNameIn } } }),
  ...(mode === 'docs' ? { build: docsBuild() } : webApplication(isSsrBuild)),
}));

/**
 * The name of a class in the build: its file, and its place there. With the name in the file as well, which helps in
 * development, the styles have a tenth more bytes.
 */
function classNameIn(name: string, path: string, css: string): string {
  const file = createHash('sha256').update(relative(ROOT, path)).digest('hex').slice(0, 4);
  const place = css.search(new RegExp(`(?:\\.|@keyframes )${name}\\b`));
  return `_${file}${place.toString(36)}`;
}

function webApplication(isSsrBuild: boolean): UserConfig {
  return {
    resolve: {
      alias: {
        'use-intl/format-message': 'use-intl/format-message/format-only',
        // Without the replacement of a hook that React has.
        'use-sync-external-store/shim/with-selector': 'use-sync-external-store/with-selector.js',
        // The build that includes Buffer.
        'csv-parse/sync': 'csv-parse/browser/esm/sync',
      },
    },
    plugins: [
      react(),
      compiledTexts(),
      numberedIcons(),
      compiledOperations(),
      checksWithoutEvaluation(),
      ...(isSsrBuild ? [] : [photosFirst(), webIcons()]),
    ],
    ...(isSsrBuild ? firstViewBuild() : { build: applicationBuild() }),
  };
}

function applicationBuild(): BuildEnvironmentOptions {
  return {
    outDir: OUT_FOLDER,
    emptyOutDir: true,
    // The service reads from it which chunks a page loads first.
    manifest: true,
    license: { fileName: BUNDLED_FILE },
    // The content security policy forbids data: URLs.
    assetsInlineLimit: 0,
    modulePreload: {
      polyfill: false,
      resolveDependencies: (file, chunks, { hostType }) =>
        hostType === 'html' || VISITOR_PAGES.test(basename(file)) ? chunks : [],
    },
    rolldownOptions: {
      // One chunk for what all pages need: dozens of small files would queue on the few connections of a browser.
      output: {
        codeSplitting: {
          groups: [
            { name: 'staff', test: STAFF_STYLES, priority: 2 },
            { name: 'base', test: (id) => BASE.test(id) || VISITOR_STYLES.test(id), priority: 1 },
            { name: 'pet-icons', test: PET_ICONS },
            { name: 'pet-photos', test: PET_PHOTOS },
          ],
        },
        // Every page loads the names of all chunks. Few need a name, and short digests suffice.
        chunkFileNames: ({ name }) =>
          `assets/${VISITOR_PAGES.test(name) || name === 'texts' ? '[name]-' : ''}[hash:7].js`,
      },
    },
    target: BROWSERS,
  };
}

/** A script and a style sheet, of which the pages of the application load nothing. */
function docsBuild(): BuildEnvironmentOptions {
  return {
    outDir: OUT_FOLDER,
    emptyOutDir: false,
    manifest: '.vite/docs-manifest.json',
    license: { fileName: BUNDLED_IN_DOCS_FILE },
    // Swagger UI is one file of 1.5 MB.
    chunkSizeWarningLimit: 2000,
    rolldownOptions: { input: join(ROOT, 'docs/docs.ts'), checks: { bundlerTimings: false } },
    target: BROWSERS,
  };
}

/** A single module that includes its imports: an installed service has no React. */
function firstViewBuild(): UserConfig {
  return {
    define: { 'process.env.NODE_ENV': '"production"' },
    ssr: { noExternal: true },
    build: {
      outDir: OUT_FOLDER,
      emptyOutDir: false,
      target: 'node24',
      rolldownOptions: {
        input: join(ROOT, 'first-view/first-view.tsx'),
        output: { entryFileNames: FIRST_VIEW_FILE, codeSplitting: false },
      },
    },
  };
}

/** Parses the texts at build time, so that no page loads the parser (10 KB of 150). */
function compiledTexts(): Plugin {
  return {
    name: 'compiled-texts',
    enforce: 'pre',
    transform: {
      filter: { id: /\/texts\/[a-z]+\/[a-z-]+\.json$/ },
      handler: (source) => ({ code: JSON.stringify(compiledIn(JSON.parse(source))), map: null }),
    },
  };
}

function compiledIn(texts: unknown): unknown {
  if (typeof texts === 'string') return compileMessage(texts);
  return Object.fromEntries(Object.entries(texts as object).map(([key, text]) => [key, compiledIn(text)]));
}

/** Numbers the parts of icons. Each has a random key of six letters, which do not compress: 200 bytes of a page. */
function numberedIcons(): Plugin {
  return {
    name: 'numbered-icons',
    transform: {
      filter: { id: /\/lucide-react\/dist\/esm\/icons\/[a-z0-9-]+\.mjs$/ },
      handler(source) {
        let count = 0;
        return { code: source.replace(/\bkey: "\w+"/g, () => `key: ${count++}`), map: null };
      },
    },
  };
}

/**
 * Writes the table of the operations as lines with what the client needs of them. All pages load it, and the rest of it
 * is for the service: half of its bytes. Operations that the application does not name are left out.
 */
function compiledOperations(): Plugin {
  const PREFIX = '/v2/';
  const sources = globSync('src/{web,features/*/web,client,transfer}/**/*.{ts,tsx}', { cwd: join(ROOT, '../..') });
  const words = new Set(sources.flatMap((file) => readFileSync(join(ROOT, '../..', file), 'utf8').match(/\w+/g) ?? []));
  const used = Object.entries(ENDPOINTS).filter(([id]) => words.has(id));
  const lines = used.map(([id, { method, path, body, response, changes }]) => {
    const usual = changes === (method !== 'GET') ? '' : Number(changes);
    const usualBody = method === 'GET' || method === 'DELETE' ? 'none' : 'json';
    return [
      path.slice(PREFIX.length),
      method,
      id,
      body === usualBody ? '' : body,
      response === 'json' ? '' : response,
      usual,
    ]
      .join(' ')
      .trimEnd();
  });
  const code = `export const ENDPOINTS = Object.fromEntries(${JSON.stringify(lines.join('\n'))}.split('\\n').map((line) => {
    const [path, method, id, body, response, changes] = line.split(' ');
    return [id, {
      path: '${PREFIX}' + path, method, body: body || (/GET|DEL/.test(method) ? 'none' : 'json'), response: response || 'json', changes: changes ? changes > 0 : method !== 'GET',
    }];
  }));`;
  return {
    name: 'compiled-operations',
    transform: { filter: { id: /\/src\/api\/endpoints\.ts$/ }, handler: () => ({ code, map: null }) },
  };
}

/**
 * Keeps TypeBox from testing `eval`, which it does before it reads its settings: the content security policy forbids
 * it, and browsers report each attempt.
 */
function checksWithoutEvaluation(): Plugin {
  const asked = 'supported = TryEvaluate()';
  return {
    name: 'checks-without-evaluation',
    transform: {
      filter: { id: /typebox\/build\/system\/environment\/evaluate\.mjs$/ },
      handler(source) {
        if (!source.includes(asked)) throw new Error('TypeBox asks in other words whether text may be run as code.');
        return { code: source.replace(asked, 'supported = false'), map: null };
      },
    },
  };
}

/** Moves the scripts into a template. `EARLY_SCRIPT` inserts them after the first photos are painted. */
function photosFirst(): Plugin {
  const script = /[ \t]*<(?:script type="module"[^>]*><\/script>|link rel="modulepreload"[^>]*>)\n/g;
  return {
    name: 'photos-first',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html) {
        const scripts = html.match(script)?.join('') ?? '';
        return html
          .replaceAll(script, '')
          .replace(
            '</head>',
            `  <!--styles-->\n    <template id="application"><!--preloads-->\n${scripts}    </template>\n  </head>`,
          );
      },
    },
  };
}
