import * as Type from '../../records/type.ts';
import { response, json, type OperationDescription } from '../parts/format.ts';
import { Backup, BackupOverview } from '../../records/backup.ts';

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
    path: { backup: Type.String({ minLength: 1, description: 'The name of the backup.' }) },
    responses: {
      200: response({ 'application/x-tar': Archive }, 'The archive.', 'Content-Disposition'),
    },
    failures: { 404: 'Backup not found, or not finished' },
  },
} as const satisfies Record<string, OperationDescription>;
