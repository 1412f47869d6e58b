import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import compileMessage from 'icu-minify/compile';
import { defineConfig, type BuildEnvironmentOptions, type Plugin, type UserConfig } from 'vite';
import { webIcons } from './scripts/web-icons.ts';
import { FIRST_VIEW_FILE } from './src/api/web/first-view.ts';

const ROOT = join(import.meta.dirname, 'src/web');
const OUT_FOLDER = '../../dist/web';

/** The pages, their words, and the one hook that the entry shares with forms: it would bring all of those along. */
const BASE = /\/src\/web\/(?:app\/router|texts\/texts-provider)\.tsx$|\/@mantine\/hooks\/esm\/use-isomorphic-effect\//;

/** Of both builds, in dist/web: the application, and the renderer of the first view, which the service imports. */
export default defineConfig(({ isSsrBuild = false }) => ({
  // From wherever it is started.
  root: ROOT,
  resolve: { alias: { 'use-intl/format-message': 'use-intl/format-message/format-only' } },
  plugins: [react(), compiledTexts(), checksWithoutEvaluation(), ...(isSsrBuild ? [] : [photosFirst(), webIcons()])],
  ...(isSsrBuild ? firstViewBuild() : { build: applicationBuild() }),
}));

function applicationBuild(): BuildEnvironmentOptions {
  return {
    outDir: OUT_FOLDER,
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
  };
}

/** One module with all that it imports: an installed service has no React. */
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
