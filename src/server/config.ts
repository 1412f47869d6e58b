import { resolve } from 'node:path';
import { withoutTrailingSlashes } from '../client/requests.ts';
import { DEFAULT_HASH_PARAMETERS, type Argon2Parameters } from '../services/crypto/password-hasher.ts';
import { ACCESS_MODES, type AccessMode } from '../domain/access.ts';
import type { SessionLimits } from '../domain/accounts/session.ts';
import type { HttpSettings } from '../http/settings.ts';
import { readDatabaseUrl, type DatabaseAddress } from '../storage/postgres/engine/connection-url.ts';
import { readS3Url, type S3Settings } from '../storage/s3/s3-url.ts';
import {
  defaultOf,
  explainUnknownVariables,
  LOG_LEVELS,
  readFlags,
  told,
  variableOf,
  type CommandSettingName,
  type LogLevel,
  type SettingName,
} from './settings.ts';
import { WEB_FOLDER } from './web/web-build.ts';

/*
 * The only reader of the environment. Every setting is a flag and a variable (`--data-dir`, `MENAGERIE_DATA_DIR`); the flag wins.
 */

/** Where everything is kept. */
export interface StorePlaces {
  /** Not used where everything is in memory. */
  dataDir: string;
  /** Everything in memory, for as long as the service lasts. */
  isEphemeral?: boolean;
  /** PostgreSQL, where the database is not in the data folder. Secret. */
  database?: DatabaseAddress | undefined;
  databaseConnections?: number;
  /** How long PostgreSQL may take for a statement. */
  databaseTimeoutMs?: number;
  /** Servers that follow that one, and may be read. Secret. */
  standby?: DatabaseAddress | undefined;
  /** A bucket, where the pictures are not in the data folder. */
  bucket?: S3Settings | undefined;
}

export interface WebhookSettings {
  /** May they be anywhere, this machine included, and over plain http? */
  isPrivateAllowed: boolean;
  timeoutMs: number;
  /** After each failed attempt, so long until the next one. */
  retryDelaysMs: readonly number[];
}

export interface Config extends StorePlaces {
  host: string;
  port: number;
  /** How many processes answer requests. */
  workers: number;
  /** No sample catalogue, please. */
  empty: boolean;
  logLevel: LogLevel;
  logFormat: 'json' | 'pretty';
  http: HttpSettings;
  sessions: SessionLimits;
  webhooks: WebhookSettings;
  /** May strangers make themselves an account, in secured access? */
  signUp: boolean;
  passwordMinLength: number;
  /** Cost of a password hash. There is no flag for it, so that no operator lowers it; tests pass cheaper parameters. */
  passwordHashing: Argon2Parameters;
  resetLinkLifetimeMs: number;
  auditRetentionMs: number;
  photoGraceMs: number;
  stopTimeoutMs: number;
  /** Where the web application lies, built; undefined for a service without it. */
  webFolder: string | undefined;
  /** How many threads Node has for files, pictures and hashes; `cli/menagerie.js` sets it. */
  threadPoolSize: number;
}

export type ConfigResult = { config: Config } | { problems: readonly string[] };

type Environment = Readonly<Record<string, string | undefined>>;

const HOUR_MS = 3_600_000;
const MAX_WORKERS = 64;
const MAX_DELAYS = 20;

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

  function delays(name: SettingName): readonly number[] {
    const values = text(name)
      .split(',')
      .map((value) => value.trim());
    if (values.length <= MAX_DELAYS && values.every((value) => /^\d{1,7}$/.test(value)))
      return values.map((value) => Number(value) * 1000);
    problems.push(`${told(name)} must be seconds, separated by commas, ${MAX_DELAYS} at most.`);
    return [];
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
    if (isPlain && (keepPath || url.pathname === '/')) return keepPath ? withoutTrailingSlashes(url.href) : url.origin;
    problems.push(`${told(name)} must hold ${keepPath ? 'a URL' : 'origins'} such as https://pets.example.org.`);
    return '';
  }

  function database(name: SettingName): DatabaseAddress | undefined {
    if (text(name) === '') return undefined;
    const address = readDatabaseUrl(text(name));
    if (typeof address !== 'string') return address;
    problems.push(`${told(name)} ${address}`);
    return undefined;
  }

  function bucket(name: SettingName): S3Settings | undefined {
    if (text(name) === '') return undefined;
    const result = readS3Url(text(name));
    if ('settings' in result) return result.settings;
    problems.push(...result.problems.map((problem) => `${told(name)}: ${problem}`));
    return undefined;
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

  const workers = number('workers', 1, MAX_WORKERS);
  const config: Config = {
    host: host.replace(/^\[(.*)\]$/, '$1'),
    port: number('port', 0, 65_535),
    workers,
    dataDir: resolve(text('data-dir')),
    isEphemeral: choice('ephemeral', ['false', 'true']) === 'true',
    database: database('database-url'),
    databaseConnections: number('database-connections', 3, 1000),
    databaseTimeoutMs: number('database-timeout-seconds', 1, 600) * 1000,
    standby: database('database-standby-url'),
    bucket: bucket('photos-url'),
    empty: choice('empty', ['false', 'true']) === 'true',
    logLevel: choice('log-level', LOG_LEVELS),
    logFormat: format === 'auto' ? (isTerminal ? 'pretty' : 'json') : format,
    http: {
      access,
      publicUrl,
      corsOrigins,
      trustedProxies: number('trusted-proxies', 0, 16),
      maxConnections: Math.ceil(number('max-connections', 1, 1_000_000) / workers),
      maxConnectionsPerAddress: Math.ceil(number('max-connections-per-address', 1, 1_000_000) / workers),
      bodyTimeoutMs: number('body-timeout-seconds', 1, 86_400) * 1000,
      maxBodyBytes: number('max-body-bytes', 1024, 2 ** 30),
      maxPhotoBytes: number('max-photo-bytes', 1024, 2 ** 30),
      maxPhotoPixels: number('max-photo-pixels', 1, 268_000_000),
      idleTimeoutMs: number('idle-timeout-seconds', 1, 86_400) * 1000,
      keepAliveTimeoutMs: number('keep-alive-seconds', 1, 86_400) * 1000,
      headersTimeoutMs: number('headers-timeout-seconds', 1, 86_400) * 1000,
      eventHeartbeatMs: number('event-heartbeat-seconds', 1, 3600) * 1000,
      maxEventStreams: Math.ceil(number('max-event-streams', 0, 1_000_000) / workers),
      maxEventStreamsPerAddress: number('max-event-streams-per-address', 1, 1_000_000),
      requestTimeoutMs: number('request-timeout-seconds', 1, 86_400) * 1000,
    },
    sessions: {
      idleMs: number('session-idle-hours', 1, 8760) * HOUR_MS,
      lifetimeMs: number('session-lifetime-days', 1, 3650) * 24 * HOUR_MS,
      requestsPerHour: number('session-requests-per-hour', 1, 2 ** 31 - 1),
    },
    webhooks: {
      isPrivateAllowed: choice('webhook-private-addresses', ['false', 'true']) === 'true',
      timeoutMs: number('webhook-timeout-seconds', 1, 60) * 1000,
      retryDelaysMs: delays('webhook-retry-seconds'),
    },
    signUp: choice('no-sign-up', ['false', 'true']) === 'false',
    passwordMinLength: number('password-min-length', 8, 64),
    passwordHashing: DEFAULT_HASH_PARAMETERS,
    resetLinkLifetimeMs: number('reset-link-hours', 1, 720) * HOUR_MS,
    auditRetentionMs: number('audit-retention-days', 1, 36_500) * 24 * HOUR_MS,
    photoGraceMs: number('photo-grace-hours', 1, 876_000) * HOUR_MS,
    stopTimeoutMs: number('stop-timeout-seconds', 1, 24) * 1000,
    webFolder: WEB_FOLDER,
    // As libuv reads it: what is no number counts as none.
    threadPoolSize: Math.max(
      1,
      Number.parseInt(environment['UV_THREADPOOL_SIZE'] ?? '', 10) || DEFAULT_THREAD_POOL_SIZE,
    ),
  };
  if (problems.length === 0 && config.http.headersTimeoutMs > config.http.requestTimeoutMs) {
    problems.push(`${told('headers-timeout-seconds')} must not be longer than ${told('request-timeout-seconds')}.`);
  }
  if (config.standby !== undefined && config.database === undefined && problems.length === 0)
    problems.push(`${told('database-standby-url')} is of use only beside ${told('database-url')}.`);
  // The folder may be named by the environment of a container image: that is no wish of whoever asks for none.
  if (config.isEphemeral) problems.push(...withoutDisk(config, flags['data-dir'] !== undefined));
  return problems.length > 0 ? { problems } : { config: deepFreeze(config) };
}

/** What cannot be had of a service of which nothing is on the disk. */
function withoutDisk({ database, bucket, workers, http }: Config, isFolderGiven: boolean): string[] {
  const others: [isThere: boolean, name: SettingName][] = [
    [isFolderGiven, 'data-dir'],
    [database !== undefined, 'database-url'],
    [bucket !== undefined, 'photos-url'],
  ];
  const problems = others
    .filter(([isThere]) => isThere)
    .map(([, name]) => `${told('ephemeral')} keeps everything in memory: leave ${told(name)} out.`);
  if (workers > 1) problems.push(`${told('ephemeral')} is for one process: leave ${told('workers')} out.`);
  if (http.access === 'secured') {
    problems.push(
      `${told('ephemeral')} begins without an administrator, whom secured access needs: choose --access open or sandbox.`,
    );
  }
  return problems;
}

/** The configuration of this process. */
export function readOwnConfig(args: readonly string[]): ConfigResult {
  return readConfig(args, process.env, process.stderr.isTTY);
}

/** One sentence for each unknown variable in the environment of this process. */
export function explainOwnVariables(): readonly string[] {
  return explainUnknownVariables(process.env);
}

/** A setting of a command other than `serve`, as its variable has it. */
export function readCommandVariable(name: CommandSettingName): string | undefined {
  return process.env[variableOf(name)];
}

export function isLoopback(host: string): boolean {
  return LOOPBACK_ADDRESS.test(host);
}

function deepFreeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) deepFreeze(part);
  return Object.freeze(value);
}
