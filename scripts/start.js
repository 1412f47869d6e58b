// Plain JavaScript, because an older Node fails at the first TypeScript file; the executable then prints the required version, which is the same.
const NEEDED = { major: 24, minor: 11 };
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major > NEEDED.major || (major === NEEDED.major && minor >= NEEDED.minor)) {
  const { isWebBuilt } = await import('./web-stamp.ts');
  if (!isWebBuilt()) await build();
}
process.argv.splice(2, 0, 'serve');
await import('../src/cli/menagerie.js');

/** Builds in a separate process, to keep the memory of the service small. The service starts even if the build fails. */
async function build() {
  const { existsSync } = await import('node:fs');
  if (!existsSync(new URL('../node_modules/vite', import.meta.url))) {
    console.error(
      'The build tools of the web application are not installed. Run "npm ci" without --omit=dev to install them.',
    );
    return;
  }
  const { spawn } = await import('node:child_process');
  const { once } = await import('node:events');
  const { fileURLToPath } = await import('node:url');
  const script = fileURLToPath(new URL('build-web.ts', import.meta.url));
  const builder = spawn(process.execPath, [script, '--if-stale'], { stdio: 'inherit' });
  // Rejects if the process cannot be started.
  const [code] = await once(builder, 'exit').catch(() => [1]);
  if (code !== 0) console.error('Building the web application failed. The service starts without a new build.');
}
