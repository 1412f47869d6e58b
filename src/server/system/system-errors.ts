import { open } from 'node:fs/promises';
import { accessSync, constants, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { getSystemErrorMessage } from 'node:util';
import { Failure, isUnavailable, unusable } from '../../domain/failure.ts';
import { isMissing } from '../../storage/files/durable-file.ts';
import { DATABASE_NAME, isSqliteError } from '../../storage/sqlite/engine/database.ts';
import { damageText, isDamage, isEngineTrouble, reasonOf } from '../../storage/sqlite/engine/files/troubles.ts';

/*
 * Errors of the file system, the network and SQLite in words for operators.
 */

/** Clearer than the texts of the system. Some codes are those of Node. */
const REASONS: Readonly<Record<string, string>> = {
  EEXIST: 'a file with this name exists',
  EISDIR: 'it is a folder, not a file',
  ENOTDIR: 'a part of its path is a file, not a folder',
  ELOOP: 'its symbolic links lead in a circle',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'it is not UTF-8 text',
  ERR_FS_FILE_TOO_LARGE: 'it is too large',
  ERR_INVALID_ARG_VALUE: 'its path is invalid',
};

/** The beginning of a sentence that says what to do. */
const ADVICE: Readonly<Record<string, string>> = {
  EACCES: 'Change its permissions',
  EPERM: 'Change its permissions',
  EROFS: 'Make the disk writable',
  ENOSPC: 'Free some space',
  EDQUOT: 'Free some space',
};

const FIX_CONTENTS = 'Fix its contents or permissions';

/** The names of temporary files and probes end with one. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const UUID_LENGTH = 36;

/** SQLite's codes for a full disk, and for a file that cannot be opened. */
const SQLITE_FULL = 13;
const SQLITE_CANTOPEN = 14;

/** A database of this version has all tables and columns, so its file was changed or damaged. */
const MISSING_PARTS = /^no such (?:table|column)/;

interface SystemError extends Error {
  code: string;
  errno?: number;
  syscall?: string;
  path?: string;
  address?: string;
  port?: number;
}

function isSystemError(error: unknown): error is SystemError {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && 'syscall' in error;
}

/** Not every error of SQLite: one in a statement is a bug. */
function isOfDatabase(error: unknown): error is Error {
  return (
    error instanceof Error && (isEngineTrouble(error) || ('errcode' in error && MISSING_PARTS.test(error.message)))
  );
}

/** A reason such as "permission denied"; undefined for an error that is not about a file. */
export function reasonOfFileError(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  if (isSystemError(error) && error.syscall === 'mkdir' && error.code === 'ENOENT')
    return 'nothing can be created there';
  const reason = REASONS[String(error.code)];
  if (reason !== undefined || !isSystemError(error)) return reason;
  return error.errno === undefined ? error.code : getSystemErrorMessage(error.errno);
}

/**
 * The same with the path, if it is not that of the folder itself: "photos: permission denied".
 *
 * @param folder an absolute path
 */
export function reasonInFolder(error: unknown, folder: string): string | undefined {
  const reason = reasonOfFileError(error);
  const path = isSystemError(error) ? pathOf(error) : undefined;
  if (reason === undefined || path === undefined || path === folder) return reason;
  const below = relative(folder, path);
  return `${below.startsWith('..') ? path : below}: ${reason}`;
}

/** The beginning of a sentence that says what to do about an error of a file. */
export function adviceFor(error: unknown, otherwise = 'Correct the path'): string {
  return (isSystemError(error) ? ADVICE[error.code] : undefined) ?? otherwise;
}

/**
 * Checks that a file can be read, before what was made of it would be reported as damaged.
 *
 * @param kind of the file, for the message
 * @throws Failure `not-found`, `invalid-input`
 */
export async function requireReadable(path: string, kind = ''): Promise<void> {
  try {
    const file = await open(path);
    const isFolder = (await file.stat()).isDirectory();
    await file.close();
    if (isFolder) throw Object.assign(new Error(), { code: 'EISDIR' });
  } catch (error) {
    const reason = reasonOfFileError(error);
    if (reason === undefined) throw error;
    const label = kind === '' ? 'file' : `${kind} file`;
    throw new Failure(
      isMissing(error) ? 'not-found' : 'invalid-input',
      `The ${label} ${path} cannot be read: ${reason}.`,
    );
  }
}

/** A sentence for an error of the system in a place that does not explain it; undefined for other errors. */
export function explainSystemError(error: unknown): string | undefined {
  if (isOfDatabase(error)) return `The database cannot be used: ${ended(reasonOf(error))}`;
  if (!isSystemError(error)) return undefined;
  if (error.syscall === 'uv_cwd') return 'The working folder was deleted. Change to another one.';
  const reason = reasonOfFileError(error) ?? error.code;
  const { address, port } = error;
  if (address !== undefined) return `The connection to ${address}, port ${port}, failed: ${reason}.`;
  return `${pathOf(error) ?? 'A file'} cannot be used: ${reason}. ${adviceFor(error)}, or choose another.`;
}

/**
 * Turns an error of SQLite into a Failure `unavailable`, and adds the reason to a Failure of its writer, which is not
 * for clients. Other errors are returned unchanged.
 */
export function toDatabaseFailure(error: unknown, dataDir: string): unknown {
  if (isOfDatabase(error)) return unusable(explainDatabase(error, dataDir));
  if (!isUnavailable(error) || error.reason === undefined || error.reason === error.message) return error;
  return unusable(`${error.message} ${join(dataDir, DATABASE_NAME)}: ${ended(error.reason)}`);
}

/** A sentence for an error of the file system or of SQLite in a data folder; undefined for other errors. */
export function explainDataFolder(error: unknown, dataDir: string): string | undefined {
  if (isOfDatabase(error)) return explainDatabase(error, dataDir);
  if (!isSystemError(error)) return undefined;
  // A path in the folder, and not that of the folder or above it.
  const isInside = pathOf(error)?.startsWith(join(dataDir, '/')) ?? true;
  return unusableFolder(
    dataDir,
    reasonInFolder(error, dataDir) ?? error.code,
    adviceFor(error, isInside ? FIX_CONTENTS : ''),
  );
}

function explainDatabase(error: Error, dataDir: string): string {
  if (isDamage(error) || MISSING_PARTS.test(error.message))
    return damageText(error.message, join(dataDir, DATABASE_NAME));
  const reason = isSqliteError(error, SQLITE_CANTOPEN) ? findUnopened(dataDir) : undefined;
  return unusableFolder(
    dataDir,
    reason ?? reasonOf(error),
    isSqliteError(error, SQLITE_FULL) ? ADVICE['ENOSPC'] : undefined,
  );
}

function unusableFolder(dataDir: string, reason: string, advice = FIX_CONTENTS): string {
  const other = `${advice === '' ? 'Use' : `${advice}, or use`} another folder with --data-dir.`;
  return `The data folder ${dataDir} cannot be used (${reason}). ${other}`;
}

/** SQLite does not say which of its files it could not open, and why. */
function findUnopened(dataDir: string): string | undefined {
  for (const name of [DATABASE_NAME, `${DATABASE_NAME}-wal`, `${DATABASE_NAME}-shm`, 'server.lock', '']) {
    const reason = findObstacle(join(dataDir, name), name !== '');
    if (reason !== undefined) return name === '' ? reason : `${name}: ${reason}`;
  }
  return undefined;
}

function findObstacle(path: string, isFile: boolean): string | undefined {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return isFile && statSync(path).isDirectory() ? REASONS['EISDIR'] : undefined;
  } catch (error) {
    return isMissing(error) && isFile ? undefined : reasonOfFileError(error);
  }
}

/** Some reasons are several sentences. */
function ended(text: string): string {
  return text.endsWith('.') ? text : `${text}.`;
}

function pathOf({ path }: SystemError): string | undefined {
  if (path === undefined) return undefined;
  return UUID.test(path.slice(-UUID_LENGTH)) ? dirname(path) : path;
}
