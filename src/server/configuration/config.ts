import { resolve } from 'node:path';
import { DEFAULT_HASH_PARAMETERS, type Argon2Parameters } from '../../services/crypto/passwords.ts';
import { ACCESS_MODES, ROLES, type AccessMode, type Role, type SecondFactorPolicy } from '../../domain/access.ts';
import type { TracingSettings } from '../../services/tracing/otlp-tracing.ts';
import type { Provider } from '../../domain/providers/provider.ts';
import type { SessionLimits } from '../../domain/accounts/session.ts';
import type { SmtpSettings } from '../../services/mail/smtp-url.ts';
import { FEATURE_FIXED_SETTINGS, FEATURE_SETTINGS } from '../../features/names.ts';
import { FEATURE_SETTING_RULES } from '../../features/settings.ts';
import type { HttpSettings } from '../../http/pipeline/settings.ts';
import type { DatabaseAddress } from '../../storage/postgres/engine/connection-url.ts';
import type { S3Settings } from '../../storage/s3/s3-url.ts';
import {
  LOG_LEVELS,
  labelOf,
  variableOf,
  type CommandSettingName,
  type LogLevel,
  type SettingName,
  type SettingRule,
} from './settings.ts';
import { FIXED_HTTP, FIXED_SESSIONS, STOP_TIMEOUT_MS } from './fixed-settings.ts';
import type { FeatureSettings, FlagsOfFeatures } from '../features/feature.ts';
import { BACKGROUND_NICENESS } from '../system/background-threads.ts';
import { effectiveSettings, type EffectiveSetting } from './effective-settings.ts';
import { explainExposedFiles, explainUnknownNames, type Environment } from './setting-sources.ts';
import { serviceVariablesIn } from './service-variables.ts';
import { problemsWithHttps, readHttps, type HttpsSettings } from './https-settings.ts';
import { isHost, SettingValues, type ListenAddress } from './setting-values.ts';
import { readTracing } from './tracing-variables.ts';
import type { FilesPlace } from './places.ts';
import { WEB_FOLDER } from '../web/web-build.ts';

/*
 * The only reader of the environment.
 */

/** Where the data is stored. */
export interface StorePlaces {
  /** Unused if everything is in memory. */
  dataDir: string;
  /** Everything is in memory, until the service stops. */
  isEphemeral?: boolean;
  /** PostgreSQL, unless the database is in the data folder. Secret. */
  database?: DatabaseAddress | undefined;
  databaseConnections?: number;
  /** Timeout of a statement on PostgreSQL. Tests pass a longer one. */
  databaseTimeoutMs?: number;
  /** Replicas of the database, for reads. Secret. */
  standby?: DatabaseAddress | undefined;
  /** Bucket of the photos, unless they are in the data folder. */
  bucket?: S3Settings | undefined;
  /** Undefined without daily backups. */
  backup?: BackupSettings | undefined;
  /** The age recipients of backups in a folder or bucket. Without one, they are not encrypted. */
  backupRecipients?: readonly string[];
  /** The key that encrypts secrets in the database; undefined for a file in the data folder. Secret. */
  secretKey?: string | undefined;
  /** Whether settings that administrators store may name servers in the private network. */
  adminPrivateAddresses?: boolean | undefined;
  /** All settings with their sources, for operators. Without secrets. */
  settings?: readonly EffectiveSetting[] | undefined;
}

export interface MailSettings {
  /** Secret. */
  smtp: SmtpSettings;
  from: string;
  /** The URL to which links lead. */
  publicUrl: string;
  /** Timeout of an attempt. There is no flag for it; tests pass a shorter one. */
  timeoutMs: number;
}

export interface Config extends StorePlaces {
  host: string;
  port: number;
  /** Without the sample catalogue. */
  empty: boolean;
  /** The operator has chosen the samples, here or on the setup page: a database with accounts also gets them. */
  hasChosenSamples: boolean;
  /** A list of search synonyms instead of the shipped one. */
  synonymsFile: string | undefined;
  logLevel: LogLevel;
  logFormat: 'json' | 'pretty';
  http: HttpSettings;
  /** Undefined for a service behind a proxy, or without HTTPS. */
  https: HttpsSettings | undefined;
  features: FeatureSettings;
  sessions: SessionLimits;
  /** Downloads of photos for agents. Private addresses are never allowed, except in tests. */
  photoAddresses: { isPrivateAllowed: boolean };
  /** Undefined if the service sends no e-mail. */
  mail: MailSettings | undefined;
  /** Undefined if traces are not sent. The exporter reads further variables of OpenTelemetry itself. */
  tracing: TracingSettings | undefined;
  /** A listener for metrics only, without credentials. */
  metricsListen: ListenAddress | undefined;
  /** Whether anonymous clients may create an account in secured access. */
  signUp: boolean;
  passwordMinLength: number;
  /** OpenID Connect providers. With secrets. */
  providers: readonly Provider[];
  /** The roles that cannot log in with a password. */
  withoutPassword: readonly Role[];
  secondFactor: SecondFactorPolicy;
  /** Cost of a password hash. There is no flag for it, so that no operator lowers it; tests pass cheaper parameters. */
  passwordHashing: Argon2Parameters;
  /**
   * Niceness of backups and health checks. There is no flag for it; tests pass 0, so that they do not depend on an idle
   * machine.
   */
  backgroundNiceness: number;
  playgrounds: PlaygroundSettings;
  auditRetentionMs: number;
  photoGraceMs: number;
  drainMs: number;
  stopTimeoutMs: number;
  /** The folder of the web application; undefined for a service without it. */
  webFolder: string | undefined;
  /** Number of threads of Node for files, photos and hashes; `cli/menagerie.js` sets it. */
  threadPoolSize: number;
  settings: readonly EffectiveSetting[];
  /** The config file that was read, or could be created. Undefined if there is no place for one. */
  configFile: string | undefined;
}

export interface PlaygroundSettings {
  /** Maximum number of playgrounds; 0 for none. */
  max: number;
  /** The memory of all playgrounds together. */
  maxMemoryBytes: number;
}

export interface BackupSettings {
  to: FilesPlace;
  /** The time of the daily backup: minutes after midnight, UTC. */
  atMinute: number;
  /** The number of backups to keep. */
  keep: number;
}

/** The settings that can change while a service runs. */
export type LiveSettings = Pick<Config, 'mail'>;

type ConfigResult = { config: Config } | { problems: readonly string[] };

const HOUR_MS = 3_600_000;

const MIN_KEY_LENGTH = 32;

/** Servers may greet and answer slowly, to deter senders of spam. */
export const MAIL_TIMEOUT_MS = 60_000;

/** The default of libuv (https://docs.libuv.org/en/v1.x/threadpool.html). */
const DEFAULT_THREAD_POOL_SIZE = 4;
const LOOPBACK_ADDRESS = /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/i;

/**
 * Reads the flags of `menagerie serve`, the environment and the config file.
 *
 * @param isTerminal whether the log goes to a terminal
 * @param isOfService as for `SettingValues`
 * @returns all problems, if there are any
 */
export function readConfig(
  args: readonly string[],
  environment: Environment,
  isTerminal = false,
  isOfService = true,
): ConfigResult {
  const values = new SettingValues(args, environment, isOfService);
  const config = {
    ...configOf(values, isTerminal, threadPoolSizeIn(environment)),
    tracing: readTracing(environment, values.problems),
  };
  const { problems } = values;
  if (problems.length === 0) problems.push(...conflictsIn(config), ...problemsWithHttps(values, config));
  if (config.isEphemeral === true) problems.push(...conflictsInMemory(config, values.hasFlag('data-dir')));
  return problems.length > 0 ? { problems } : { config: deepFreeze(config) };
}

function configOf(values: SettingValues, isTerminal: boolean, threadPoolSize: number): Omit<Config, 'tracing'> {
  const access = values.choice<AccessMode>('access', ACCESS_MODES);
  const host = readHost(values, access);
  const https = readHttps(values);
  const publicUrl = values.url('public-url') ?? (https && `https://${https.domains[0] ?? ''}`);
  const corsOrigins = values.origins('cors-origins');
  const format = values.choice('log-format', ['auto', 'json', 'pretty']);
  return {
    host,
    port: values.number('port', 0, 65_535),
    ...readPlaces(values),
    empty: values.isOn('empty'),
    hasChosenSamples: values.given.settings.get('empty')?.text === 'false',
    synonymsFile: values.text('synonyms') === '' ? undefined : resolve(values.text('synonyms')),
    logLevel: values.choice('log-level', LOG_LEVELS),
    logFormat: format === 'auto' ? (isTerminal ? 'pretty' : 'json') : format,
    features: readFeatures(values),
    http: {
      access,
      publicUrl,
      corsOrigins,
      securityContact: values.contact('security-contact'),
      ...readHttpLimits(values),
    },
    sessions: {
      idleMs: values.number('session-idle-hours', 1, 8760) * HOUR_MS,
      lifetimeMs: values.number('session-lifetime-days', 1, 3650) * 24 * HOUR_MS,
      ...FIXED_SESSIONS,
    },
    photoAddresses: { isPrivateAllowed: false },
    https,
    adminPrivateAddresses: values.isOn('admin-private-addresses'),
    mail: readMail(values, publicUrl),
    metricsListen: readMetricsListen(values, access),
    signUp: !values.isOn('no-sign-up'),
    secondFactor: { roles: values.choices('require-second-factor', ROLES) },
    passwordMinLength: values.number('password-min-length', 8, 64),
    providers: values.providers('providers', publicUrl),
    withoutPassword: values.choices('no-password-login', ROLES),
    passwordHashing: DEFAULT_HASH_PARAMETERS,
    backgroundNiceness: BACKGROUND_NICENESS,
    playgrounds: {
      max: values.number('max-playgrounds', 0, 100_000),
      maxMemoryBytes: values.number('playground-memory-mib', 16, 1_048_576) * 1024 * 1024,
    },
    auditRetentionMs: values.number('audit-retention-days', 1, 36_500) * 24 * HOUR_MS,
    photoGraceMs: values.number('photo-grace-hours', 1, 876_000) * HOUR_MS,
    drainMs: values.number('drain-seconds', 0, 3600) * 1000,
    stopTimeoutMs: STOP_TIMEOUT_MS,
    webFolder: WEB_FOLDER,
    threadPoolSize,
    settings: effectiveSettings(values.given.settings),
    configFile: values.given.configFile,
  };
}

function readBackup(values: SettingValues): BackupSettings | undefined {
  const [to, atMinute, keep] = [
    values.files('backup-to'),
    values.minuteOfDay('backup-at'),
    values.number('backup-keep', 1, 10_000),
  ];
  return to && { to, atMinute, keep };
}

function readMail(values: SettingValues, publicUrl: string | undefined): MailSettings | undefined {
  const smtp = values.smtp('smtp-url');
  const from = values.mailAddress('mail-from');
  if (smtp === undefined) return undefined;
  if (from === '') values.reportMissing('mail-from', 'smtp-url');
  if (publicUrl === undefined || publicUrl === '') {
    values.reportMissing('public-url', 'smtp-url', ', to which the links in messages lead');
    return undefined;
  }
  return { smtp, from, publicUrl, timeoutMs: MAIL_TIMEOUT_MS };
}

function readMetricsListen(values: SettingValues, access: AccessMode): ListenAddress | undefined {
  const address = values.listenAddress('metrics-listen');
  if (address !== undefined && access === 'open' && !isLoopback(address.host))
    values.problems.push(`${values.label('metrics-listen')} must be a loopback address in open access.`);
  return address;
}

function readHost(values: SettingValues, access: AccessMode): string {
  const host = values.text('host');
  if (access === 'open' && !isLoopback(host)) {
    values.problems.push(
      `${values.label('host')} must be a loopback address (127.0.0.1, ::1, localhost) in open access, which requires no credentials. Omit it to serve this machine only, or use --access secured.`,
    );
  } else if (!isHost(host)) values.problems.push(`${values.label('host')} must be an IP address or a host name.`);
  return host.replace(/^\[(.*)\]$/, '$1');
}

function readPlaces(values: SettingValues): StorePlaces {
  if (values.text('data-dir') === '') values.problems.push(`${values.label('data-dir')} must not be empty.`);
  return {
    dataDir: resolve(values.text('data-dir')),
    isEphemeral: values.isOn('ephemeral'),
    database: values.database('database-url'),
    databaseConnections: values.number('database-connections', 3, 1000),
    standby: values.database('database-standby-url'),
    bucket: values.bucket('photos-url'),
    backup: readBackup(values),
    backupRecipients: values.recipients('backup-recipients'),
    secretKey: readSecretKey(values),
  };
}

/** Nobody has to remember the key, so it can be long. */
function readSecretKey(values: SettingValues): string | undefined {
  const key = values.text('secret-key');
  if (key !== '' && key.length < MIN_KEY_LENGTH)
    values.problems.push(
      `${values.label('secret-key')} must have at least ${MIN_KEY_LENGTH} characters, such as the output of: openssl rand -base64 32`,
    );
  return key === '' ? undefined : key;
}

function readHttpLimits(
  values: SettingValues,
): Omit<HttpSettings, 'access' | 'publicUrl' | 'corsOrigins' | 'securityContact'> {
  return {
    trustedProxies: values.number('trusted-proxies', 0, 16),
    maxBodyBytes: values.number('max-body-bytes', 1024, 2 ** 30),
    maxPhotoBytes: values.number('max-photo-bytes', 1024, 2 ** 30),
    maxEventStreamsPerAddress: values.number('max-event-streams-per-address', 1, 1_000_000),
    ...FIXED_HTTP,
  };
}

const RULES: Readonly<Record<string, SettingRule>> = FEATURE_SETTING_RULES;

function readFeatures(values: SettingValues): FeatureSettings {
  const settings: readonly { name: SettingName; choices?: readonly string[] }[] = FEATURE_SETTINGS;
  const read = settings.map(({ name, choices }) => {
    const rule = RULES[name];
    if (rule !== undefined) return [name, values.byRule(name, rule)] as const;
    return [name, choices ? values.choice(name, choices) : String(values.isOn(name))] as const;
  });
  return { ...(Object.fromEntries(read) as FlagsOfFeatures), ...FEATURE_FIXED_SETTINGS };
}

/** As libuv reads the variable: a value that is not a number is ignored. */
function threadPoolSizeIn(environment: Environment): number {
  return Math.max(1, Number.parseInt(environment['UV_THREADPOOL_SIZE'] ?? '', 10) || DEFAULT_THREAD_POOL_SIZE);
}

function conflictsIn({ standby, database }: Config): string[] {
  if (standby === undefined || database !== undefined) return [];
  return [`${labelOf('database-standby-url')} requires ${labelOf('database-url')}.`];
}

/** @param isFolderGiven by a flag; the variable may come from a container image */
function conflictsInMemory({ database, bucket, backup, http }: Config, isFolderGiven: boolean): string[] {
  const others: [isSet: boolean, name: SettingName][] = [
    [isFolderGiven, 'data-dir'],
    [database !== undefined, 'database-url'],
    [bucket !== undefined, 'photos-url'],
    [backup !== undefined, 'backup-to'],
  ];
  const problems = others
    .filter(([isSet]) => isSet)
    .map(([, name]) => `${labelOf('ephemeral')} keeps everything in memory and excludes ${labelOf(name)}.`);
  if (http.access === 'secured') {
    problems.push(
      `${labelOf('ephemeral')} starts without the administrator that secured access requires. Use --access open or --access sandbox.`,
    );
  }
  return problems;
}

export function readOwnConfig(args: readonly string[]): ConfigResult {
  return readConfig(args, process.env, process.stderr.isTTY);
}

/** The configuration of the service, as far as a command beside it knows its settings. */
export function readConfigBesideService(args: readonly string[]): ConfigResult {
  return readConfig(args, process.env, process.stderr.isTTY, false);
}

/** A message for each unknown variable or credential of this process, and for each secret that others can read. */
export function explainOwnEnvironment(): readonly string[] {
  return [...explainUnknownNames(process.env), ...explainExposedFiles(process.env)];
}

/** The environment of this process, for one that it starts. */
export function ownEnvironment(): Readonly<NodeJS.ProcessEnv> {
  return process.env;
}

/** The variables of this process that Kubernetes has set for a Service, and that are ignored. */
export function ownServiceVariables(): readonly string[] {
  return serviceVariablesIn(process.env);
}

/** The variable of a command other than `serve`. An empty one counts as unset. */
export function readCommandVariable(name: CommandSettingName): string | undefined {
  return process.env[variableOf(name)] || undefined;
}

export function isLoopback(host: string): boolean {
  return LOOPBACK_ADDRESS.test(host);
}

function deepFreeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) deepFreeze(part);
  return Object.freeze(value);
}
