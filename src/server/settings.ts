import { parseArgs } from 'node:util';
import { closestMatch } from 'leven';

/*
 * Every setting: a flag and a variable (`--data-dir`, `MENAGERIE_DATA_DIR`); the flag wins.
 */

const PREFIX = 'MENAGERIE_';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface Setting {
  name: string;
  /** For the help: what stands behind the flag. Without it, the flag is a switch. */
  value?: string;
  default: string;
  help: string;
}

export const SETTINGS = [
  { name: 'host', value: 'ADDRESS', default: '127.0.0.1', help: 'address to listen on' },
  { name: 'port', value: 'PORT', default: '8080', help: 'port to listen on; 0 picks a free one' },
  { name: 'data-dir', value: 'FOLDER', default: './data', help: 'where the database and the pictures are kept' },
  {
    name: 'database-url',
    value: 'URL',
    default: '',
    help: 'postgres://user:password@host:5432/database, or several hosts, instead of a database in the data folder',
  },
  {
    name: 'database-connections',
    value: 'COUNT',
    default: '10',
    help: 'most connections of one process to PostgreSQL',
  },
  {
    name: 'database-timeout-seconds',
    value: 'SECONDS',
    default: '5',
    help: 'longest that PostgreSQL may take for a statement',
  },
  {
    name: 'database-standby-url',
    value: 'URL',
    default: '',
    help: 'standbys of PostgreSQL, from which pets may be read',
  },
  {
    name: 'photos-url',
    value: 'URL',
    default: '',
    help: 's3://bucket/prefix?endpoint=URL&region=NAME, instead of files in the data folder',
  },
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
    help: 'other origins whose pages may call the service, separated by commas',
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
  {
    name: 'ephemeral',
    default: 'false',
    help: 'keep everything in memory, nothing on the disk; it ends with the service',
  },
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
    name: 'max-connections-per-address',
    value: 'COUNT',
    default: '2000',
    help: 'most connections of one address; behind trusted proxies, most requests in progress',
  },
  {
    name: 'max-event-streams',
    value: 'COUNT',
    default: '5000',
    help: 'so many clients follow events at a time; others are told to come back',
  },
  {
    name: 'max-event-streams-per-address',
    value: 'COUNT',
    default: '100',
    help: 'so many of them from one address, at one process; not with open access',
  },
  {
    name: 'event-heartbeat-seconds',
    value: 'SECONDS',
    default: '15',
    help: 'how often a client that follows events hears of us when there are none',
  },
  {
    name: 'webhook-private-addresses',
    default: 'false',
    help: 'webhooks may call private addresses, this machine included, and plain http',
  },
  {
    name: 'webhook-timeout-seconds',
    value: 'SECONDS',
    default: '10',
    help: 'how long the receiver of a webhook may take',
  },
  {
    name: 'webhook-retry-seconds',
    value: 'SECONDS',
    default: '5,30,120,600,3600,10800,21600,43200,86400',
    help: 'after each failed attempt at a webhook, so long until the next; after the last, it is a dead letter',
  },
  {
    name: 'photo-grace-hours',
    value: 'HOURS',
    default: '720',
    help: 'how long a photo that no pet refers to is kept before it moves to the trash for a week',
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
    help: 'a connection on which nothing moves is closed, unless its client waits for an answer',
  },
  {
    name: 'keep-alive-seconds',
    value: 'SECONDS',
    default: '72',
    help: 'how long a connection waits for its next request',
  },
  { name: 'headers-timeout-seconds', value: 'SECONDS', default: '20', help: 'for the header of a request to arrive' },
  { name: 'body-timeout-seconds', value: 'SECONDS', default: '20', help: 'for a JSON or form body to arrive' },
  { name: 'request-timeout-seconds', value: 'SECONDS', default: '300', help: 'for a whole request to arrive' },
  {
    name: 'stop-timeout-seconds',
    value: 'SECONDS',
    default: '20',
    help: 'for open requests to end when the service stops',
  },
] as const satisfies readonly Setting[];

export type SettingName = (typeof SETTINGS)[number]['name'];

/** Flags of commands other than `serve` that may be variables as well. */
const COMMAND_SETTINGS = ['move-from', 'move-to', 'move-from-photos', 'move-to-photos', 'url', 'key'] as const;
export type CommandSettingName = (typeof COMMAND_SETTINGS)[number];

const KNOWN: readonly string[] = [...SETTINGS.map(({ name }) => name), ...COMMAND_SETTINGS].map(variableOf);

/** The flags as `--help` shows them. */
export function settingsHelp(): string {
  return SETTINGS.map((setting: Setting) => {
    const flag = `--${setting.name}${setting.value === undefined ? '' : ` ${setting.value}`}`;
    const byDefault = setting.default === '' || setting.value === undefined ? '' : ` (default ${setting.default})`;
    return `  ${flag.padEnd(40)}${setting.help}${byDefault}`;
  }).join('\n');
}

/** The flags of a call. What is wrong with them is added to the problems. */
export function readFlags(args: readonly string[], problems: string[]): Partial<Record<SettingName, string>> {
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
export function told(name: SettingName): string {
  return `--${name} (${variableOf(name)})`;
}

export function variableOf(name: SettingName | CommandSettingName): string {
  return `${PREFIX}${name.toUpperCase().replaceAll('-', '_')}`;
}

export function defaultOf(name: SettingName): string {
  return SETTINGS.find((setting) => setting.name === name)?.default ?? '';
}

/** One sentence for each variable that begins like ours and is unknown. It has the name alone: a value may be a secret. */
export function explainUnknownVariables(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith(PREFIX) && !KNOWN.includes(name))
    .map(
      (name) =>
        `The environment variable ${name} is unknown and ignored. The nearest known one is ${closestMatch(name, KNOWN)}.`,
    );
}
