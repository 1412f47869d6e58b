import { FEATURE_TABLES } from '../../../features/storage.ts';
import { LARGE_ROWS, ROWS, SMALL_ROWS, type DumpRow, type DumpTable } from './dump-table.ts';

/*
 * A dump: a whole database as engine-independent rows, for backups, which can be restored on another engine. It is a
 * closed list of tables, sorted so that references point to earlier tables. Each engine derives its further tables and
 * columns from these.
 */

export const DUMP_TABLES = [
  {
    name: 'account',
    columns: {
      id: 'int',
      username: 'text',
      username_key: 'text',
      first_name: 'text',
      last_name: 'text',
      email: 'text',
      phone: 'text',
      user_status: 'int',
      role: 'text',
      password_hash: 'text',
      public_id: 'int',
    },
    keyLength: 1,
    batchRows: ROWS,
  },
  { name: 'used_account_id', columns: { id: 'int' }, keyLength: 1, batchRows: SMALL_ROWS },
  {
    name: 'session',
    columns: {
      digest: 'text',
      id: 'text',
      account_id: 'int',
      started_at_ms: 'int',
      last_used_at_ms: 'int',
      expires_at_ms: 'int',
      address: 'text',
      user_agent: 'text',
      factors: 'text',
      proved_at_ms: 'int',
      issuer: 'text',
    },
    defaults: { factors: 'password', proved_at_ms: 0n },
    keyLength: 1,
    batchRows: SMALL_ROWS,
  },
  {
    name: 'confirmed_email',
    columns: { account_id: 'int', email: 'text', email_key: 'text', confirmed_at_ms: 'int', language: 'text' },
    keyLength: 1,
    batchRows: SMALL_ROWS,
  },
  {
    name: 'email_confirmation',
    columns: { account_id: 'int', digest: 'text', email: 'text', expires_at_ms: 'int' },
    keyLength: 1,
    batchRows: ROWS,
  },
  {
    name: 'totp',
    columns: { account_id: 'int', secret: 'text', last_step: 'int', created_at_ms: 'int' },
    keyLength: 1,
    batchRows: SMALL_ROWS,
  },
  {
    name: 'recovery_code',
    columns: { account_id: 'int', digest: 'text', used_at_ms: 'int' },
    keyLength: 2,
    batchRows: SMALL_ROWS,
  },
  {
    name: 'passkey',
    columns: {
      id: 'text',
      account_id: 'int',
      credential: 'text',
      user_handle: 'text',
      public_key: 'text',
      counter: 'int',
      transports: 'text',
      is_synced: 'int',
      name: 'text',
      created_at_ms: 'int',
      last_used_at_ms: 'int',
    },
    keyLength: 1,
    batchRows: SMALL_ROWS,
  },
  {
    name: 'provider_login',
    columns: {
      issuer: 'text',
      subject: 'text',
      account_id: 'int',
      name: 'text',
      created_at_ms: 'int',
      last_used_at_ms: 'int',
    },
    keyLength: 2,
    batchRows: SMALL_ROWS,
  },
  {
    name: 'oauth_client',
    columns: {
      id: 'text',
      account_id: 'int',
      name: 'text',
      secret_digest: 'text',
      redirect_uris: 'text',
      scopes: 'text',
      created_at_ms: 'int',
    },
    keyLength: 1,
    batchRows: ROWS,
  },
  {
    name: 'api_key',
    columns: {
      digest: 'text',
      id: 'text',
      account_id: 'int',
      name: 'text',
      scopes: 'text',
      created_at_ms: 'int',
      expires_at_ms: 'int',
      last_used_at_ms: 'int',
      client_id: 'text',
    },
    keyLength: 1,
    batchRows: SMALL_ROWS,
  },
  {
    name: 'password_reset',
    columns: { account_id: 'int', digest: 'text', expires_at_ms: 'int' },
    keyLength: 1,
    batchRows: ROWS,
  },
  {
    name: 'pet',
    columns: {
      id: 'int',
      version: 'int',
      added_version: 'int',
      status: 'text',
      text: 'text',
      profile_version: 'int',
      profile: 'text',
      is_draft: 'int',
    },
    defaults: { profile_version: 0n, is_draft: 0n },
    keyLength: 1,
    batchRows: ROWS,
  },
  {
    name: 'pet_external_id',
    columns: { pet_id: 'int', external_id: 'text' },
    keyLength: 1,
    batchRows: SMALL_ROWS,
  },
  { name: 'pet_tag', columns: { name: 'text', pet_id: 'int' }, keyLength: 2, batchRows: SMALL_ROWS },
  {
    name: 'pet_version',
    columns: {
      pet_id: 'int',
      version: 'int',
      previous: 'int',
      action: 'text',
      changed_by: 'int',
      changed_at_ms: 'int',
      text: 'text',
      profile_version: 'int',
      profile: 'text',
      is_draft: 'int',
      was_draft: 'int',
    },
    defaults: { profile_version: 0n, is_draft: 0n, was_draft: 0n },
    keyLength: 2,
    batchRows: ROWS,
  },
  {
    name: 'account_change',
    columns: {
      version: 'int',
      account_id: 'int',
      username: 'text',
      action: 'text',
      details: 'text',
      changed_by: 'int',
      changed_at_ms: 'int',
    },
    keyLength: 1,
    batchRows: ROWS,
  },
  {
    name: 'removed_pet',
    columns: { id: 'int', version: 'int', added_version: 'int' },
    keyLength: 1,
    batchRows: SMALL_ROWS,
  },
  {
    name: 'photo',
    columns: {
      digest: 'text',
      media_type: 'text',
      byte_length: 'int',
      width: 'int',
      height: 'int',
      unused_since_ms: 'int',
      doomed: 'int',
      claimed_until_ms: 'int',
      placeholder: 'text',
    },
    keyLength: 1,
    batchRows: SMALL_ROWS,
  },
  { name: 'pet_photo', columns: { digest: 'text', pet_id: 'int', alt: 'text' }, keyLength: 2, batchRows: SMALL_ROWS },
  {
    name: 'site_record',
    columns: { kind: 'text', version: 'int', text: 'text', photo: 'text', changed_at_ms: 'int', changed_by: 'int' },
    keyLength: 1,
    batchRows: LARGE_ROWS,
  },
  {
    name: 'mail',
    columns: {
      id: 'text',
      kind: 'text',
      account_id: 'int',
      recipient: 'text',
      details: 'text',
      created_at_ms: 'int',
      attempts: 'int',
      next_at_ms: 'int',
      dead: 'int',
      last_error: 'text',
      claimed_until_ms: 'int',
    },
    defaults: { attempts: 0n, dead: 0n, claimed_until_ms: 0n },
    keyLength: 1,
    batchRows: ROWS,
  },
  {
    name: 'counted_failures',
    columns: { key: 'text', count: 'int', first_at_ms: 'int', last_at_ms: 'int', forget_at_ms: 'int' },
    keyLength: 1,
    batchRows: SMALL_ROWS,
  },
  {
    name: 'request_lease',
    columns: { key: 'text', hour: 'int', spent: 'int' },
    keyLength: 2,
    batchRows: SMALL_ROWS,
  },
  {
    name: 'idempotent_request',
    columns: {
      digest: 'text',
      fingerprint: 'text',
      claim: 'text',
      claimed_until_ms: 'int',
      done_by: 'text',
      result: 'text',
      answer: 'text',
      expires_at_ms: 'int',
    },
    keyLength: 1,
    batchRows: LARGE_ROWS,
  },
  {
    name: 'audit',
    columns: {
      id: 'int',
      at_ms: 'int',
      via: 'text',
      actor_id: 'int',
      actor_name: 'text',
      credential_id: 'text',
      address: 'text',
      action: 'text',
      subject_kind: 'text',
      subject_id: 'text',
      subject_name: 'text',
      outcome: 'text',
      details: 'text',
    },
    keyLength: 1,
    batchRows: ROWS,
  },
  ...FEATURE_TABLES,
] as const satisfies readonly DumpTable[];

export type DumpTableName = (typeof DUMP_TABLES)[number]['name'];

/** The next ids and the last versions. A number is never reused, even after its row was deleted. */
export interface DumpCounters {
  nextPetId: bigint;
  nextAccountId: bigint;
  lastVersion: bigint;
  lastAuditId: bigint;
}

export const UNUSED_COUNTERS: DumpCounters = {
  nextPetId: 1n,
  nextAccountId: 1n,
  lastVersion: 0n,
  lastAuditId: 0n,
};

/** The source of a copy, which is only read. Every method may throw Failure `unavailable`. */
export interface Dump {
  /** The columns that a database of an older schema has; empty without the table. By default those of this version. */
  columnsOf?(table: DumpTableName): readonly string[];
  count(table: DumpTableName): Promise<number>;
  /**
   * Returns rows sorted by key, starting after this key or from the beginning. An empty result means the end of the
   * table.
   */
  readBatch(table: DumpTableName, after: DumpRow | undefined, limit: number): Promise<readonly DumpRow[]>;
  readCounters(): Promise<DumpCounters>;
  /** The id that links the database to its photo store. Undefined if no server has ever started on it. */
  findInstallationId(): Promise<string | undefined>;
}

/** The target of a restore. Every method may throw Failure `unavailable`. */
export interface DumpTarget extends Dump {
  /**
   * The source of the unfinished restore into this database; empty before anything but the schema is written. Servers
   * refuse to start on it.
   */
  findMark(): Promise<string | undefined>;
  /** Marks it as the target of an unfinished restore. @param source its name, without a secret */
  begin(source: string): Promise<void>;
  findLastKey(table: DumpTableName): Promise<DumpRow | undefined>;
  /**
   * Writes all rows or none.
   *
   * @throws Failure `invalid-input` for values that this engine cannot store, `conflict` for a key that already exists
   */
  write(table: DumpTableName, rows: readonly DumpRow[]): Promise<void>;
  /** Call after all rows have been written. Later changes continue from these numbers. */
  writeCounters(counters: DumpCounters): Promise<void>;
  /** Call after all rows have been written. Rebuilds the derived tables of this engine. */
  derive(): Promise<void>;
  /**
   * A restored database is the same installation, so it keeps the id of the source, which its photo store has as well.
   */
  writeInstallationId(id: string): Promise<void>;
  /** Removes the mark, so that servers can start. */
  finish(): Promise<void>;
}

export function dumpTable(name: DumpTableName): DumpTable {
  return DUMP_TABLES.find((table) => table.name === name) as DumpTable;
}

/** An unambiguous text for a row, identical on every engine, for digests. */
export function dumpRowText(row: DumpRow): string {
  return `${row.map((value) => (typeof value === 'bigint' ? value.toString() : JSON.stringify(value))).join()}\n`;
}

export function countersText({ nextPetId, nextAccountId, lastVersion, lastAuditId }: DumpCounters): string {
  return `next pet ${nextPetId}, next account ${nextAccountId}, last version ${lastVersion}, last audit entry ${lastAuditId}`;
}
