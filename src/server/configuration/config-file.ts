import { readFileSync } from 'node:fs';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parse, stringify, TomlError, type TomlTable, type TomlValue } from 'smol-toml';
import { becauseOf, Failure, unusable } from '../../domain/failure.ts';
import { flushFolder, ifExists, isMissing } from '../../storage/files/durable-file.ts';
import { isSettingName, labelOf, SETTINGS, type GivenSetting, type Setting, type SettingName } from './settings.ts';
import { FORMER_SETTINGS } from './former-settings.ts';
import { reasonOfFileError } from '../system/system-errors.ts';
import { didYouMean } from '../../api/words/nearest-name.ts';

/*
 * The config file: TOML whose keys are the names of the settings. Messages never contain a value, which may be a
 * secret.
 */

interface ConfigFile {
  settings: ReadonlyMap<SettingName, GivenSetting>;
  problems: readonly string[];
}

const OWNER_ONLY = 0o600;
const ALL_KEYS = ' The keys are the options of "menagerie serve --help", outside of any table.';
const PATHS: ReadonlySet<string> = new Set<SettingName>(['config', 'data-dir', 'synonyms']);
const NAMES: readonly string[] = SETTINGS.map(({ name }) => name);

/**
 * @param isOfDataFolder whether it is the file of the data folder, which may be missing and cannot name another folder
 */
export function readConfigFile(path: string, isOfDataFolder: boolean): ConfigFile {
  const settings = new Map<SettingName, GivenSetting>();
  const problems: string[] = [];
  try {
    const text = readText(path);
    for (const [key, value] of Object.entries(parse(text))) {
      const origin = originOf(path, text, key);
      const problem = explainKey(key, origin, isOfDataFolder);
      const valueText = key === 'providers' ? textOfTable(value) : textOf(value);
      const textProblem = valueText === undefined ? undefined : explainText(key, valueText);
      if (problem !== undefined) problems.push(problem);
      else if (textProblem !== undefined) problems.push(`${key} (${origin}) ${textProblem}`);
      else if (valueText === undefined) problems.push(`${key} (${origin}) ${explainType(key)}`);
      else if (isSettingName(key)) settings.set(key, { text: valueText, source: 'config-file', origin });
    }
  } catch (error) {
    const problem =
      error instanceof TomlError ? explainSyntax(path, error) : explainUnreadable(path, error, isOfDataFolder);
    if (!(isOfDataFolder && (isMissing(error) || isNoFolder(error)))) problems.push(problem);
  }
  return { settings, problems };
}

/** The data folder is a file, or below one, or its path is impossible. Opening the data reports it. */
function isNoFolder(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ['ENOTDIR', 'ELOOP', 'ENAMETOOLONG'].includes(String(error.code));
}

function explainKey(key: string, origin: string, isOfDataFolder: boolean): string | undefined {
  const instead = FORMER_SETTINGS.get(key);
  if (instead !== undefined) return `${key} (${origin}) no longer exists. ${instead}`;
  if (!isSettingName(key)) return `Unknown key ${key} in ${origin}.${didYouMean(key, NAMES) || ALL_KEYS}`;
  if (key === 'config') return `${key} (${origin}) must be a flag or a variable.`;
  if (key === 'data-dir' && isOfDataFolder)
    return `${key} (${origin}) must not be in the config file of the data folder. Use --config for a file elsewhere.`;
  return undefined;
}

/**
 * A problem that no reader of a value expects. The URL of a database, in the place of a folder, would be displayed with
 * its password.
 */
export function explainText(name: string, text: string): string | undefined {
  if (text.includes('\0')) return 'must not contain the character U+0000.';
  return PATHS.has(name) && /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? 'must be a path, and not a URL.' : undefined;
}

/** The tables `[providers.NAME]`, as the text that other sources have. */
function textOfTable(value: TomlValue): string | undefined {
  if (typeof value === 'string') return value;
  const isTable = typeof value === 'object' && !Array.isArray(value) && !(value instanceof Date);
  return isTable ? stringify(value) : undefined;
}

function explainType(key: string): string {
  return key === 'providers'
    ? 'must have tables, such as [providers.example].'
    : 'must be a text, a number or a boolean.';
}

/** Lists, such as those of origins, are joined as in a flag. */
function textOf(value: TomlValue): string | undefined {
  if (Array.isArray(value)) {
    const parts = value.map((part) => (Array.isArray(part) ? undefined : textOf(part)));
    return parts.every((part) => part !== undefined) ? parts.join(',') : undefined;
  }
  return typeof value === 'object' ? undefined : String(value);
}

function originOf(path: string, text: string, key: string): string {
  const index = lineIndexOf(text.split('\n'), key);
  return index === -1 ? path : `${path}, line ${index + 1}`;
}

function lineIndexOf(lines: readonly string[], key: string): number {
  return lines.findIndex((line) => (line.split(/[=.\]]/, 1)[0] ?? '').replaceAll(/[["'\s]/g, '') === key);
}

/** Only the first line of the message: the others quote the file. */
function explainSyntax(path: string, { message, line }: TomlError): string {
  const reason = (message.split('\n', 1)[0] ?? '').replace(/^Invalid TOML document: /, '');
  const hint = reason === 'invalid value' ? ' Texts need quotation marks.' : '';
  return `${path}, line ${line}, is not valid TOML: ${reason}.${hint}`;
}

function explainUnreadable(path: string, error: unknown, isOfDataFolder: boolean): string {
  const label = isOfDataFolder ? path : `${path} of ${labelOf('config')}`;
  return `The config file ${label} cannot be read: ${explainFileError(error)}.`;
}

/** @throws the error if it is not about a file */
export function explainFileError(error: unknown): string {
  const reason = reasonOfFileError(error);
  if (reason === undefined) throw error;
  return reason;
}

/**
 * Reads a text as a whole, without the byte order mark.
 * @throws Error that `explainFileError` explains, also if it is not UTF-8
 */
export function readText(path: string): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
}

/**
 * Sets keys of a config file, which is created if it does not exist. Comments and other keys stay. After a power cut,
 * the file is the old or the new one.
 *
 * @throws Failure `unavailable` if the file cannot be written; `conflict` if the present one is invalid
 */
export async function updateConfigFile(
  path: string,
  changes: Readonly<Partial<Record<SettingName, string>>>,
): Promise<void> {
  const typed = Object.fromEntries(Object.entries(changes).map(([name, text]) => [name, valueOf(name, text)]));
  try {
    const text = (await ifExists(readFile(path, 'utf8'))) ?? '';
    await replaceFile(path, edit(text, typed));
  } catch (error) {
    if (error instanceof TomlError) throw becauseOf(error, new Failure('conflict', explainSyntax(path, error)));
    throw becauseOf(error, unusable(`${path} cannot be written: ${explainFileError(error)}.`));
  }
}

function valueOf(name: string, text: string): TomlValue {
  const isSwitch = SETTINGS.some((setting: Setting) => setting.name === name && setting.value === undefined);
  if (isSwitch) return text === 'true';
  return /^(?:0|[1-9]\d{0,14})$/.test(text) ? Number(text) : text;
}

function edit(text: string, changes: TomlTable): string {
  const wanted = { ...parse(text), ...changes };
  const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n');
  for (const [key, value] of Object.entries(changes)) {
    const index = lineIndexOf(lines, key);
    const line = stringify({ [key]: value }).trimEnd();
    if (index === -1) lines.splice(firstTableIn(lines), 0, line);
    else lines.splice(index, 1, line);
  }
  const edited = `${lines.join('\n')}\n`;
  return isEqual(edited, wanted) ? edited : stringify(wanted);
}

/** A key after the beginning of a table would belong to it. */
function firstTableIn(lines: readonly string[]): number {
  const index = lines.findIndex((line) => /^\s*\[/.test(line));
  return index === -1 ? lines.length : index;
}

/** Not if a value had several lines, of which only the first was replaced. */
function isEqual(text: string, wanted: TomlTable): boolean {
  try {
    return isDeepStrictEqual({ ...parse(text) }, wanted);
  } catch (error) {
    if (error instanceof TomlError) return false;
    throw error;
  }
}

async function replaceFile(path: string, text: string): Promise<void> {
  const temporaryPath = `${path}.new`;
  await rm(temporaryPath, { force: true });
  const file = await open(temporaryPath, 'wx', OWNER_ONLY);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporaryPath, path);
  await flushFolder(dirname(path));
}
