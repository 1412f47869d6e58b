import { REPAIR, type ProblemKind } from './checks.ts';

/** Problems of the data folder, its disk, and the place of the backups. */
export const PLACE_PROBLEMS = {
  'file-owner': {
    severity: 'error',
    canRepair: false,
    message: 'Files with another owner than the data folder: {count}.',
    advice: 'As root, give them to the owner of the data folder with chown.',
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
    advice: REPAIR,
  },
  'file-writable': {
    severity: 'error',
    canRepair: true,
    message: 'Files and folders that every user of this machine can change: {count}.',
    advice: REPAIR,
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
  'log-large': {
    severity: 'warning',
    canRepair: true,
    message: 'The write-ahead log has {detail}; it should not exceed 64 MiB.',
    advice:
      'Look for a program that keeps the database open, such as a copy or a shell. Then run: menagerie doctor --repair',
  },
} as const satisfies Record<string, ProblemKind>;
