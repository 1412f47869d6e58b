import { FEATURE_SETTINGS } from '../../features/names.ts';

/*
 * Every setting: a flag, a variable and a key of the config file (`--data-dir`, `MENAGERIE_DATA_DIR`, `data-dir`).
 */

export const PREFIX = 'MENAGERIE_';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface Setting {
  name: string;
  /** Placeholder of the value in the help. Without it, the flag is a switch. */
  value?: string;
  default: string;
  help: string;
}

/** How the text of a setting is checked that is neither a switch nor a choice. */
export interface SettingRule {
  /** The rest of a sentence about what is wrong. It never contains a part of the text, which may be a secret. */
  problemOf: (text: string) => string | undefined;
  /** A setting that is needed as well, and the rest of a sentence with the reason. */
  requires?: readonly [name: SettingName, reason: string];
}

/** In the order in which a value is looked for. */
export type SettingSource = 'flag' | 'variable' | 'file' | 'credential' | 'config-file' | 'default';

/** A value as text, and where it is from. */
export interface GivenSetting {
  /** May be a secret. */
  text: string;
  source: SettingSource;
  /** For display: `--port`, `MENAGERIE_PORT`, `/srv/pets/menagerie.toml, line 3`. */
  origin: string;
}

export const SETTINGS = [
  {
    name: 'config',
    value: 'FILE',
    default: '',
    help: 'config file; without it, menagerie.toml in the data folder, if it exists',
  },
  { name: 'host', value: 'ADDRESS', default: '127.0.0.1', help: 'address to listen on' },
  { name: 'port', value: 'PORT', default: '8080', help: 'port to listen on; 0 selects a free one' },
  {
    name: 'domain',
    value: 'DOMAINS',
    default: '',
    help: "also serve HTTPS at these domains, separated by commas, with a certificate from Let's Encrypt: pets.example.org",
  },
  { name: 'https-listen', value: 'ADDRESS:PORT', default: '[::]:443', help: 'address for HTTPS, with --domain' },
  {
    name: 'http-listen',
    value: 'ADDRESS:PORT',
    default: '[::]:80',
    help: 'address for the challenges of the certificate authority, and for redirects to HTTPS, with --domain',
  },
  {
    name: 'acme-directory',
    value: 'URL',
    default: '',
    help: "directory of another certificate authority than Let's Encrypt (ACME)",
  },
  { name: 'data-dir', value: 'FOLDER', default: './data', help: 'folder of the database and the photos' },
  {
    name: 'database-url',
    value: 'URL',
    default: '',
    help: 'PostgreSQL instead of a database in the data folder: postgres://user:password@host:5432/database',
  },
  {
    name: 'database-connections',
    value: 'COUNT',
    default: '10',
    help: 'maximum number of PostgreSQL connections of each node',
  },
  {
    name: 'database-standby-url',
    value: 'URL',
    default: '',
    help: 'PostgreSQL standbys for reading pets',
  },
  {
    name: 'photos-url',
    value: 'URL',
    default: '',
    help: 'S3 bucket for photos instead of files in the data folder: s3://bucket/prefix?endpoint=URL&region=NAME',
  },
  {
    name: 'access',
    value: 'MODE',
    default: 'open',
    help: 'open: no credentials, loopback only; secured: by role; sandbox: no credentials, any address',
  },
  {
    name: 'public-url',
    value: 'URL',
    default: '',
    help: 'URL at which clients reach the service, if it differs from the URL of their requests; it may have a path',
  },
  {
    name: 'cors-origins',
    value: 'ORIGINS',
    default: '',
    help: 'origins whose pages may call the API, separated by commas',
  },
  ...FEATURE_SETTINGS,
  {
    name: 'security-contact',
    value: 'ADDRESS',
    default: '',
    help: 'where to report vulnerabilities, for /.well-known/security.txt: an e-mail address or an https URL',
  },
  {
    name: 'trusted-proxies',
    value: 'COUNT',
    default: '0',
    help: 'number of trusted reverse proxies, whose header gives the address of a client',
  },
  { name: 'no-sign-up', default: 'false', help: 'disable sign-up in secured access; only administrators create users' },
  {
    name: 'password-min-length',
    value: 'COUNT',
    default: '15',
    help: 'minimum length of new passwords in secured access; at least 8',
  },
  {
    name: 'providers',
    value: 'TOML',
    default: '',
    help: 'OpenID Connect providers at which users log in, as tables: docs/guides/signing-in.md',
  },
  {
    name: 'no-password-login',
    value: 'ROLES',
    default: '',
    help: 'roles that cannot log in with a password, separated by commas; the command line stays a way in',
  },
  {
    name: 'require-second-factor',
    value: 'ROLES',
    default: '',
    help: 'roles that need a second factor to log in, separated by commas; without one, they can only set it up',
  },
  {
    name: 'smtp-url',
    value: 'URL',
    default: '',
    help: 'server that sends e-mail: smtps://user:password@host:465, or smtp://user:password@host:587 for STARTTLS',
  },
  { name: 'mail-from', value: 'ADDRESS', default: '', help: 'address from which e-mail is sent' },
  {
    name: 'secret-key',
    value: 'TEXT',
    default: '',
    help: 'key for secrets in stored settings, the same on all nodes; without --database-url, a file in the data folder has one',
  },
  {
    name: 'admin-private-addresses',
    default: 'false',
    help: 'allow servers in the private network, this machine included, in settings that administrators store',
  },
  { name: 'audit-retention-days', value: 'DAYS', default: '365', help: 'retention of the audit log' },
  {
    name: 'ephemeral',
    default: 'false',
    help: 'keep all data in memory; it is lost when the service stops',
  },
  { name: 'empty', default: 'false', help: 'create a new database without the sample pets' },
  {
    name: 'synonyms',
    value: 'FILE',
    default: '',
    help: 'search synonyms instead of the English and German ones: JSON such as {"kitten": ["Cats"]}',
  },
  {
    name: 'log-level',
    value: 'LEVEL',
    default: 'info',
    help: `${LOG_LEVELS.join(', ')}; debug logs each request`,
  },
  { name: 'log-format', value: 'FORMAT', default: 'auto', help: 'json, pretty, or auto: pretty on a terminal' },
  {
    name: 'metrics-listen',
    value: 'ADDRESS:PORT',
    default: '',
    help: 'serve metrics here as well, without credentials; the address may be omitted for 127.0.0.1',
  },
  { name: 'max-body-bytes', value: 'BYTES', default: '1048576', help: 'maximum size of a JSON or form body' },
  { name: 'max-photo-bytes', value: 'BYTES', default: '10485760', help: 'maximum size of a photo' },
  {
    name: 'max-event-streams-per-address',
    value: 'COUNT',
    default: '100',
    help: 'maximum number of event streams of one address; not in open access',
  },
  {
    name: 'max-playgrounds',
    value: 'COUNT',
    default: '500',
    help: 'maximum number of playgrounds, services in memory for tests; 0 for none',
  },
  {
    name: 'playground-memory-mib',
    value: 'MIB',
    default: '128',
    help: 'memory of all playgrounds together; a quarter of it for each, and half of it for those of one network',
  },
  {
    name: 'photo-grace-hours',
    value: 'HOURS',
    default: '720',
    help: 'retention of unused photos; then they stay in the trash for a week',
  },
  {
    name: 'backup-to',
    value: 'PLACE',
    default: '',
    help: 'make a backup every day in this folder or bucket: s3://bucket/prefix',
  },
  { name: 'backup-at', value: 'HH:MM', default: '03:00', help: 'time of the daily backup, in UTC' },
  { name: 'backup-keep', value: 'COUNT', default: '7', help: 'number of backups to keep' },
  {
    name: 'backup-recipients',
    value: 'RECIPIENTS',
    default: '',
    help: 'encrypt backups to these age recipients, separated by commas; "menagerie backup-key" makes one',
  },
  { name: 'session-idle-hours', value: 'HOURS', default: '24', help: 'idle timeout of a session' },
  { name: 'session-lifetime-days', value: 'DAYS', default: '30', help: 'maximum lifetime of a session' },
  {
    name: 'drain-seconds',
    value: 'SECONDS',
    default: '0',
    help: 'time to serve with /readyz failing when the service stops, until load balancers send nothing more',
  },
] as const satisfies readonly Setting[];

export type SettingName = (typeof SETTINGS)[number]['name'];

/** Flags of other commands than `serve` that are also variables. */
export const COMMAND_SETTINGS = ['url', 'key', 'backup-passphrase-file', 'backup-identity-file'] as const;
export type CommandSettingName = (typeof COMMAND_SETTINGS)[number];

/** The name of a setting in messages: its flag and its variable. */
export function labelOf(name: SettingName): string {
  return `--${name} (${variableOf(name)})`;
}

export function variableOf(name: SettingName | CommandSettingName): string {
  return `${PREFIX}${name.toUpperCase().replaceAll('-', '_')}`;
}

export function isSettingName(name: string): name is SettingName {
  return SETTINGS.some((setting) => setting.name === name);
}

export function defaultOf(name: SettingName): string {
  return SETTINGS.find((setting) => setting.name === name)?.default ?? '';
}
