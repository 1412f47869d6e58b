import { spawn } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/*
 * Runs a script, with the newer Node.js that npm has installed for this project if this one is too old: `node
 * scripts/newer-node.js SCRIPT [ARGUMENTS]`.
 *
 * npm scripts find the newer one themselves, as node_modules/.bin/node. But npm 10 deletes that link: it deletes the
 * commands of the packages for other systems, which have the same name. Plain JavaScript, because an older Node.js does
 * not run TypeScript.
 */

const NEEDED = { major: 24, minor: 11 };
const ROOT = new URL('../', import.meta.url);

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const script = resolve(process.argv[2] ?? '');
if (major > NEEDED.major || (major === NEEDED.major && minor >= NEEDED.minor)) {
  process.argv.splice(1, 2, script);
  // As in src/cli/menagerie.js: without it, each start loads the compiler for the script (30 MB).
  const { enableCompileCache } = await import('node:module');
  enableCompileCache(fileURLToPath(new URL('node_modules/.cache/menagerie', ROOT)));
  await import(pathToFileURL(script).href);
} else {
  const newer = findNewerNode();
  if (newer === undefined) {
    console.error(
      `Menagerie needs Node.js ${NEEDED.major}.${NEEDED.minor} or newer; this is ${process.versions.node}. Install a newer version, or run "npm ci", which installs one for this project.`,
    );
    process.exitCode = 1;
  } else {
    restoreLink(newer);
    runWith(newer);
  }
}

function findNewerNode() {
  const { optionalDependencies } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8'));
  const executable = process.platform === 'win32' ? 'node.exe' : 'node';
  return Object.keys(optionalDependencies)
    .map((name) => fileURLToPath(new URL(`node_modules/${name}/bin/${executable}`, ROOT)))
    .find((path) => existsSync(path));
}

/** @param {string} newer */
function restoreLink(newer) {
  // On Windows, commands are no links.
  if (process.platform === 'win32') return;
  const link = fileURLToPath(new URL('node_modules/.bin/node', ROOT));
  try {
    symlinkSync(relative(dirname(link), newer), link);
  } catch {
    // Another process has restored it, or the folder is read-only.
  }
}

/** @param {string} node */
function runWith(node) {
  const child = spawn(node, [script, ...process.argv.slice(3)], { stdio: 'inherit' });
  for (const signal of /** @type {const} */ (['SIGTERM', 'SIGINT', 'SIGHUP']))
    process.on(signal, () => void child.kill(signal));
  child.on('exit', (code, signal) => {
    process.exitCode = signal === null ? (code ?? 1) : 1;
  });
}
