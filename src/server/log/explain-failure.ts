import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Failure, type FieldProblem, unusable } from '../../domain/failure.ts';
import type { StorePlaces } from '../configuration/config.ts';
import { explainSystemError } from '../system/system-errors.ts';
import { variableOf, type SettingName } from '../configuration/settings.ts';

/** Error message for the command line. A bug is reported with its stack. */
export function explainFailure(error: unknown): string {
  if (error instanceof Failure) {
    const { problems = [] } = error.details;
    return error.code === 'invalid-input' && problems.length > 0
      ? problems.map(explainProblem).join('\n')
      : error.message;
  }
  return explainSystemError(error) ?? (error instanceof Error ? (error.stack ?? error.message) : String(error));
}

/** `/password` becomes `The password`. */
function explainProblem({ path, message }: FieldProblem): string {
  const field = path
    .replace(/^\//, '')
    .replace(/\/\d+$/, '')
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase();
  return `The ${field} ${message}.`;
}

/**
 * A command that an operator can paste into a shell. URLs are left to the environment because they may contain a
 * password.
 *
 * @param withPhotos whether the command also needs the photo store
 */
export function operatorCommand(command: string, places: StorePlaces, { withPhotos = false } = {}): string {
  const { dataDir, database, bucket, settings = [] } = places;
  const find = (name: SettingName) => settings.find((setting) => setting.name === name);
  const file = find('config')?.value ?? '';
  const used: SettingName[] = [
    ...(database === undefined ? [] : (['database-url'] as const)),
    ...(withPhotos && bucket !== undefined ? (['photos-url'] as const) : []),
  ];
  const variables = used.filter((name) => find(name)?.source !== 'config-file').map(variableOf);
  const isFolderNeeded =
    database === undefined ||
    (withPhotos && bucket === undefined) ||
    // Its config file has the addresses.
    (file === '' && variables.length < used.length);
  const flags = [
    ...(isFolderNeeded ? [`--data-dir ${shellWord(dataDir)}`] : []),
    ...(file === '' ? [] : [`--config ${shellWord(resolve(file))}`]),
  ];
  const environment = variables.length > 0 ? `, with the same ${variables.join(' and ')}` : '';
  return `${[programName(), command, ...flags].join(' ')}${environment}`;
}

/** After `npx ./menagerie-0.1.0.tgz`, npx does not know the package by its name, and would download another one. */
function programName(): string {
  const path = fileURLToPath(new URL('../../../src/cli/menagerie.js', import.meta.url));
  return /[\\/]_npx[\\/]/.test(path) ? `node ${shellWord(path)}` : 'npx menagerie';
}

/** Quotes a word for a shell (POSIX, section 2.2.2). */
export function shellWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

interface Address {
  host: string;
  port: number;
}

/**
 * Turns the error of a server that cannot listen into a Failure `unavailable`. Other errors are returned unchanged.
 *
 * @param setting that has both host and port; by default, they are two settings
 */
export function explainListenError(error: unknown, { host, port }: Address, setting?: SettingName): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const [hostFlag, portFlag] = [`--${setting ?? 'host'}`, `--${setting ?? 'port'}`];
  if (code === 'EADDRINUSE') {
    return unusable(
      `Port ${port} on ${host} is in use by another program. Use another with ${portFlag}; 0 selects a free one.`,
    );
  }
  if (code === 'EACCES') return unusable(`Port ${port} requires more privileges. Use one above 1023 with ${portFlag}.`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'EINVAL') {
    return unusable(`${host} is not an address of this machine. Use another with ${hostFlag}.`);
  }
  return error;
}
