import * as Type from '../../records/type.ts';
import { response, json, jsonBody, type OperationDescription } from '../parts/format.ts';
import {
  Backup,
  BackupCheck,
  BackupOverview,
  Restore,
  SentBackupCheck,
  SentRestore,
  SentUndo,
} from '../../records/backup.ts';

const BACKUP_NAME = Type.String({ minLength: 1, description: 'The name of the backup.' });

const RESTORE_CONFLICT =
  'No place for backups is configured, the data cannot be restored from here, or another check or restore is running';

const Archive = Type.Unsafe<Blob>({ type: 'string', format: 'binary' });

export const BACKUP_OPERATIONS = {
  listBackups: {
    group: 'administration',
    summary: 'List backups',
    description:
      'Returns the backups of the installation with their results, newest first, and when the next one starts. A ' +
      'failed or interrupted backup is listed for a day.',
    responses: { 200: json(BackupOverview, 'The backups and their schedule.') },
  },
  startBackup: {
    group: 'administration',
    summary: 'Start a backup',
    description: 'Starts a backup, or joins the one in progress, and returns at once. `listBackups` has its progress.',
    responses: { 202: json(Backup, 'The backup in progress.') },
    failures: { 409: 'No place for backups is configured' },
  },
  downloadBackup: {
    group: 'administration',
    summary: 'Download a backup',
    description:
      'Returns a finished backup with its photos as a tar archive. Unpacked, it is a folder for `menagerie ' +
      'restore`. It contains password hashes and secrets, such as those of one-time codes: keep it as safe as the ' +
      'data itself. Each download is in the audit log. In secured access, the session must have been proved in the ' +
      'last 15 minutes, by a login or `proveOwnership`.',
    path: { backup: BACKUP_NAME },
    responses: {
      200: response({ 'application/x-tar': Archive }, 'The archive.', 'Content-Disposition'),
    },
    failures: { 404: 'Backup not found, or not finished' },
  },
  checkBackup: {
    group: 'administration',
    summary: 'Check a backup',
    description:
      'Reads a whole backup as a restore does, and changes nothing. Returns what restoring it would change. One check or ' +
      'restore runs at a time.',
    path: { backup: BACKUP_NAME },
    body: jsonBody(SentBackupCheck),
    responses: { 200: json(BackupCheck, 'What was found.') },
    failures: { 404: 'Backup not found, or not finished', 409: RESTORE_CONFLICT },
  },
  restoreBackup: {
    group: 'administration',
    summary: 'Restore a backup',
    description:
      'Restores a backup beside the data in use, and then starts the service again on it; `getRestore` has the progress. ' +
      'Until then, nothing changes but that photos are added. What was replaced is kept for a day, and until the next ' +
      'backup. Sessions end, except the one that restores. Passwords, roles, second factors and keys stay as they are; ' +
      'accounts that were deleted since come back closed. Only for a database in the data folder: with PostgreSQL, use ' +
      '`menagerie restore`. In secured access, the session must have been proved in the last 15 minutes.',
    path: { backup: BACKUP_NAME },
    body: jsonBody(SentRestore),
    responses: { 202: json(Restore, 'The restore in progress.') },
    failures: { 409: RESTORE_CONFLICT },
  },
  getRestore: {
    group: 'administration',
    summary: 'Get the last restore',
    description: 'Returns the progress of a restore, or the last one that can be undone.',
    responses: { 200: json(Restore, 'The restore.') },
  },
  undoRestore: {
    group: 'administration',
    summary: 'Undo the last restore',
    description:
      'Starts the service again on the data from before the last restore. What it has now is kept in its place, so that ' +
      'this can be undone as well. In secured access, the session must have been proved in the last 15 minutes.',
    body: jsonBody(SentUndo),
    responses: { 202: json(Restore, 'The service is about to start again.') },
    failures: { 409: 'No restore can be undone, or another one is running' },
  },
} as const satisfies Record<string, OperationDescription>;
