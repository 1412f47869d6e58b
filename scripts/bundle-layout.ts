import { dirname, join, relative, resolve, sep } from 'node:path';
import type { Plugin } from 'vite';

const ROOT = join(import.meta.dirname, '..');
const SOURCES = join(ROOT, 'src');
const MAPPED_STACKS = join(import.meta.dirname, 'mapped-stacks.ts');

/** The files that `new Worker` and `fork` start. */
const ENTRY_URL = /new URL\('([\w./-]+-(?:entry|thread)\.[jt]s)', import\.meta\.url\)/g;

/** The other URLs; those above are complete. */
const OTHER_URL = /(?<!new URL\('\.\/[\w-]+\.js', )import\.meta\.url\b/g;

/** Processes and threads. The client and the service for tests are imported into other programs. */
const PROGRAM = /-(?:entry|thread)\.[jt]s$|[\\/]cli[\\/]main\.ts$/;

/**
 * Keeps what depends on the places of files. The bundle is one folder in the root, as src/ is, and a module finds other
 * files as if it still were in its subfolder. A file in `new URL('...', import.meta.url)` that a process or a thread
 * runs is an entry of the bundle. These map their stack traces.
 */
export function bundleLayout(): Plugin {
  return {
    name: 'bundle-layout',
    enforce: 'pre',
    transform(text, id) {
      // Stack traces name our own sources only: the map of a large file is read in half the time.
      if (id.includes('node_modules')) return { code: text, map: { mappings: '' } };
      const place = relative(SOURCES, id).replaceAll(sep, '/');
      if (place.startsWith('..')) return undefined;
      const code = text
        .replaceAll(ENTRY_URL, (_, path: string) => {
          const file = resolve(dirname(id), path);
          const name = relative(SOURCES, file)
            .replaceAll(/[\\/]/g, '-')
            .replace(/\.[jt]s$/, '.js');
          this.emitFile({ type: 'chunk', id: file, fileName: name });
          return `new URL('./${name}', import.meta.url)`;
        })
        .replaceAll('import.meta.dirname', `(import.meta.dirname + '/${dirname(place)}')`)
        .replaceAll(OTHER_URL, `new URL('${place}', import.meta.url).href`);
      // In the first line, to keep the numbers of the others.
      const first = PROGRAM.test(id) ? `import ${JSON.stringify(MAPPED_STACKS)};` : '';
      return { code: first + code, map: null };
    },
  };
}
