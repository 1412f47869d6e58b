import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { DatabaseHealth } from '../../domain/health/ports.ts';
import type { PhotoChange } from '../../domain/photos/ports.ts';
import type { Tally } from '../../domain/search/counts.ts';
import { SqlHealth } from '../rows/health/database-health.ts';
import type { Steps } from '../rows/steps.ts';
import { findDamage, findInvalidIndexes, rebuildIndexes } from './database-damage.ts';
import { inTransaction, LOG_LIMIT_BYTES, openDatabase, openReader, prepareRow, readPragma } from './engine/database.ts';
import { lastEndOf, noteEnd, type LastEnd } from './engine/files/maintenance.ts';
import { askOn, openReads, runSteps } from './engine/steps.ts';
import { findMark } from './engine/unfinished-restore.ts';
import { LAST_VERSION } from './engine/versions.ts';
import { countEvents, replaceCounts } from './migrations/pet-backfills.ts';
import { countMigrations } from './migrations/migrations.ts';
import { PhotoWrites } from './pets/photo-index.ts';

const REPAIR_COUNTERS = `
  delete from sqlite_sequence where name = 'audit' and seq < (select max(id) from audit);
  insert into sqlite_sequence (name, seq) select 'audit', max(id) from audit
    where not exists (select 1 from sqlite_sequence where name = 'audit') having max(id) is not null;
  insert into next_id (kind, id) values ('pet', 1), ('account', 1) on conflict (kind) do update set id = 1 where id < 1`;

export class SqliteHealth extends SqlHealth implements DatabaseHealth {
  readonly log;
  protected readonly reads;
  readonly #path: string;
  readonly #before: LastEnd;
  readonly #reader: DatabaseSync;
  #writer: DatabaseSync | undefined;

  /** @throws Error of SQLite; Failure `unavailable` for the file of another program */
  constructor(path: string) {
    super();
    this.#path = path;
    this.#before = lastEndOf(path);
    this.#reader = openReader(path);
    this.log = {
      readBytes: () => statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0,
      maxBytes: LOG_LIMIT_BYTES,
      isLost: this.#before === 'without log',
      shorten: () => this.#shortenLog(),
    };
    this.reads = openReads(this.#reader);
  }

  async findDamage(): Promise<readonly string[]> {
    return findDamage(this.#reader);
  }

  async findInvalidIndexes(): Promise<readonly string[]> {
    return findInvalidIndexes(this.#reader);
  }

  async rebuildIndexes(names: readonly string[]): Promise<void> {
    this.#inTransaction((db) => rebuildIndexes(db, names));
  }

  async findSchema() {
    return { version: Number(readPragma(this.#reader, 'user_version')), known: countMigrations() };
  }

  async findCopyState() {
    return findMark(this.#reader) === undefined ? undefined : ('restore-unfinished' as const);
  }

  async countEvents(after: bigint, upTo: bigint): Promise<Tally> {
    return countEvents(this.#reader, after, upTo);
  }

  async replaceCounts(events: Tally, upTo: bigint): Promise<void> {
    this.#inTransaction((db) => {
      const [last] = prepareRow(db, LAST_VERSION)() as [bigint];
      replaceCounts(db, [events, countEvents(db, upTo, last)]);
    });
  }

  async changePhotos(change: PhotoChange): Promise<readonly string[]> {
    return this.#inTransaction((db) => new PhotoWrites(db).apply(change));
  }

  async close(): Promise<void> {
    this.#writer?.close();
    this.#reader.close();
    // A repair has changed the file, which the next start would check.
    noteEnd(this.#path, this.#before);
  }

  protected async change<T>(steps: () => Steps<T>): Promise<T> {
    return this.#inTransaction((db) => runSteps(steps(), askOn(db)));
  }

  protected async repairCounters(): Promise<void> {
    this.#inTransaction((db) => db.exec(REPAIR_COUNTERS));
  }

  #inTransaction<T>(work: (db: DatabaseSync) => T): T {
    const db = (this.#writer ??= openDatabase(this.#path));
    return inTransaction(db, () => work(db));
  }

  /** Does not wait for readers: meanwhile, it would block the changes of a running service. */
  #shortenLog(): void {
    const db = openDatabase(this.#path);
    try {
      db.exec('pragma busy_timeout = 100; pragma wal_checkpoint(truncate)');
    } finally {
      db.close();
    }
  }
}
