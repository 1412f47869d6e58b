import { FEATURE_PROBLEMS, FEATURE_PROBLEMS_WITH_MAIL, FEATURE_PROBLEMS_WITHOUT_MAIL } from '../../features/names.ts';
import { REPAIR, type ProblemKind } from './checks.ts';

const RESTORE = 'Stop the service, and restore the database from a backup.';
const RESTORE_OR_EDIT = 'Edit and save these pets, which writes a new version, or restore the database from a backup.';

/** Problems of the database, and of the search index that is derived from it. */
export const DATABASE_PROBLEMS = {
  'database-damaged': {
    severity: 'error',
    canRepair: false,
    message: 'The database is damaged: {detail}',
    advice: `${RESTORE} To save what can be read, use the command ".recover" of sqlite3 (SQLite), or pg_dump (PostgreSQL). Until then, nothing is repaired.`,
  },
  'index-damaged': {
    severity: 'error',
    canRepair: true,
    message: 'Indexes of the database that do not match their tables: {count}.',
    advice: `${REPAIR}. It builds them again. Then restart the service, and check the disk.`,
  },
  'index-invalid': {
    severity: 'error',
    canRepair: false,
    message: 'The index {detail} is invalid, so PostgreSQL does not use it.',
    advice: 'Unless it is being built at this moment, run in the database: REINDEX INDEX CONCURRENTLY {detail}',
  },
  'index-leftover': {
    severity: 'warning',
    canRepair: false,
    message: 'The index {detail} was left behind when another one was built again. PostgreSQL does not use it.',
    advice: 'Unless one is being built at this moment, run in the database: DROP INDEX CONCURRENTLY {detail}',
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
  'restore-unfinished': {
    severity: 'error',
    canRepair: false,
    message: 'A restore into this database is unfinished, so its content was not checked.',
    advice: 'Run the same "menagerie restore" again, or use another database.',
  },
  retired: {
    severity: 'warning',
    canRepair: false,
    message: 'The database refuses changes since its final backup.',
    advice:
      'Use the service on the restored data. Delete this database when you no longer need it. To use it again, run in ' +
      'it: update change_order set schema_version = abs(schema_version)',
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
  'history-broken': {
    severity: 'error',
    canRepair: false,
    message: 'Versions of pets that do not follow the version before them: {count}.',
    advice:
      'The history shows the changes of a missing version as those of the next one. Find out what changed the table ' +
      'pet_version. Missing versions are in older backups: restore one into an empty folder to read them.',
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
  'added-version-wrong': {
    severity: 'error',
    canRepair: true,
    message: 'Pets that do not refer to the version in which they were added: {count}.',
    advice: `${REPAIR}. It takes the version from the history. Then restart the service.`,
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
  'mail-dead': {
    severity: 'warning',
    canRepair: false,
    message: 'Messages of the last 14 days that could not be sent by e-mail: {count}.',
    advice: 'The page System shows the last error. Correct the address or the settings, and invite the user again.',
  },
  'mail-waiting': {
    severity: 'warning',
    canRepair: false,
    message: 'Messages that wait to be sent by e-mail after six attempts or more: {count}.',
    advice: 'The page System shows the last error. Check the mail server, and send a test message there.',
  },
  ...FEATURE_PROBLEMS,
  'certificate-failing': {
    severity: 'warning',
    canRepair: false,
    message: 'Orders of an HTTPS certificate that have failed: {count}.',
    advice: 'The log says why. Each domain must lead to this service, at port 80 as well. The service tries again.',
  },
  'setting-unreadable': {
    severity: 'error',
    canRepair: false,
    message: 'Stored settings that are not used, because the key does not open their secrets: {count}.',
    advice:
      'Enter the passwords again in the administration. Or give the service the key with which they were stored: ' +
      '--secret-key, or the file secret-key in the data folder.',
  },
  'setting-invalid': {
    severity: 'error',
    canRepair: false,
    message: 'Stored settings that are invalid, and therefore not used: {count}.',
    advice: 'Save them again in the administration, or use flags.',
  },
  ...FEATURE_PROBLEMS_WITH_MAIL,
  ...FEATURE_PROBLEMS_WITHOUT_MAIL,
  'audit-gap': {
    severity: 'error',
    canRepair: false,
    message: 'Gaps in the audit log: {count}.',
    advice:
      'Find out what deleted the entries. They are in older backups: restore one into an empty folder to read them.',
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
  'external-ids-wrong': {
    severity: 'error',
    canRepair: true,
    message: 'External IDs that are missing or that no pet has: {count}.',
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
    message: 'The saved search index is damaged.',
    advice: `Nothing is lost: the next start builds it again, which takes longer. To delete it, run: menagerie doctor --repair`,
  },
} as const satisfies Record<string, ProblemKind>;
