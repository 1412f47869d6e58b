/** The progress of migrations, for the log and the command line. A new database reports none. */
export type MigrationEvent =
  | { kind: 'copied'; path: string; bytes: number; ms: number }
  /** The rows of a database on PostgreSQL are in this backup. */
  | { kind: 'backed up'; backup: string; place: string; ms: number }
  | { kind: 'started'; migration: string; number: number; total: number }
  /** Another program reads a table that the migration changes. */
  | { kind: 'waiting'; migration: string }
  | { kind: 'progress'; migration: string; done: bigint; total: bigint }
  | { kind: 'finished'; migration: string; ms: number };

export type OnMigration = (event: MigrationEvent) => void;

/** Called by a backfill after each batch. */
export type OnBatch = (done: bigint, total: bigint) => void;
