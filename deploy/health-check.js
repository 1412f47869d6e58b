/*
 * Health check of the container: exits with 0 if the service is ready, otherwise with 1. The image has no curl.
 *
 * It finds host and port as the service does, also with the same flags, but loads nothing of it: it runs every few
 * seconds.
 */
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';

/** Shorter than the timeout of Docker, which kills this process. */
const TIMEOUT_MS = 4000;

/** `MENAGERIE_PORT` of a Kubernetes Service called `menagerie`, which is no setting. */
const SERVICE_PORT = /^(?:tcp|udp|sctp):\/\//i;

/** A line of TOML outside of any table, with a text or a number. */
const LINE = /^\s*["']?(host|port)["']?\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s#]+))/;

const { env } = process;
const args = process.argv.slice(2);
const settings = settingsIn(pathOfConfigFile());
const host = find('host') ?? settings['host'] ?? '127.0.0.1';
const port = (find('port') ?? settings['port'] ?? '8080').replaceAll('_', '');

/** All addresses are no address to connect to. */
const LOOPBACK = { '0.0.0.0': '127.0.0.1', '::': '::1', '[::]': '::1' };

const isReady = await new Promise((resolve) => {
  const target = LOOPBACK[host] ?? host.replace(/^\[(.*)\]$/, '$1');
  const request = get({ host: target, port, path: '/readyz', signal: AbortSignal.timeout(TIMEOUT_MS) });
  request.on('response', ({ statusCode }) => resolve(statusCode === 200));
  request.on('error', () => resolve(false));
});
process.exit(isReady ? 0 : 1);

/** The value of a flag, a variable, the file of a variable, or a credential of systemd. */
function find(name) {
  const variable = `MENAGERIE_${name.toUpperCase().replaceAll('-', '_')}`;
  const text = env[variable];
  const isSet = text !== undefined && text !== '' && !SERVICE_PORT.test(text);
  return (
    flag(name) ??
    (isSet ? text : undefined) ??
    contentOf(env[`${variable}_FILE`]) ??
    contentOf(env['CREDENTIALS_DIRECTORY'] && join(env['CREDENTIALS_DIRECTORY'], `menagerie.${name}`))
  )?.trim();
}

function flag(name) {
  const index = args.findLastIndex((arg) => arg === `--${name}` || arg.startsWith(`--${name}=`));
  if (index === -1) return undefined;
  return args[index]?.includes('=') ? args[index].slice(name.length + 3) : args[index + 1];
}

function pathOfConfigFile() {
  return flag('config') ?? (env['MENAGERIE_CONFIG'] || join(find('data-dir') ?? './data', 'menagerie.toml'));
}

function settingsIn(path) {
  const lines = (contentOf(path) ?? '').split('\n');
  const firstTable = lines.findIndex((line) => /^\s*\[/.test(line));
  const found = lines.slice(0, firstTable === -1 ? undefined : firstTable).map((line) => LINE.exec(line));
  return Object.fromEntries(found.flatMap((parts) => (parts ? [[parts[1], parts[2] ?? parts[3] ?? parts[4]]] : [])));
}

/** Undefined for a file that does not exist, or that only others may read. */
function contentOf(path) {
  try {
    return path ? readFileSync(path, 'utf8').replace(/^\ufeff/, '') : undefined;
  } catch {
    return undefined;
  }
}
