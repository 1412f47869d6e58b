import { isIP } from 'node:net';
import { withoutTrailingSlashes } from '../../client/requests.ts';
import { readDatabaseUrl, type DatabaseAddress } from '../../storage/postgres/engine/connection-url.ts';
import { isMailAddress } from '../../domain/mail/mail-address.ts';
import { readSmtpUrl, type SmtpSettings } from '../../services/mail/smtp-url.ts';
import { readS3Url, type S3Settings } from '../../storage/s3/s3-url.ts';
import type { Provider } from '../../domain/providers/provider.ts';
import { readRecipients } from '../../services/age/age.ts';
import { readFilesPlace, type FilesPlace } from './places.ts';
import { isSafeUrl, readProviders } from './provider-settings.ts';
import { collectSettings, type Environment, type GivenSettings } from './setting-sources.ts';
import { defaultOf, labelOf, type SettingName, type SettingRule } from './settings.ts';

export interface ListenAddress {
  host: string;
  port: number;
}

const MAX_PORT = 65_535;
const DEFAULT_LISTEN_HOST = '127.0.0.1';

/** Checks the settings. Collects problems, which never contain a value because it may be a secret. */
export class SettingValues {
  readonly problems: string[] = [];
  readonly given: GivenSettings;
  readonly #environment: Environment;
  readonly #isOfService: boolean;

  /** @param isOfService false for a command beside the service, whose flags it does not know */
  constructor(args: readonly string[], environment: Environment, isOfService: boolean) {
    this.#environment = environment;
    this.#isOfService = isOfService;
    this.given = collectSettings(args, environment, this.problems);
  }

  hasFlag(name: SettingName): boolean {
    return this.given.settings.get(name)?.source === 'flag';
  }

  text(name: SettingName): string {
    return this.given.settings.get(name)?.text ?? defaultOf(name);
  }

  /** The name of a setting in messages, with its flag and its variable, or with the place of its value. */
  label(name: SettingName): string {
    const { source, origin } = this.given.settings.get(name) ?? {};
    if (source === 'config-file') return `${name} (${origin})`;
    return source === 'file' || source === 'credential' ? `--${name} (${origin})` : labelOf(name);
  }

  /** Reports that a setting needs another one, unless the service may have it as a flag. */
  reportMissing(other: SettingName, name: SettingName, reason = ''): void {
    if (this.#isOfService) this.problems.push(`${this.label(name)} requires ${labelOf(other)}${reason}.`);
  }

  number(name: SettingName, min: number, max: number): number {
    const value = /^\d{1,15}$/.test(this.text(name)) ? Number(this.text(name)) : Number.NaN;
    if (value >= min && value <= max) return value;
    this.problems.push(`${this.label(name)} must be a whole number from ${min} to ${max}.`);
    return min;
  }

  isOn(name: SettingName): boolean {
    return this.choice(name, ['false', 'true']) === 'true';
  }

  choice<T extends string>(name: SettingName, choices: readonly T[]): T {
    const found = choices.find((candidate) => candidate === this.text(name));
    if (found === undefined) this.problems.push(`${this.label(name)} must be one of ${choices.join(', ')}.`);
    return found ?? (choices[0] as T);
  }

  /** Some of these choices, separated by commas. */
  choices<T extends string>(name: SettingName, choices: readonly T[]): readonly T[] {
    const given = this.text(name)
      .split(',')
      .map((value) => value.trim())
      .filter((value) => value !== '');
    const found = choices.filter((candidate) => given.includes(candidate));
    if (found.length === new Set(given).size) return found;
    this.problems.push(`${this.label(name)} must be a list of ${choices.join(', ')}, separated by commas.`);
    return [];
  }

  /** The tables of OpenID Connect providers, which redirect to the public URL with a code that must stay secret. */
  providers(name: SettingName, publicUrl: string | undefined): readonly Provider[] {
    if (this.text(name) === '') return [];
    const label = labelOf('public-url');
    if (publicUrl === undefined) this.reportMissing('public-url', name);
    else if (publicUrl !== '' && !isSafeUrl(new URL(publicUrl)))
      this.problems.push(`${this.label(name)} requires https in ${label}, unless that is on this machine.`);
    const { providers, problems } = readProviders(this.text(name), this.#environment);
    this.problems.push(...problems.map((problem) => `${this.label(name)}: ${problem}`));
    return providers;
  }

  url(name: SettingName): string | undefined {
    if (this.text(name) === '') return undefined;
    const url = plainUrl(this.text(name));
    if (url !== undefined && PLAIN_PATH.test(withoutTrailingSlashes(url.pathname)))
      return withoutTrailingSlashes(url.href);
    this.problems.push(
      `${this.label(name)} must be a URL such as https://pets.example.org or https://example.org/zoo, without credentials, query and fragment.`,
    );
    return '';
  }

  /** An e-mail address or an https URL, as a URI. */
  contact(name: SettingName): string | undefined {
    const text = this.text(name);
    if (text === '') return undefined;
    const address = text.replace(/^mailto:/i, '');
    if (MAIL_ADDRESS.test(address)) return `mailto:${address}`;
    if (/^https:\/\/[\x21-\x7e]+$/i.test(text) && URL.canParse(text)) return new URL(text).href;
    this.problems.push(
      `${this.label(name)} must be an e-mail address, or a URL such as https://pets.example.org/security.`,
    );
    return undefined;
  }

  origins(name: SettingName): readonly string[] {
    if (this.text(name) === '') return [];
    const urls = this.text(name)
      .split(',')
      .map((value) => plainUrl(value.trim()));
    const origins = urls.flatMap((url) => (url?.pathname === '/' ? [url.origin] : []));
    if (origins.length === urls.length) return origins;
    this.problems.push(
      `${this.label(name)} must be a list of origins such as https://pets.example.org, separated by commas, without paths.`,
    );
    return [];
  }

  database(name: SettingName): DatabaseAddress | undefined {
    if (this.text(name) === '') return undefined;
    const address = readDatabaseUrl(this.text(name));
    if (typeof address !== 'string') return address;
    this.problems.push(`${this.label(name)} ${address}`);
    return undefined;
  }

  smtp(name: SettingName): SmtpSettings | undefined {
    if (this.text(name) === '') return undefined;
    const settings = readSmtpUrl(this.text(name));
    if (typeof settings !== 'string') return settings;
    this.problems.push(`${this.label(name)} ${settings}`);
    return undefined;
  }

  /** The text itself. */
  byRule(name: SettingName, { problemOf, requires }: SettingRule): string {
    const text = this.text(name);
    if (text === '') return text;
    const problem = problemOf(text);
    if (problem !== undefined) this.problems.push(`${this.label(name)} ${problem}`);
    if (requires !== undefined && this.text(requires[0]) === '') this.reportMissing(requires[0], name, requires[1]);
    return text;
  }

  /** Without a name: that of the organisation is added to each message. */
  mailAddress(name: SettingName): string {
    const text = this.text(name);
    if (text !== '' && !isMailAddress(text))
      this.problems.push(
        `${this.label(name)} must be a plain e-mail address such as pets@example.org, without a name.`,
      );
    return text;
  }

  bucket(name: SettingName): S3Settings | undefined {
    if (this.text(name) === '') return undefined;
    const result = readS3Url(this.text(name));
    if ('settings' in result) return result.settings;
    this.problems.push(...result.problems.map((problem) => `${this.label(name)}: ${problem}`));
    return undefined;
  }

  /** A folder, or s3://bucket/prefix. */
  files(name: SettingName): FilesPlace | undefined {
    if (this.text(name) === '') return undefined;
    const place = readBackupPlace(this.text(name));
    if (!('problems' in place)) return place;
    this.problems.push(...place.problems.map((problem) => `${this.label(name)}: ${problem}`));
    return undefined;
  }

  /** The message has no part of the text, which may be an identity by mistake. */
  recipients(name: SettingName): readonly string[] {
    if (this.text(name) === '') return [];
    const recipients = readRecipients(this.text(name));
    if (recipients !== undefined) return recipients;
    this.problems.push(
      `${this.label(name)} must be age recipients, separated by commas: each begins with age1. An identity (AGE-SECRET-KEY-) is not stored here.`,
    );
    return [];
  }

  /** `host:port`, `[::1]:port`, or a port of the loopback address. */
  listenAddress(name: SettingName): ListenAddress | undefined {
    if (this.text(name) === '') return undefined;
    const [, bracketed, host = bracketed ?? DEFAULT_LISTEN_HOST, port = ''] =
      /^(?:(?:\[([\da-f:.]+)\]|([^:\s[\]/@]+)):)?(\d{1,5})$/i.exec(this.text(name)) ?? [];
    if (port !== '' && Number(port) <= MAX_PORT) return { host, port: Number(port) };
    this.problems.push(`${this.label(name)} must be an address and a port such as 127.0.0.1:9464.`);
    return undefined;
  }

  /** A time of day, as minutes after midnight. */
  minuteOfDay(name: SettingName): number {
    const [, hour, minute] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(this.text(name)) ?? [];
    if (hour === undefined) this.problems.push(`${this.label(name)} must be a time of day such as 03:00.`);
    return Number(hour ?? 0) * 60 + Number(minute ?? 0);
  }
}

/** An address of characters that need no quotation marks or encoding in a URI. */
const MAIL_ADDRESS = /^[\w.+-]+@[a-z\d](?:[a-z\d.-]*[a-z\d])?$/i;

/** Whether it could be an address or a name: the system would look up anything, even a URL. */
export function isHost(text: string): boolean {
  return isIP(text.replace(/^\[(.*)\]$/, '$1')) !== 0 || /^[a-z\d](?:[\w.-]{0,251}[a-z\d])?$/i.test(text);
}

export { readRecipients };

/** A folder or a bucket. `s3:bucket` is an incomplete URL, and no folder. */
export function readBackupPlace(text: string): ReturnType<typeof readFilesPlace> {
  const isIncomplete = /^s3:(?!\/\/)/i.test(text);
  return isIncomplete ? { problems: ['The URL of a bucket must begin with s3://.'] } : readFilesPlace(text);
}

/**
 * The path of a URL that is also that of cookies: without semicolons, which end an attribute, and without empty
 * segments, which begin a host.
 */
const PLAIN_PATH = /^(?:\/[\w.~%+@:=-]+)*$/;

/** An http or https URL without query, fragment and credentials. */
export function plainUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain =
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    url.search === '' &&
    url.hash === '' &&
    url.username === '' &&
    url.password === '';
  return isPlain ? url : undefined;
}
