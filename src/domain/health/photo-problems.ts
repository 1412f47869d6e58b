import type { ProblemKind } from './checks.ts';

export const PHOTO_PROBLEMS = {
  'photos-unreachable': {
    severity: 'error',
    canRepair: false,
    message: 'The photo store cannot be used: {detail}',
    advice: 'Mount or restore the photo store, and check again.',
  },
  'photos-foreign': {
    severity: 'error',
    canRepair: false,
    message: 'The stored photos belong to another database.',
    advice: 'Use the matching photos, or assign these to this database with: menagerie photos adopt',
  },
  'photo-missing': {
    severity: 'error',
    canRepair: false,
    message: 'Photos of the database that are not stored: {count}.',
    advice: 'Restore them from the trash of the photo store or from a backup, or upload them again.',
  },
  'photo-damaged': {
    severity: 'error',
    canRepair: true,
    message: 'Stored photos that are damaged: {count}.',
    advice:
      'Restore them from a backup, or upload them again. To move them aside, run: menagerie doctor --repair. ' +
      'They are missing then.',
  },
  'photo-unreadable': {
    severity: 'error',
    canRepair: false,
    message: 'Stored photos that cannot be read: {count}.',
    advice: 'Check the disk or the bucket, and the permissions of the files. Restore what is lost from a backup.',
  },
  'photo-size-damaged': {
    severity: 'warning',
    canRepair: true,
    message: 'Stored photos of which a size is damaged: {count}.',
    advice:
      'Check the disk or the bucket. Nothing is lost: the service creates sizes again from the original. To delete ' +
      'the damaged ones, run: menagerie doctor --repair',
  },
  'photo-unknown': {
    severity: 'warning',
    canRepair: true,
    message: 'Stored photos that are not in the database: {count}.',
    advice:
      'The service moves them to the trash after --photo-grace-hours. To move them aside now, run: menagerie ' +
      'doctor --repair',
  },
  'photo-entry-missing': {
    severity: 'error',
    canRepair: false,
    message: 'Stored photos that a pet has, but that are not in the list of photos: {count}.',
    advice: 'Upload them again.',
  },
  'deletion-unfinished': {
    severity: 'warning',
    canRepair: true,
    message: 'Photos whose deletion was interrupted more than a day ago: {count}.',
    advice: 'A running service completes it within two hours. To move them aside, run: menagerie doctor --repair',
  },
} as const satisfies Record<string, ProblemKind>;
