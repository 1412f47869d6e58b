import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import compileMessage from 'icu-minify/compile';
import { defineConfig, type Plugin } from 'vite';

/** The web application: sources in src/web, what is served in dist/web. */
export default defineConfig({
  // From wherever it is started.
  root: join(import.meta.dirname, 'src/web'),
  plugins: [react(), compiledTexts(), checksWithoutEvaluation()],
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
    rolldownOptions: {
      // What every page needs is one file, and what a kind of page needs beside it another: dozens of small ones take turns on the few connections
      // that a browser opens.
      output: {
        codeSplitting: {
          groups: [
            { name: 'base', test: /\/src\/web\/(?:app\/router|texts\/texts-provider)\.tsx$/, priority: 2 },
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
