import { BACKUP_STATES, type Backup as DomainBackup, type BackupSchedule } from '../../domain/backups.ts';
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
