// Plain JavaScript, for an older Node stops at the first TypeScript file: then the executable says what to do. The same version stands there.
const NEEDED = { major: 24, minor: 11 };
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major > NEEDED.major || (major === NEEDED.major && minor >= NEEDED.minor)) {
  const { isWebBuilt } = await import('./web-stamp.ts');
  if (!isWebBuilt()) await build();
}
process.argv.splice(2, 0, 'serve');
await import('../src/cli/menagerie.js');

/** In a process of its own, which leaves nothing behind in the memory of the service. Whatever comes of it, the service starts. */
async function build() {
  const { existsSync } = await import('node:fs');
  if (!existsSync(new URL('../node_modules/vite', import.meta.url))) {
    console.error('What builds the web application is not installed: "npm ci" without --omit=dev brings it.');
    return;
  }
  const { spawn } = await import('node:child_process');
  const { once } = await import('node:events');
  const { fileURLToPath } = await import('node:url');
  const script = fileURLToPath(new URL('build-web.ts', import.meta.url));
  const builder = spawn(process.execPath, [script, '--if-stale'], { stdio: 'inherit' });
  // Rejected where there could be no such process.
  const [code] = await once(builder, 'exit').catch(() => [1]);
  if (code !== 0) console.error('The web application could not be built. The service starts all the same.');
}
