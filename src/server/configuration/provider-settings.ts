import { parse, TomlError, type TomlTable, type TomlValue } from 'smol-toml';
import { ROLES, type Role } from '../../domain/access.ts';
import { issuerKey, PROVIDER_LIMITS, type Provider, type RoleMapping } from '../../domain/providers/provider.ts';
import { didYouMean } from '../../api/words/nearest-name.ts';
import { readProviderCredential, readSecret, type Environment } from './setting-sources.ts';

/*
 * The setting `providers`: TOML with a table for each OpenID Connect provider, by its name. Messages never contain a
 * value, which may be a secret.
 */

const KEYS = [
  'label',
  'issuer',
  'client-id',
  'client-secret',
  'client-secret-file',
  'scopes',
  'sign-up',
  'second-factor',
  'role-claim',
  'roles',
] as const;

type Key = (typeof KEYS)[number];

const DEFAULT_SCOPES = 'openid profile email';
const NAME = /^[a-z\d](?:[a-z\d-]{0,30}[a-z\d])?$/;
const MAX_TEXT = 255;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

interface ReadProviders {
  providers: readonly Provider[];
  problems: readonly string[];
}

/** @param environment for client secrets in credentials */
export function readProviders(text: string, environment: Environment): ReadProviders {
  const problems: string[] = [];
  const table = tableOf(text, problems);
  const providers = Object.entries(table).flatMap(([name, value]) => {
    if (!NAME.test(name)) {
      problems.push('The name of a provider must have 1 to 32 characters of a-z, 0-9 and hyphens.');
      return [];
    }
    if (!isTable(value)) {
      problems.push(`${name} must be a table, such as [providers.${name}].`);
      return [];
    }
    return new ProviderTable(name, value, environment, problems).read();
  });
  if (providers.length > PROVIDER_LIMITS.providers)
    problems.push(`There must be at most ${PROVIDER_LIMITS.providers} providers.`);
  const issuers = new Set(providers.map(({ issuer }) => issuerKey(issuer)));
  if (issuers.size < providers.length) problems.push('Two providers must not have the same issuer.');
  return { providers, problems };
}

/** The names of the providers, for display. */
export function providerNames(text: string): readonly string[] {
  return Object.keys(tableOf(text, []));
}

/** Whether nobody between a browser and this URL can read what is sent. */
export function isSafeUrl({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || LOOPBACK.test(hostname);
}

function tableOf(text: string, problems: string[]): TomlTable {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const reason = (error.message.split('\n', 1)[0] ?? '').replace(/^Invalid TOML document: /, '');
    problems.push(`Line ${error.line} is not valid TOML: ${reason}.`);
    return {};
  }
}

/** Whether it has only characters of RFC 6749, section 3.3. */
function isScope(value: TomlValue): value is string {
  return typeof value === 'string' && /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(value);
}

function isTable(value: TomlValue | undefined): value is TomlTable {
  return typeof value === 'object' && !(value instanceof Date) && !Array.isArray(value);
}

class ProviderTable {
  readonly #name: string;
  readonly #table: TomlTable;
  readonly #environment: Environment;
  readonly #problems: string[];

  constructor(name: string, table: TomlTable, environment: Environment, problems: string[]) {
    this.#name = name;
    this.#table = table;
    this.#environment = environment;
    this.#problems = problems;
  }

  read(): Provider[] {
    const { length } = this.#problems;
    for (const key of Object.keys(this.#table))
      if (!KEYS.some((known) => known === key)) this.#report(key, `is unknown.${didYouMean(key, KEYS)}`);
    const provider = {
      name: this.#name,
      label: this.#text('label') ?? this.#name,
      issuer: this.#issuer(),
      clientId: this.#text('client-id') ?? this.#missing('client-id'),
      clientSecret: this.#clientSecret(),
      scopes: this.#scopes(),
      signUp: this.#isOn('sign-up'),
      secondFactor: this.#secondFactor(),
      roles: this.#roles(),
    };
    return this.#problems.length === length ? [provider] : [];
  }

  #issuer(): string {
    const text = this.#text('issuer') ?? this.#missing('issuer');
    if (text === '') return text;
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const isPlain = url !== undefined && `${url.username}${url.password}${url.search}${url.hash}` === '';
    if (!isPlain || !isSafeUrl(url) || url.pathname.includes('/.well-known/'))
      this.#report(
        'issuer',
        'must be an https URL such as https://login.example.org/realms/zoo, as the provider states it.',
      );
    return text;
  }

  #clientSecret(): string | undefined {
    const [text, file] = [this.#text('client-secret'), this.#text('client-secret-file')];
    if (text !== undefined && file !== undefined) this.#report('client-secret', 'excludes client-secret-file.');
    if (text !== undefined) return text;
    const secret =
      file === undefined
        ? readProviderCredential(this.#name, this.#environment, this.#problems)
        : readSecret(file, `${this.#name}.client-secret-file`, this.#problems);
    if (secret === '') this.#problems.push(`The client secret of ${this.#name} must not be empty.`);
    return secret;
  }

  #scopes(): string {
    const value = this.#table['scopes'];
    const scopes = Array.isArray(value) ? value : (this.#text('scopes') ?? DEFAULT_SCOPES).split(/\s+/);
    if (scopes.every(isScope) && scopes.includes('openid')) return scopes.join(' ');
    this.#report('scopes', 'must be a list of scopes with openid.');
    return DEFAULT_SCOPES;
  }

  #secondFactor(): boolean | readonly string[] {
    const value = this.#table['second-factor'];
    if (value === undefined || typeof value === 'boolean') return value ?? false;
    if (Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string')) return value;
    this.#report('second-factor', 'must be true, false, or a list of values of acr or amr, such as ["mfa"].');
    return false;
  }

  #roles(): RoleMapping | undefined {
    const claim = this.#text('role-claim');
    const { roles } = this.#table;
    if (claim === undefined && roles === undefined) return undefined;
    if (claim === undefined || !isTable(roles)) {
      this.#report('role-claim', 'and the table roles require each other.');
      return undefined;
    }
    const entries = Object.entries(roles);
    if (!entries.every((entry): entry is [string, Role] => ROLES.some((role) => role === entry[1])))
      this.#report('roles', `must have ${ROLES.join(', ')} as values, and values of the claim as keys.`);
    const values = entries.map(([value, role]) => [value.normalize('NFC'), role]);
    return { claim, values: Object.fromEntries(values) as Record<string, Role> };
  }

  #isOn(key: Key): boolean {
    const value = this.#table[key] ?? false;
    if (typeof value !== 'boolean') this.#report(key, 'must be true or false.');
    return value === true;
  }

  #text(key: Key): string | undefined {
    const value = this.#table[key];
    if (value === undefined || (key === 'scopes' && Array.isArray(value))) return undefined;
    if (typeof value === 'string' && value.trim() !== '' && value.length <= MAX_TEXT && !/\p{Cc}/u.test(value))
      return value;
    this.#report(key, `must be a text of 1 to ${MAX_TEXT} characters.`);
    return undefined;
  }

  #missing(key: Key): string {
    if (this.#table[key] === undefined) this.#report(key, 'is missing.');
    return '';
  }

  #report(key: string, problem: string): void {
    this.#problems.push(`${this.#name}.${key} ${problem}`);
  }
}
