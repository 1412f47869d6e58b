#!/usr/bin/env node
// Plain JavaScript, and nothing imported before the version is known: an older Node stops at the first TypeScript file with an error that
// tells nobody what to do.
const NEEDED = { major: 24, minor: 11 };
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < NEEDED.major || (major === NEEDED.major && minor < NEEDED.minor)) {
  console.error(
    `Menagerie needs Node.js ${NEEDED.major}.${NEEDED.minor} or newer; this is ${process.versions.node}. Run it with "npm start" after "npm ci", which brings one, or install a newer Node.js.`,
  );
  process.exitCode = 1;
} else {
  // Pictures and hashes may each take as many threads as there are cores, and files are to be read all the same. The pool begins with its first use.
  const { availableParallelism } = await import('node:os');
  process.env['UV_THREADPOOL_SIZE'] ??= String(2 * availableParallelism() + 4);

  // With it, a start takes half the time, and the translator from TypeScript, with its 30 MB of memory, is only there for the very first one. Beside
  // the packages: whoever can write there can change the code as well.
  const { enableCompileCache } = await import('node:module');
  const { fileURLToPath } = await import('node:url');
  enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/menagerie', import.meta.url)));
  // Below node_modules, Node.js takes no TypeScript: a package brings what was made of it.
  const entry = import.meta.url.includes('/node_modules/') ? '../../dist/cli/main.js' : './main.ts';
  const { main } = /** @type {typeof import('./main.ts')} */ (await import(entry));
  await main(process.argv.slice(2));
}
