import { REPAIR, type ProblemKind } from './checks.ts';

/** A volume belongs to root, whose files the service may use, but not change the permissions of. */
const REPAIR_OWN = `${REPAIR}. If it leaves some, they belong to another user: as root, run chmod o-rwx on them.`;

/** Problems of the data folder, its disk, the place of the backups, and the servers of the database. */
export const PLACE_PROBLEMS = {
  'file-owner': {
    severity: 'error',
    canRepair: false,
    message: 'Files of other users that the user of the service (user ID {detail}) cannot read and write: {count}.',
    advice: 'As root, give them to the user of the service with chown.',
  },
  'file-permissions': {
    severity: 'error',
    canRepair: true,
    message: 'Files that their owner cannot read and write: {count}.',
    advice: REPAIR,
  },
  'file-exposed': {
    severity: 'warning',
    canRepair: true,
    message: 'Files with password hashes that every user of this machine can read: {count}.',
    advice: REPAIR_OWN,
  },
  'file-writable': {
    severity: 'error',
    canRepair: true,
    message: 'Files and folders that every user of this machine can change: {count}.',
    advice: REPAIR_OWN,
  },
  'disk-full': {
    severity: 'error',
    canRepair: false,
    message: 'The disk is nearly full: {detail} free.',
    advice: 'Free disk space, or move the data to a larger disk. When the disk is full, changes fail.',
  },
  'disk-low': {
    severity: 'warning',
    canRepair: false,
    message: 'The disk has little space left: {detail} free.',
    advice: 'Free disk space, or move the data to a larger disk.',
  },
  'backup-missing': {
    severity: 'warning',
    canRepair: false,
    message: 'There is no finished backup in {detail}.',
    advice: 'Wait for the first daily backup, or start one. If there was one, check the place and the log.',
  },
  'backup-unwritable': {
    severity: 'error',
    canRepair: false,
    message: 'Daily backups cannot be written: {detail}',
    advice: 'Check that the folder or bucket of --backup-to exists, has space, and that the service may write to it.',
  },
  'backup-old': {
    severity: 'error',
    canRepair: false,
    message: 'The newest backup is {detail} old, although one is made every day.',
    advice: 'Look in the log for the reason ("backup failed"), fix it, and start a backup.',
  },
  'server-unreachable': {
    severity: 'warning',
    canRepair: false,
    message: 'Servers of the database that do not respond: {count}.',
    advice: 'Start them, or remove them from --database-url. Until then, fewer servers can replace the primary.',
  },
  'server-primaries': {
    severity: 'error',
    canRepair: false,
    message: 'Servers of the database that act as primary, although only one may: {count}.',
    advice:
      'Stop the one with the lowest timeline before a program writes to it. Its changes since the promotion of the ' +
      'other are only there.',
  },
  'server-behind': {
    severity: 'warning',
    canRepair: false,
    message: 'Standbys that lag behind the primary by more than 30 seconds: {count}.',
    advice: 'Look in their logs for the reason, such as a paused replay, a broken connection or a long query.',
  },
  'server-timeline': {
    severity: 'warning',
    canRepair: false,
    message: 'Standbys on another timeline than the primary: {count}.',
    advice:
      'After a promotion this is normal for some minutes. If it lasts, the standby does not follow the primary: ' +
      'rewind it with pg_rewind, or copy it again.',
  },
  'log-lost': {
    severity: 'error',
    canRepair: false,
    message:
      'The service did not stop cleanly, and the write-ahead log of its database is missing: the last changes are ' +
      'lost, unless another program has written it back.',
    advice:
      'If menagerie.db-wal can be found, put it beside the database before the service starts. Otherwise compare the ' +
      'data with the newest backup.',
  },
  'log-large': {
    severity: 'warning',
    canRepair: true,
    message: 'The write-ahead log has {detail}; it should not exceed 64 MiB.',
    advice:
      'Look for a program that keeps the database open, such as a copy or a shell. Then run: menagerie doctor --repair',
  },
} as const satisfies Record<string, ProblemKind>;
