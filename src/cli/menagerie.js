#!/usr/bin/env node
// Plain JavaScript that imports nothing before it has checked the version: an older Node fails at the first TypeScript
// file, with an obscure error.
const NEEDED = { major: 24, minor: 11 };
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < NEEDED.major || (major === NEEDED.major && minor < NEEDED.minor)) {
  console.error(
    `Menagerie needs Node.js ${NEEDED.major}.${NEEDED.minor} or newer; this is ${process.versions.node}. Install a newer version, or run "npm ci" and then "npm start", which uses the Node.js that npm has installed.`,
  );
  process.exitCode = 1;
} else {
  // With several arenas, glibc keeps 600 MiB after uploads instead of 240. It reads the variable when a process starts,
  // so a server replaces its process, which keeps its ID. `npm start`, the image and the systemd unit set it before.
  const isServer = process.argv[2] === 'serve';
  if (process.platform === 'linux' && isServer && process.env['MALLOC_ARENA_MAX'] === undefined) {
    // scripts/start.ts imports this file.
    const args = [process.execPath, ...process.execArgv, import.meta.filename, ...process.argv.slice(2)];
    process.execve?.(process.execPath, args, { ...process.env, MALLOC_ARENA_MAX: '1' });
  }

  // Photos and password hashes may each use one thread per core; the rest are for files. Must be set before the first
  // use of the pool.
  const { availableParallelism } = await import('node:os');
  process.env['UV_THREADPOOL_SIZE'] ??= String(2 * availableParallelism() + 4);

  // While a service starts, nearly all objects stay alive, so V8 would allocate later objects of the same expressions
  // as long-lived ones. Those of requests live for a moment: they filled the old generation, and with it new pets took
  // 1.2 to 2 times as long.
  const { setFlagsFromString } = await import('node:v8');
  setFlagsFromString('--no-allocation-site-pretenuring');

  // Halves the time of a start, and saves the 30 MB of the TypeScript compiler from the second start on. The cache is
  // in node_modules because anyone who can write there could change the code anyway.
  const { enableCompileCache } = await import('node:module');
  const { fileURLToPath } = await import('node:url');
  enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/menagerie', import.meta.url)));
  // In a checkout the bundle, if it was built from these sources: `npm start` builds it. A package has only the bundle.
  const { existsSync } = await import('node:fs');
  const isCheckout = existsSync(new URL('main.ts', import.meta.url));
  const isSource = isCheckout && !(await import('./build-stamp.js')).isBundled();
  const entry = isSource ? './main.ts' : '../../bundle/main.js';
  const { main } = /** @type {typeof import('./main.ts')} */ (await import(entry));
  await main(process.argv.slice(2), process.env['npm_lifecycle_event']);
}
