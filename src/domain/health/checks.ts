import { FEATURE_CHECKS } from '../../features/names.ts';

/*
 * The closed list of what `menagerie doctor` checks, and how a problem is described. The web application has the same
 * texts in each language.
 */

const OF_FEATURES: Readonly<Record<string, { title: string }>> = FEATURE_CHECKS;

const TITLES_OF_FEATURES = Object.fromEntries(
  Object.entries(OF_FEATURES).map(([name, { title }]) => [name, title]),
) as Readonly<Record<keyof typeof FEATURE_CHECKS, string>>;

/** The checks in their order: a repair may need those before it. */
export const CHECKS = {
  files: 'Owner and permissions of the files',
  disk: 'Free disk space',
  backups: 'Daily backups',
  log: 'Write-ahead log',
  servers: 'Servers of the database',
  database: 'Database file',
  schema: 'Schema version',
  copies: 'Restores and final backups',
  clock: 'Clock',
  history: 'Pets and their history',
  references: 'References between rows',
  audit: 'Audit log',
  accounts: 'Names and roles of accounts',
  mail: 'Queue of e-mail',
  ...TITLES_OF_FEATURES,
  certificate: 'HTTPS certificate',
  settings: 'Stored settings',
  pets: 'Text of each pet',
  tags: 'Tags of pets',
  'external-ids': 'External IDs of pets',
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

export interface ProblemKind {
  severity: Exclude<Severity, 'ok'>;
  canRepair: boolean;
  /** One sentence. In both, `{count}` and `{detail}` are replaced. */
  message: string;
  advice: string;
}

export const REPAIR = 'Run: menagerie doctor --repair';
