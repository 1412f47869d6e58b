import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import react from '@vitejs/plugin-react';
import compileMessage from 'icu-minify/compile';
import { defineConfig, type Plugin } from 'vite';
import { webIcons } from './scripts/web-icons.ts';
import { LOOKS_FILE, LOOKS_TEXTS, type Looks, type LooksTexts } from './src/api/web/looks.ts';

const ROOT = join(import.meta.dirname, 'src/web');

const looks = tellLooks();

/** The pages, their words, and the one hook that the entry shares with forms: it would bring all of those along. */
const BASE = /\/src\/web\/(?:app\/router|texts\/texts-provider)\.tsx$|\/@mantine\/hooks\/esm\/use-isomorphic-effect\//;

/** The web application: sources in src/web, what is served in dist/web. */
export default defineConfig({
  // From wherever it is started.
  root: ROOT,
  plugins: [react(), compiledTexts(), checksWithoutEvaluation(), looks.plugin, photosFirst(), webIcons()],
  css: { modules: { getJSON: looks.noteClasses } },
  resolve: {
    alias: { 'use-intl/format-message': 'use-intl/format-message/format-only' },
  },
  build: {
    outDir: '../../dist/web',
    emptyOutDir: true,
    // What the service needs to know of the pieces: which files a page of its own wants first.
    manifest: true,
    // Every address of ours is served by ourselves; pictures in the address would be forbidden by the policy for scripts and styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // One style sheet for all pages: each further one that blocks rendering costs a round trip or a connection.
    cssCodeSplit: false,
    rolldownOptions: {
      // What every page needs is one file, and what a kind of page needs beside it another: dozens of small ones take turns on the few connections
      // that a browser opens.
      output: {
        codeSplitting: {
          groups: [
            { name: 'base', test: BASE, priority: 2 },
            { name: 'forms', test: /\/src\/web\/design\/(?:dialog|field|password-field)\.tsx$/, priority: 1 },
          ],
        },
      },
    },
    target: ['chrome123', 'edge123', 'firefox128', 'safari17.5'],
  },
});

/** Reads the texts beforehand: then no page has to bring along what reads them (10 KB of 150). */
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

/**
 * Keeps TypeBox from trying whether text may be run as code, which it does before it looks at its setting: the policy of our pages forbids it, and the
 * browser reports each try.
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

/** Tells the service what it shows before the application is there (`src/api/web/looks.ts`). */
function tellLooks(): { plugin: Plugin; noteClasses: (file: string, names: Record<string, string>) => void } {
  const classes: Record<string, Record<string, string>> = {};
  return {
    noteClasses: (file, names) => {
      classes[relative(ROOT, file).replaceAll(sep, '/')] = names;
    },
    plugin: {
      name: 'looks',
      apply: 'build',
      generateBundle() {
        const content: Looks = { classes, texts: firstTexts() };
        this.emitFile({ type: 'asset', fileName: LOOKS_FILE, source: JSON.stringify(content) });
      },
    },
  };
}

function firstTexts(): Looks['texts'] {
  const folder = join(ROOT, 'texts');
  const languages = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return Object.fromEntries(
    languages.map(({ name }) => [
      name,
      Object.fromEntries(LOOKS_TEXTS.map((file) => [file, readTexts(join(folder, name, `${file}.json`))])),
    ]),
  );
}

function readTexts(path: string): LooksTexts {
  return JSON.parse(readFileSync(path, 'utf8')) as LooksTexts;
}

/** Puts the scripts into a template. `EARLY_SCRIPT` takes them out when the first photos are drawn. */
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
          .replace('</head>', `  <template id="application"><!--preloads-->\n${scripts}    </template>\n  </head>`);
      },
    },
  };
}
