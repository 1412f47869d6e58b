import { BACKUP_STATES, type Backup as DomainBackup, type BackupSchedule } from '../../domain/backups.ts';
import {
  RESTORE_STATES,
  type BackupCheck as DomainCheck,
  type Restore as DomainRestore,
} from '../../domain/restores.ts';
import { JsonText, recordText } from './record-text.ts';
import * as Type from './type.ts';
import { count, exactly, int32, optionalTime, time, timeText } from './fields.ts';

const BackupProgress = Type.Object(
  {
    what: Type.String({ description: 'The table that is being copied, or `photos`. Empty at the beginning.' }),
    done: count('The number of copied rows or photos.'),
    total: count('The number of rows or photos to copy.'),
  },
  exactly('BackupProgress'),
);

/** A backup of the installation, finished or not. */
export const Backup = Type.Object(
  {
    name: Type.String({ description: 'The name, from which the time of its start follows.' }),
    state: Type.Unsafe<(typeof BACKUP_STATES)[number]>({
      type: 'string',
      enum: [...BACKUP_STATES],
      description: '`interrupted`: its process ended without a report. Only a `finished` backup can be restored.',
    }),
    startedAt: time('The time of its start.'),
    finishedAt: Type.Optional(time('The time of its end, if it is finished.')),
    version: Type.Optional(Type.String({ description: 'The version of the service that made it.' })),
    pets: Type.Optional(count('The number of pets.')),
    photos: Type.Optional(count('The number of photos.')),
    missingPhotos: Type.Optional(
      count('The number of photos that were missing or damaged, and are not in the backup.'),
    ),
    encrypted: Type.Optional(
      Type.Boolean({ description: 'Whether it is encrypted, so that restoring it needs an age identity.' }),
    ),
    bytes: Type.Optional(count('The bytes written: data, and photos that no earlier backup has.')),
    progress: Type.Optional(BackupProgress),
    error: Type.Optional(Type.String({ description: 'Why it failed.' })),
  },
  exactly('Backup'),
);
export type Backup = Type.Static<typeof Backup>;

export const BackupOverview = Type.Object(
  {
    place: Type.Optional(
      Type.String({
        description: 'The folder or bucket of the backups. Absent if none is configured (`--backup-to`).',
      }),
    ),
    dailyAt: Type.Optional(Type.String({ description: 'The time of the daily backup in UTC, such as `03:00`.' })),
    keep: Type.Optional(int32('The number of finished backups to keep.')),
    nextStartAt: Type.Optional(time('The time of the next daily backup.')),
    recipients: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'The age recipients to which new backups are encrypted (`--backup-recipients`). Empty without encryption.',
      }),
    ),
    backups: Type.Unsafe<readonly Backup[]>({ type: 'array', items: Backup, description: 'Newest first.' }),
  },
  exactly('BackupOverview'),
);
export type BackupOverview = Type.Static<typeof BackupOverview>;

export function backupText({ startedAtMs, finishedAtMs, ...backup }: DomainBackup): string {
  return recordText<Backup>({
    name: backup.name,
    state: backup.state,
    startedAt: timeText(startedAtMs),
    finishedAt: optionalTime(finishedAtMs),
    version: backup.version,
    pets: backup.pets,
    photos: backup.photos,
    missingPhotos: backup.missingPhotos,
    encrypted: backup.isEncrypted,
    bytes: backup.bytes,
    progress: backup.progress,
    error: backup.error,
  });
}

export function backupOverviewText(schedule: BackupSchedule | undefined, backups: readonly DomainBackup[]): string {
  return recordText<BackupOverview>({
    place: schedule?.place,
    dailyAt: schedule && timeOfDay(schedule.atMinute),
    keep: schedule?.keep,
    nextStartAt: schedule && timeText(schedule.nextStartMs),
    recipients: schedule && [...schedule.recipients],
    backups: new JsonText(`[${backups.map(backupText).join()}]`),
  });
}

/** `03:00` */
function timeOfDay(minute: number): string {
  return [Math.floor(minute / 60), minute % 60].map((number) => String(number).padStart(2, '0')).join(':');
}

const identity = Type.Optional(
  Type.String({
    maxLength: 10_000,
    description:
      'The age identity of an encrypted backup (`AGE-SECRET-KEY-1...`), or the text of its key file. It is used for this request only: neither stored nor logged.',
  }),
);

export const SentBackupCheck = Type.Object({ identity }, exactly('SentBackupCheck'));
export type SentBackupCheck = Type.Static<typeof SentBackupCheck>;

export const SentRestore = Type.Object(
  { confirmation: Type.String({ maxLength: 100, description: 'The name of the backup, again.' }), identity },
  exactly('SentRestore'),
);
export type SentRestore = Type.Static<typeof SentRestore>;

export const SentUndo = Type.Object(
  { confirmation: Type.String({ maxLength: 100, description: 'The word `undo`.' }) },
  exactly('SentUndo'),
);
export type SentUndo = Type.Static<typeof SentUndo>;

const TableChange = Type.Object(
  {
    table: Type.String({ description: 'The name of a table, such as `pet`.' }),
    now: count('The number of its rows in the service.'),
    restored: count('The number of its rows in the backup.'),
  },
  exactly('TableChange'),
);

export const BackupCheck = Type.Object(
  {
    name: Type.String({ description: 'The name of the backup.' }),
    version: Type.String({ description: 'The version of the service that made it.' }),
    read: Type.Boolean({
      description:
        'Whether all rows and photos were read, as a restore does. Without an identity, only the stored files of an encrypted backup are compared with their digests.',
    }),
    photos: count('The number of undamaged photos.'),
    damagedPhotos: count('The number of its photos that are missing or damaged in the place.'),
    tables: Type.Array(TableChange, { description: 'What restoring it would change.' }),
  },
  exactly('BackupCheck'),
);
export type BackupCheck = Type.Static<typeof BackupCheck>;

export const Restore = Type.Object(
  {
    state: Type.Unsafe<(typeof RESTORE_STATES)[number]>({
      type: 'string',
      enum: [...RESTORE_STATES],
      description:
        '`restarting`: the service is about to start on other data. `finished`: it uses the restored data, and the restore can be undone. `failed`: nothing was changed.',
    }),
    backup: Type.Optional(Type.String({ description: 'The name of the backup; absent after a restore was undone.' })),
    restoredAt: Type.Optional(time('The time of the last restore, or of its undoing.')),
    progress: Type.Optional(BackupProgress),
    error: Type.Optional(Type.String({ description: 'Why it failed.' })),
  },
  exactly('Restore'),
);
export type Restore = Type.Static<typeof Restore>;

export function restoreText({ state, backup, restoredAtMs, progress, error }: DomainRestore): string {
  return recordText<Restore>({ state, backup, restoredAt: optionalTime(restoredAtMs), progress, error });
}

export function backupCheckText({ name, version, isRead, photos, damagedPhotos, tables }: DomainCheck): string {
  const damaged = damagedPhotos.length;
  return recordText<BackupCheck>({ name, version, read: isRead, photos, damagedPhotos: damaged, tables: [...tables] });
}
