/*
 * The closed lists of what `menagerie doctor` checks and finds. The web application has the same texts in each language, by the same names.
 */

/** The checks in their order: a repair may need those before it. */
export const CHECKS = {
  files: 'Owner and permissions of the files',
  disk: 'Free disk space',
  backups: 'Daily backups',
  log: 'Size of the write-ahead log',
  database: 'Database file',
  schema: 'Schema version',
  move: 'Unfinished move',
  clock: 'Clock',
  history: 'Pets and their history',
  references: 'References between rows',
  accounts: 'Names and roles of accounts',
  pets: 'Text of each pet',
  tags: 'Tags of pets',
  'photo-references': 'Photos of pets',
  counters: 'Counters of IDs and versions',
  counts: 'Saved counts',
  'search-index': 'Saved search index',
  installation: 'Photos of this database',
  photos: 'Stored photos of the database',
  'stored-photos': 'Stored photos without an entry in the database',
  deletions: 'Interrupted deletions of photos',
} as const;

export type CheckName = keyof typeof CHECKS;

export const CHECK_NAMES = Object.keys(CHECKS) as readonly CheckName[];

export const SEVERITIES = ['ok', 'warning', 'error'] as const;

export type Severity = (typeof SEVERITIES)[number];

interface ProblemKind {
  severity: Exclude<Severity, 'ok'>;
  canRepair: boolean;
  /** One sentence. `{count}` and `{detail}` are replaced. */
  message: string;
  advice: string;
}

const RESTORE = 'Stop the service, and restore the database from a backup.';
const RESTORE_OR_EDIT = 'Edit and save these pets, which writes a new version, or restore the database from a backup.';
const REPAIR = 'Run: menagerie doctor --repair';

/** Every problem that a check can find. */
export const PROBLEMS = {
  'not-completed': {
    severity: 'error',
    canRepair: false,
    message: 'This check did not complete: {detail}',
    advice: 'Fix the cause, and check again.',
  },
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
  'account-role-unknown': {
    severity: 'error',
    canRepair: false,
    message: 'Accounts with a role that does not exist: {count}.',
    advice: 'Give each a role with "menagerie user role". It was written by another program or by a later version.',
  },
  'account-name-invalid': {
    severity: 'warning',
    canRepair: false,
    message: 'Accounts with a user name that cannot be created today: {count}.',
    advice: 'Rename them. Clients and pages may not be able to address them.',
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
  'database-damaged': {
    severity: 'error',
    canRepair: false,
    message: 'The database is damaged: {detail}',
    advice: `${RESTORE} To save what can be read, use the command ".recover" of sqlite3 (SQLite), or pg_dump (PostgreSQL).`,
  },
  'schema-newer': {
    severity: 'error',
    canRepair: false,
    message: 'The database has the schema of a newer Menagerie ({detail}), so its content was not checked.',
    advice: 'Use that version of Menagerie.',
  },
  'schema-older': {
    severity: 'warning',
    canRepair: false,
    message: 'The database has the schema of an older Menagerie ({detail}), so its content was not checked.',
    advice: 'Start this version of the service, which migrates the database. Then check again.',
  },
  'move-unfinished': {
    severity: 'error',
    canRepair: false,
    message: 'A move into this database is unfinished, so its content was not checked.',
    advice: 'Run the same "menagerie move" again, or use another database.',
  },
  'clock-differs': {
    severity: 'error',
    canRepair: false,
    message: 'The clocks of this machine and of the database differ by {detail}.',
    advice: 'Synchronize both clocks with NTP. Sessions and leases depend on them.',
  },
  'clock-behind': {
    severity: 'error',
    canRepair: false,
    message: 'The last change is {detail} in the future: the clock is behind, or was ahead at that time.',
    advice: 'Synchronize the clock with NTP.',
  },
  'version-missing': {
    severity: 'error',
    canRepair: false,
    message: 'Pets whose history does not have their current state: {count}.',
    advice: RESTORE_OR_EDIT,
  },
  'pet-outdated': {
    severity: 'error',
    canRepair: true,
    message: 'Pets that are missing or older than their history: {count}.',
    advice: `${REPAIR}. It takes their state from the history. Then restart the service.`,
  },
  'deletion-outdated': {
    severity: 'error',
    canRepair: true,
    message: 'Pets that the history shows as deleted, but that are not recorded as deleted: {count}.',
    advice: `${REPAIR}. It takes their state from the history. Then restart the service.`,
  },
  'status-wrong': {
    severity: 'error',
    canRepair: true,
    message: 'Pets that are listed under another status than their own: {count}.',
    advice: REPAIR,
  },
  'orphaned-rows': {
    severity: 'error',
    canRepair: true,
    message: 'Rows that refer to a record that does not exist: {count}.',
    advice: REPAIR,
  },
  'text-damaged': {
    severity: 'error',
    canRepair: false,
    message: 'Pets whose text is damaged: {count}.',
    advice: RESTORE_OR_EDIT,
  },
  'tags-wrong': {
    severity: 'error',
    canRepair: true,
    message: 'Rows of tags that are missing or that no pet has: {count}.',
    advice: REPAIR,
  },
  'photo-references-wrong': {
    severity: 'error',
    canRepair: true,
    message: 'References of pets to photos that are missing or that no pet has: {count}.',
    advice: REPAIR,
  },
  'photo-use-wrong': {
    severity: 'error',
    canRepair: true,
    message: 'Photos that are marked as unused although a pet has them, or the reverse: {count}.',
    advice: `${REPAIR}. Otherwise the service may delete a photo that a pet has.`,
  },
  'counter-low': {
    severity: 'error',
    canRepair: true,
    message: 'Counters that would assign a used number again: {count}.',
    advice: REPAIR,
  },
  'counts-wrong': {
    severity: 'warning',
    canRepair: true,
    message: 'Saved counts of the dashboard that differ from a recount: {count}.',
    advice: REPAIR,
  },
  'search-index-unusable': {
    severity: 'warning',
    canRepair: true,
    message: 'The saved search index is damaged, of another version, or does not continue in the history.',
    advice:
      'Nothing is lost: the next start builds it again, which takes longer. To build it now, run: menagerie doctor --repair',
  },
  'search-index-wrong': {
    severity: 'error',
    canRepair: true,
    message: 'The saved search index differs from the pets of the database.',
    advice: `${REPAIR}. Then restart the service.`,
  },
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
      'Restore them from a backup, or upload them again. To move them aside, run: menagerie doctor --repair. They are missing then.',
  },
  'photo-unknown': {
    severity: 'warning',
    canRepair: true,
    message: 'Stored photos that are not in the database: {count}.',
    advice:
      'The service moves them to the trash after --photo-grace-hours. To move them aside now, run: menagerie doctor --repair',
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

export type Problem = keyof typeof PROBLEMS;

export const PROBLEM_NAMES = Object.keys(PROBLEMS) as readonly Problem[];

/** A problem that a check has found. */
export interface FoundProblem {
  problem: Problem;
  /** Number of affected records or files. */
  count: number;
  /** The affected records or files; not necessarily all. */
  subjects: readonly string[];
  detail?: string;
}

/** The result of a check: one for each problem, or a single one with the severity `ok`. */
export interface Finding extends Omit<FoundProblem, 'problem'> {
  check: CheckName;
  /** Null without a problem. */
  problem: Problem | null;
  severity: Severity;
  message: string;
  /** Instructions for the operator. Empty without a problem. */
  advice: string;
  canRepair: boolean;
}

const MAX_SUBJECTS = 100;

/** The findings of a check. */
export function findingsOf(check: CheckName, found: readonly FoundProblem[]): readonly Finding[] {
  return found.length === 0 ? [cleanFinding(check)] : found.map((each) => findingOf(check, each));
}

function cleanFinding(check: CheckName): Finding {
  const message = `${CHECKS[check]}: no problems found.`;
  return { check, problem: null, severity: 'ok', message, advice: '', canRepair: false, count: 0, subjects: [] };
}

function findingOf(check: CheckName, found: FoundProblem): Finding {
  const { severity, canRepair, message, advice }: ProblemKind = PROBLEMS[found.problem];
  const text = message.replace('{count}', String(found.count)).replace('{detail}', () => found.detail ?? '');
  const subjects = found.subjects.slice(0, MAX_SUBJECTS);
  return { ...found, subjects, check, severity, message: text, advice, canRepair };
}
