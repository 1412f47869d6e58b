import { DatabaseError, type ClientBase } from 'pg';

/** What a server says about itself. */
export interface ServerState {
  isWritable: boolean;
  /** The timeline of a primary, and the database cluster that it belongs to; unknown on some hosted databases. */
  timeline?: Timeline | undefined;
}

/**
 * PostgreSQL begins a new timeline at each promotion
 * (https://www.postgresql.org/docs/current/continuous-archiving.html#BACKUP-TIMELINES). Of two primaries of a cluster,
 * the one with the lower timeline was replaced: it lacks changes of the other.
 */
interface Timeline {
  systemId: string;
  number: number;
}

/**
 * The name of a WAL file begins with the timeline in eight hexadecimal digits. The control file has the new timeline
 * only after the next checkpoint.
 */
const STATE = `select current_setting('transaction_read_only') = 'off' as "isWritable",
  (select system_identifier::text from pg_control_system()) as "systemId",
  case when not pg_is_in_recovery() then pg_walfile_name(pg_current_wal_lsn()) end as "walFile"`;

interface StateRow {
  isWritable: boolean;
  systemId: string | null;
  walFile: string | null;
}

/** @throws the error of the driver if the server does not respond */
export async function askState(client: ClientBase, timeoutMs: number): Promise<ServerState> {
  try {
    const { rows } = await client.query<StateRow>({ text: STATE, query_timeout: timeoutMs } as { text: string });
    const { isWritable = false, systemId = null, walFile = null } = rows[0] ?? {};
    if (systemId === null || walFile === null) return { isWritable };
    return { isWritable, timeline: { systemId, number: Number.parseInt(walFile.slice(0, 8), 16) } };
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.severity !== 'ERROR') throw error;
    // Some hosted databases do not have these functions.
    const question = { text: 'show transaction_read_only', query_timeout: timeoutMs };
    const { rows } = await client.query<{ transaction_read_only: string }>(question);
    return { isWritable: rows[0]?.transaction_read_only === 'off' };
  }
}

/** Where a server is in the write-ahead log (WAL). */
export interface ServerPosition {
  isStandby: boolean;
  timeline: number;
  /** The bytes of WAL, since the cluster was created, that a primary has written or a standby has replayed. */
  walBytes: number;
  /** The time since the commit of the last transaction that a standby has replayed, by its own clock. */
  sinceCommitSeconds: number | null;
}

/**
 * The control file of a standby has the new timeline only some minutes after a promotion. Members of
 * pg_read_all_stats see the timeline that the standby receives.
 */
const POSITION = `select pg_is_in_recovery() as "isStandby",
  case when pg_is_in_recovery() then greatest((select timeline_id from pg_control_checkpoint()),
      (select min_recovery_end_timeline from pg_control_recovery()), (select max(received_tli) from pg_stat_wal_receiver))
    else ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int4 end as timeline,
  (case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end - '0/0')::float8 as "walBytes",
  extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp())::float8 as "sinceCommitSeconds"`;

/** Undefined if the server does not respond, or does not have these functions, as some hosted databases. */
export async function askPosition(client: ClientBase, timeoutMs: number): Promise<ServerPosition | undefined> {
  const question = { text: POSITION, query_timeout: timeoutMs };
  const result = await client.query<ServerPosition>(question).catch(() => undefined);
  return result?.rows[0];
}

/** The highest timeline that was seen of each cluster. A primary with a lower one is never used again. */
export class Timelines {
  readonly #highest = new Map<string, number>();

  note({ isWritable, timeline }: ServerState): void {
    if (!isWritable || timeline === undefined || !this.isCurrent({ isWritable, timeline })) return;
    this.#highest.set(timeline.systemId, timeline.number);
  }

  isCurrent({ timeline }: ServerState): boolean {
    return timeline === undefined || timeline.number >= (this.#highest.get(timeline.systemId) ?? 0);
  }
}
