import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  COMMAND_SETTINGS,
  defaultOf,
  labelOf,
  PREFIX,
  SETTINGS,
  variableOf,
  type GivenSetting,
  type Setting,
  type SettingName,
} from './settings.ts';
import { didYouMean } from '../../api/words/nearest-name.ts';
import { readArguments, type Options } from './arguments.ts';
import { explainFileError, explainText, readConfigFile, readText } from './config-file.ts';
import { FORMER_SETTINGS } from './former-settings.ts';
import { isServiceVariable } from './service-variables.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface GivenSettings {
  settings: ReadonlyMap<SettingName, GivenSetting>;
  /** The config file, whether or not it exists. Undefined if there is no place for one. */
  configFile: string | undefined;
}

interface Credentials {
  folder: string;
  names: readonly string[];
}

/** The config file of a data folder. */
const CONFIG_FILE_NAME = 'menagerie.toml';
/** Names of systemd credentials begin with it, so that `ImportCredential=menagerie.*` passes all of them. */
const CREDENTIAL_PREFIX = 'menagerie.';
const MAX_SECRET_LENGTH = 65_536;

/** `MENAGERIE_CONFIG_FILE` would be taken for the name of the config file. */
const WITHOUT_FILE: ReadonlySet<SettingName> = new Set(['config']);

const NAMES: readonly SettingName[] = SETTINGS.map(({ name }) => name);
export const SETTING_OPTIONS: Options = Object.fromEntries(
  SETTINGS.map((setting: Setting) => [setting.name, { type: setting.value === undefined ? 'boolean' : 'string' }]),
);
const FILE_VARIABLES = NAMES.filter((name) => !WITHOUT_FILE.has(name)).map(fileVariableOf);
const VARIABLES: readonly string[] = [...NAMES, ...COMMAND_SETTINGS].map(variableOf);
const CREDENTIALS = NAMES.map(credentialOf);
/** The credentials with the client secrets of providers, by the name of the provider. */
const PROVIDER_CREDENTIAL = `${credentialOf('providers')}.`;

/**
 * Collects the value of each setting that is not a default, and adds a message to `problems` for each that cannot be
 * read.
 */
export function collectSettings(args: readonly string[], environment: Environment, problems: string[]): GivenSettings {
  const flags = readFlags(args, problems);
  const credentials = credentialsIn(environment, problems);
  const settings = new Map<SettingName, GivenSetting>();
  for (const name of NAMES) {
    const found =
      findFlag(name, flags) ??
      findVariable(name, environment) ??
      findFile(name, environment, problems) ??
      findCredential(name, credentials, problems);
    const problem = found && explainText(name, found.text);
    if (problem !== undefined) problems.push(`${labelOf(name)} ${problem}`);
    else if (found !== undefined) settings.set(name, found);
  }
  const { path, isOfDataFolder } = placeOfConfigFile(settings);
  if (path === undefined) return { settings, configFile: undefined };
  const file = readConfigFile(path, isOfDataFolder);
  problems.push(...file.problems);
  for (const [name, given] of file.settings) if (!settings.has(name)) settings.set(name, given);
  return { settings, configFile: path };
}

function findFlag(name: SettingName, flags: Partial<Record<SettingName, string>>): GivenSetting | undefined {
  const text = flags[name];
  return text === undefined ? undefined : { text, source: 'flag', origin: `--${name}` };
}

function findVariable(name: SettingName, environment: Environment): GivenSetting | undefined {
  const text = environment[variableOf(name)];
  // Compose files set variables without a value: `MENAGERIE_PUBLIC_URL: ${MENAGERIE_PUBLIC_URL:-}`.
  if (text === undefined || (text === '' && defaultOf(name) === '')) return undefined;
  if (isServiceVariable(variableOf(name), text)) return undefined;
  return { text, source: 'variable', origin: variableOf(name) };
}

function findFile(name: SettingName, environment: Environment, problems: string[]): GivenSetting | undefined {
  const origin = fileVariableOf(name);
  const path = environment[origin] ?? '';
  if (path === '' || WITHOUT_FILE.has(name)) return undefined;
  const text = readSecret(path, `The file of ${origin}`, problems);
  return text === undefined ? undefined : { text, source: 'file', origin };
}

function findCredential(
  name: SettingName,
  { folder, names }: Credentials,
  problems: string[],
): GivenSetting | undefined {
  const credential = credentialOf(name);
  if (!names.includes(credential)) return undefined;
  const origin = `credential ${credential}`;
  const text = readSecret(join(folder, credential), `The ${origin}`, problems);
  return text === undefined ? undefined : { text, source: 'credential', origin };
}

/** The client secret of a provider in a credential; undefined if there is none. */
export function readProviderCredential(
  provider: string,
  environment: Environment,
  problems: string[],
): string | undefined {
  const { folder, names } = credentialsIn(environment);
  const credential = `${PROVIDER_CREDENTIAL}${provider}`;
  if (!names.includes(credential)) return undefined;
  return readSecret(join(folder, credential), `The credential ${credential}`, problems);
}

/** Without the line break at the end, which editors and `echo` add. */
export function readSecret(path: string, label: string, problems: string[]): string | undefined {
  try {
    const text = readText(path);
    if (text.length <= MAX_SECRET_LENGTH) return text.replace(/\r?\n$/, '');
    problems.push(`${label} is too long; the maximum is ${MAX_SECRET_LENGTH} characters.`);
  } catch (error) {
    problems.push(`${label} cannot be read: ${explainFileError(error)}.`);
  }
  return undefined;
}

function placeOfConfigFile(settings: ReadonlyMap<SettingName, GivenSetting>) {
  const path = settings.get('config')?.text;
  // An empty flag means no config file, not even that of the data folder.
  if (path !== undefined) return { path: path === '' ? undefined : resolve(path), isOfDataFolder: false };
  const dataDir = settings.get('data-dir')?.text ?? defaultOf('data-dir');
  const hasFolder = dataDir !== '' && settings.get('ephemeral')?.text !== 'true';
  return { path: hasFolder ? resolve(dataDir, CONFIG_FILE_NAME) : undefined, isOfDataFolder: true };
}

/** Reads the flags of a command line, and adds a message to `problems` for each invalid one. */
function readFlags(args: readonly string[], problems: string[]): Partial<Record<SettingName, string>> {
  const { values, positionals } = readArguments(args, SETTING_OPTIONS, problems, FORMER_SETTINGS);
  // Not repeated, because it may be a secret.
  if (positionals.length > 0 && problems.length === 0)
    problems.push('Unexpected argument: all settings are options such as --port 9000. See --help.');
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
}

/**
 * A message for each unknown variable or credential of Menagerie. It never contains the value, which may be a secret.
 */
export function explainUnknownNames(environment: Environment): readonly string[] {
  const known = [...VARIABLES, ...FILE_VARIABLES];
  const variables = Object.keys(environment)
    .filter((name) => name.toUpperCase().startsWith(PREFIX) && !known.includes(name))
    .filter((name) => !isServiceVariable(name, environment[name] ?? ''))
    .map((name) => {
      const instead = FORMER_SETTINGS.get(settingOf(name));
      if (instead !== undefined)
        return `The environment variable ${name} is ignored, as it no longer exists. ${instead}`;
      const candidates = (name.endsWith('_FILE') ? known : VARIABLES).map((each) => each.slice(PREFIX.length));
      const question = didYouMean(name.slice(PREFIX.length), candidates, PREFIX);
      return `The environment variable ${name} is unknown and ignored.${question}`;
    });
  const credentials = credentialsIn(environment)
    .names.filter((name) => !CREDENTIALS.includes(name) && !name.startsWith(PROVIDER_CREDENTIAL))
    .map((name) => {
      const instead = FORMER_SETTINGS.get(name.slice(CREDENTIAL_PREFIX.length));
      if (instead !== undefined) return `The credential ${name} is ignored, as it no longer exists. ${instead}`;
      const question = didYouMean(name.slice(CREDENTIAL_PREFIX.length), NAMES, CREDENTIAL_PREFIX);
      return `The credential ${name} is unknown and ignored.${question}`;
    });
  return [...variables, ...credentials];
}

/** A message for each file with a secret that every user of the machine can read. */
export function explainExposedFiles(environment: Environment): readonly string[] {
  return FILE_VARIABLES.map((name) => environment[name] ?? '')
    .filter(isExposed)
    .map(exposedFile);
}

/** Container engines mount secrets as files that everybody in the container may read. */
const MOUNTED_SECRET = /^\/run\/secrets\//;
const OTHERS_READ = 0o004;

export function isExposed(path: string): boolean {
  if (path === '' || process.platform === 'win32' || MOUNTED_SECRET.test(path)) return false;
  return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & OTHERS_READ) !== 0;
}

export function exposedFile(path: string): string {
  return `Every user of this machine can read the secret in ${path}. Give it to the user of the service, and allow only this user to read it (chmod 600).`;
}

/** The credentials that systemd passed (https://systemd.io/CREDENTIALS/). */
function credentialsIn(environment: Environment, problems: string[] = []): Credentials {
  const folder = environment['CREDENTIALS_DIRECTORY'] ?? '';
  if (folder === '') return { folder, names: [] };
  try {
    return { folder, names: readdirSync(folder).filter((name) => name.startsWith(CREDENTIAL_PREFIX)) };
  } catch (error) {
    // Without a secret such as the URL of the database, the service would start on another one.
    problems.push(`The folder of CREDENTIALS_DIRECTORY cannot be read: ${explainFileError(error)}.`);
    return { folder, names: [] };
  }
}

/** The name of the setting that a variable is meant for. */
function settingOf(variable: string): string {
  return variable
    .slice(PREFIX.length)
    .replace(/_FILE$/i, '')
    .toLowerCase()
    .replaceAll('_', '-');
}

function fileVariableOf(name: SettingName): string {
  return `${variableOf(name)}_FILE`;
}

function credentialOf(name: SettingName): string {
  return `${CREDENTIAL_PREFIX}${name}`;
}
