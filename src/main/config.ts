import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ACCESS_MODES, type AccessMode } from '../domain/access.ts';
import type { SessionLimits } from '../domain/accounts/session.ts';
import type { HttpSettings } from '../http/app.ts';

/*
 * The only reader of the environment. Every setting is a flag and a variable (`--data-dir`, `MENAGERIE_DATA_DIR`); the flag wins.
 */

export interface Config {
  host: string;
  port: number;
  maxConnections: number;
  /** How many processes answer requests. */
  workers: number;
  dataDir: string;
  /** No sample catalogue, please. */
  empty: boolean;
  logLevel: LogLevel;
  logFormat: 'json' | 'pretty';
  http: HttpSettings;
  sessions: SessionLimits;
  /** May strangers make themselves an account, in secured access? */
  signUp: boolean;
  passwordMinLength: number;
  resetLinkLifetimeMs: number;
  auditRetentionMs: number;
  maxPhotoPixels: number;
  photoGraceMs: number;
  stopTimeoutMs: number;
  /** How many threads Node has for files, pictures and hashes; `cli/menagerie.js` sets it. */
  threadPoolSize: number;
}

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export type ConfigResult = { config: Config } | { problems: readonly string[] };

interface Setting {
  name: string;
  /** For the help: what stands behind the flag. Without it, the flag is a switch. */
  value?: string;
  default: string;
  help: string;
}

const SETTINGS = [
  { name: 'host', value: 'ADDRESS', default: '127.0.0.1', help: 'address to listen on' },
  { name: 'port', value: 'PORT', default: '8080', help: 'port to listen on; 0 picks a free one' },
  { name: 'data-dir', value: 'FOLDER', default: './data', help: 'where the database and the pictures are kept' },
  {
    name: 'access',
    value: 'MODE',
    default: 'open',
    help: 'open: no credentials, loopback only; secured: by role; sandbox: no credentials, any address',
  },
  { name: 'public-url', value: 'URL', default: '', help: 'where clients reach the service, if not as they address it' },
  {
    name: 'cors-origins',
    value: 'ORIGINS',
    default: '',
    help: 'origins of web pages that may call the service, separated by commas',
  },
  {
    name: 'trusted-proxies',
    value: 'COUNT',
    default: '0',
    help: 'so many proxies stand in front, and are believed about the address of a client',
  },
  { name: 'no-sign-up', default: 'false', help: 'in secured access, strangers cannot make themselves an account' },
  {
    name: 'password-min-length',
    value: 'COUNT',
    default: '15',
    help: 'shortest new password in secured access; at least 8',
  },
  { name: 'reset-link-hours', value: 'HOURS', default: '24', help: 'how long a link for a new password can be used' },
  { name: 'audit-retention-days', value: 'DAYS', default: '365', help: 'how long the audit trail is kept' },
  { name: 'empty', default: 'false', help: 'leave the sample catalogue out of a new database' },
  {
    name: 'log-level',
    value: 'LEVEL',
    default: 'info',
    help: `${LOG_LEVELS.join(', ')}; debug has a line for each request`,
  },
  { name: 'log-format', value: 'FORMAT', default: 'auto', help: 'json, pretty, or auto: pretty on a terminal' },
  { name: 'max-body-bytes', value: 'BYTES', default: '1048576', help: 'largest JSON or form body' },
  { name: 'max-photo-bytes', value: 'BYTES', default: '10485760', help: 'largest picture' },
  { name: 'max-photo-pixels', value: 'PIXELS', default: '40000000', help: 'most pixels of a picture' },
  {
    name: 'workers',
    value: 'COUNT',
    default: '1',
    help: 'so many processes answer requests; the sensible most is the number of cores',
  },
  { name: 'max-connections', value: 'COUNT', default: '10000', help: 'most connections at a time' },
  {
    name: 'photo-grace-hours',
    value: 'HOURS',
    default: '720',
    help: 'how long a picture that no pet refers to is kept',
  },
  { name: 'session-idle-hours', value: 'HOURS', default: '24', help: 'an unused session ends after this time' },
  { name: 'session-lifetime-days', value: 'DAYS', default: '30', help: 'every session ends after this time' },
  {
    name: 'session-requests-per-hour',
    value: 'COUNT',
    default: '10000000',
    help: 'most requests of one session in an hour',
  },
  {
    name: 'idle-timeout-seconds',
    value: 'SECONDS',
    default: '60',
    help: 'a connection on which nothing moves is closed',
  },
  {
    name: 'keep-alive-seconds',
    value: 'SECONDS',
    default: '72',
    help: 'how long a connection waits for its next request',
  },
  { name: 'headers-timeout-seconds', value: 'SECONDS', default: '20', help: 'for the header of a request to arrive' },
  { name: 'request-timeout-seconds', value: 'SECONDS', default: '300', help: 'for a whole request to arrive' },
  {
    name: 'stop-timeout-seconds',
    value: 'SECONDS',
    default: '20',
    help: 'for open requests to end when the service stops',
  },
] as const satisfies readonly Setting[];

type SettingName = (typeof SETTINGS)[number]['name'];
type Environment = Readonly<Record<string, string | undefined>>;

const HOUR_MS = 3_600_000;
const MAX_WORKERS = 64;

/** libuv's own (https://docs.libuv.org/en/v1.x/threadpool.html). */
const DEFAULT_THREAD_POOL_SIZE = 4;
const LOOPBACK_ADDRESS = /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/i;

/**
 * Reads the flags of `menagerie serve` and the environment. All problems are told at once, by the name of the setting and never by its value:
 * a value may be a secret.
 *
 * @param isTerminal whether a person looks at the log
 */
export function readConfig(args: readonly string[], environment: Environment, isTerminal = false): ConfigResult {
  const problems: string[] = [];
  const flags = readFlags(args, problems);
  const text = (name: SettingName) => flags[name] ?? environment[variableOf(name)] ?? defaultOf(name);

  function number(name: SettingName, least: number, most: number): number {
    const value = /^\d{1,15}$/.test(text(name)) ? Number(text(name)) : Number.NaN;
    if (value >= least && value <= most) return value;
    problems.push(`${told(name)} must be a whole number from ${least} to ${most}.`);
    return least;
  }

  function choice<T extends string>(name: SettingName, choices: readonly T[]): T {
    const found = choices.find((candidate) => candidate === text(name));
    if (found === undefined) problems.push(`${told(name)} must be one of ${choices.join(', ')}.`);
    return found ?? (choices[0] as T);
  }

  function origin(name: SettingName, value: string, keepPath: boolean): string {
    const url = URL.canParse(value) ? new URL(value) : undefined;
    const isPlain =
      url !== undefined &&
      /^https?:$/.test(url.protocol) &&
      url.search === '' &&
      url.hash === '' &&
      url.username === '' &&
      url.password === '';
    if (isPlain && (keepPath || url.pathname === '/')) return keepPath ? url.href.replace(/\/+$/, '') : url.origin;
    problems.push(`${told(name)} must hold ${keepPath ? 'a URL' : 'origins'} such as https://pets.example.org.`);
    return '';
  }

  const access = choice<AccessMode>('access', ACCESS_MODES);
  const host = text('host');
  if (access === 'open' && !isLoopback(host)) {
    problems.push(
      `${told('host')} must be a loopback address (127.0.0.1, ::1, localhost) with open access, which asks nobody for credentials. Leave it out to serve this machine only, or serve others with --access secured.`,
    );
  }
  const publicUrl = text('public-url') === '' ? undefined : origin('public-url', text('public-url'), true);
  const corsOrigins =
    text('cors-origins') === ''
      ? []
      : text('cors-origins')
          .split(',')
          .map((value) => origin('cors-origins', value.trim(), false));
  const format = choice('log-format', ['auto', 'json', 'pretty']);
  if (text('data-dir') === '') problems.push(`${told('data-dir')} must name a folder.`);

  const config: Config = {
    host: host.replace(/^\[(.*)\]$/, '$1'),
    port: number('port', 0, 65_535),
    maxConnections: number('max-connections', 1, 1_000_000),
    workers: number('workers', 1, MAX_WORKERS),
    dataDir: resolve(text('data-dir')),
    empty: choice('empty', ['false', 'true']) === 'true',
    logLevel: choice('log-level', LOG_LEVELS),
    logFormat: format === 'auto' ? (isTerminal ? 'pretty' : 'json') : format,
    http: {
      access,
      publicUrl,
      corsOrigins,
      trustedProxies: number('trusted-proxies', 0, 16),
      maxBodyBytes: number('max-body-bytes', 1024, 2 ** 30),
      maxPhotoBytes: number('max-photo-bytes', 1024, 2 ** 30),
      idleTimeoutMs: number('idle-timeout-seconds', 1, 86_400) * 1000,
      keepAliveTimeoutMs: number('keep-alive-seconds', 1, 86_400) * 1000,
      headersTimeoutMs: number('headers-timeout-seconds', 1, 86_400) * 1000,
      requestTimeoutMs: number('request-timeout-seconds', 1, 86_400) * 1000,
    },
    sessions: {
      idleMs: number('session-idle-hours', 1, 8760) * HOUR_MS,
      lifetimeMs: number('session-lifetime-days', 1, 3650) * 24 * HOUR_MS,
      requestsPerHour: number('session-requests-per-hour', 1, 2 ** 31 - 1),
    },
    signUp: choice('no-sign-up', ['false', 'true']) === 'false',
    passwordMinLength: number('password-min-length', 8, 64),
    resetLinkLifetimeMs: number('reset-link-hours', 1, 720) * HOUR_MS,
    auditRetentionMs: number('audit-retention-days', 1, 36_500) * 24 * HOUR_MS,
    maxPhotoPixels: number('max-photo-pixels', 1, 268_000_000),
    photoGraceMs: number('photo-grace-hours', 1, 876_000) * HOUR_MS,
    stopTimeoutMs: number('stop-timeout-seconds', 1, 24) * 1000,
    // As libuv reads it: what is no number counts as none.
    threadPoolSize: Math.max(
      1,
      Number.parseInt(environment['UV_THREADPOOL_SIZE'] ?? '', 10) || DEFAULT_THREAD_POOL_SIZE,
    ),
  };
  if (problems.length === 0 && config.http.headersTimeoutMs > config.http.requestTimeoutMs) {
    problems.push(`${told('headers-timeout-seconds')} must not be longer than ${told('request-timeout-seconds')}.`);
  }
  return problems.length > 0 ? { problems } : { config: deepFreeze(config) };
}

/** The configuration of this process. */
export function readOwnConfig(args: readonly string[]): ConfigResult {
  return readConfig(args, process.env, process.stderr.isTTY);
}

export function isLoopback(host: string): boolean {
  return LOOPBACK_ADDRESS.test(host);
}

/** The flags as `--help` shows them. */
export function settingsHelp(): string {
  return SETTINGS.map((setting: Setting) => {
    const flag = `--${setting.name}${setting.value === undefined ? '' : ` ${setting.value}`}`;
    const byDefault = setting.default === '' || setting.value === undefined ? '' : ` (default ${setting.default})`;
    return `  ${flag.padEnd(36)}${setting.help}${byDefault}`;
  }).join('\n');
}

function readFlags(args: readonly string[], problems: string[]): Partial<Record<SettingName, string>> {
  const takesValue = new Map<string, boolean>(
    SETTINGS.map((setting: Setting) => [setting.name, setting.value !== undefined]),
  );
  const options = Object.fromEntries(
    [...takesValue].map(([name, value]) => [name, { type: value ? ('string' as const) : ('boolean' as const) }]),
  );
  // Not strict: the parser's own complaints stop at the first, and repeat what was given.
  const { tokens } = parseArgs({ args: [...args], options, allowPositionals: true, strict: false, tokens: true });
  const flags: Record<string, string> = {};
  for (const token of tokens) {
    if (token.kind === 'positional') problems.push('There is an argument that belongs to no flag. Try --help.');
    if (token.kind !== 'option') continue;
    const { name, rawName, value } = token;
    if (!takesValue.has(name)) problems.push(`There is no flag ${rawName}. Try --help.`);
    else if (!takesValue.get(name)) flags[name] = value ?? 'true';
    else if (value === undefined || (value.startsWith('-') && !token.inlineValue))
      problems.push(`--${name} needs a value.`);
    else flags[name] = value;
  }
  return flags;
}

/** How a setting is named to a person: by its flag and its variable. */
function told(name: SettingName): string {
  return `--${name} (${variableOf(name)})`;
}

function variableOf(name: SettingName): string {
  return `MENAGERIE_${name.toUpperCase().replaceAll('-', '_')}`;
}

function defaultOf(name: SettingName): string {
  return SETTINGS.find((setting) => setting.name === name)?.default ?? '';
}

function deepFreeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) deepFreeze(part);
  return Object.freeze(value);
}
