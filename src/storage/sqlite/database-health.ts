import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type {
  DatabaseHealth,
  CheckedPet,
  PetList,
  PetListRow,
  RowProblem,
  StoredAccount,
  StoredCounts,
  UnknownPhoto,
} from '../../domain/health/ports.ts';
import { MIN_INT64 } from '../../domain/int64.ts';
import type { PhotoChange } from '../../domain/photos/ports.ts';
import type { Tally } from '../../domain/search/counts.ts';
import { CHECKED_PET_COLUMNS, toCheckedPet, type CheckedPetRow } from '../rows/pets.ts';
import { isReferredTo } from '../rows/photo-use.ts';
import { findingSql, ROW_CHECKS, USED_IDS, type RowCheck } from '../rows/row-problems.ts';
import { findDamage, findInvalidIndexes, rebuildIndexes } from './database-damage.ts';
import {
  inTransaction,
  LOG_LIMIT_BYTES,
  openDatabase,
  openReader,
  prepare,
  prepareRow,
  prepareRows,
  readPragma,
} from './engine/database.ts';
import { hasEndedCleanly, noteCleanEnd } from './engine/files/maintenance.ts';
import { countMigrations } from './migrations/migrations.ts';
import { findMark } from './engine/unfinished-restore.ts';
import { LAST_VERSION } from './engine/versions.ts';
import { findInstallation } from '../rows/service/installation-store.ts';
import { openReads } from './engine/steps.ts';
import { SqliteIndexSource } from './pets/index-source.ts';
import { countEvents, PHOTOS_IN_USE, replaceCounts } from './migrations/pet-backfills.ts';
import { PhotoWrites } from './pets/photo-index.ts';

/** The ids of pets and accounts continue at `next_id`, and those of the audit log at SQLite's own counter. */
const COUNTERS: RowCheck = {
  find: `select 'next entry of the audit log' as subject
      where (select max(id) from audit) > ifnull((select seq from sqlite_sequence where name = 'audit'), 0)
    union all select 'next ' || value || ' id' as subject from json_each('["pet","account"]')
      where not exists (select 1 from next_id where kind = value and id > 0)
    union all ${USED_IDS.find}`,
  repair: [
    ...USED_IDS.repair,
    `delete from sqlite_sequence where name = 'audit' and seq < (select max(id) from audit)`,
    `insert into sqlite_sequence (name, seq) select 'audit', max(id) from audit
     where not exists (select 1 from sqlite_sequence where name = 'audit') having max(id) is not null`,
    `insert into next_id (kind, id) values ('pet', 1), ('account', 1) on conflict (kind) do update set id = 1 where id < 1`,
  ],
};

const COLUMNS: Readonly<Record<PetList, { table: string; column: string }>> = {
  tags: { table: 'pet_tag', column: 'name' },
  photos: { table: 'pet_photo', column: 'digest' },
  externalIds: { table: 'pet_external_id', column: 'external_id' },
};

/** Statements are prepared when they are used: a damaged or older database may lack their tables. */
export class SqliteHealth implements DatabaseHealth {
  readonly log;
  readonly indexSource;
  readonly #path: string;
  readonly #wasClean: boolean;
  readonly #reader: DatabaseSync;
  #writer: DatabaseSync | undefined;

  /** @throws Error of SQLite; Failure `unavailable` for the file of another program */
  constructor(path: string) {
    this.#path = path;
    this.#wasClean = hasEndedCleanly(path);
    this.#reader = openReader(path);
    this.log = {
      readBytes: () => statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0,
      maxBytes: LOG_LIMIT_BYTES,
      shorten: () => this.#shortenLog(),
    };
    const reader = this.#reader;
    let source: SqliteIndexSource | undefined;
    const opened = () => (source ??= new SqliteIndexSource(reader));
    this.indexSource = {
      lastChange: () => opened().lastChange(),
      countPets: () => opened().countPets(),
      listPets: (fromId: bigint, limit: number) => opened().listPets(fromId, limit),
      listChanges: (afterVersion: bigint, limit: number) => opened().listChanges(afterVersion, limit),
    };
  }

  async findDamage(): Promise<readonly string[]> {
    return findDamage(this.#reader);
  }

  async findInvalidIndexes(): Promise<readonly string[]> {
    return findInvalidIndexes(this.#reader);
  }

  async rebuildIndexes(names: readonly string[]): Promise<void> {
    this.#change((db) => rebuildIndexes(db, names));
  }

  async findSchema() {
    return { version: Number(readPragma(this.#reader, 'user_version')), known: countMigrations() };
  }

  async findCopyState() {
    return findMark(this.#reader) === undefined ? undefined : ('restore-unfinished' as const);
  }

  async findRows(problem: RowProblem) {
    const rows = prepareRows<[total: bigint, subject: string]>(this.#reader, findingSql(checkOf(problem).find))();
    return { count: Number(rows[0]?.[0] ?? 0n), subjects: rows.map(([, subject]) => subject) };
  }

  async repairRows(problem: RowProblem): Promise<void> {
    this.#change((db) => {
      for (const sql of checkOf(problem).repair) db.exec(sql.replace(':now', String(Date.now())));
    });
  }

  async listPets(afterId: bigint | undefined, limit: number): Promise<readonly CheckedPet[]> {
    const where = afterId === undefined ? '' : 'where id > ?1';
    const rows = prepareRows<CheckedPetRow>(
      this.#reader,
      `select ${CHECKED_PET_COLUMNS} from pet ${where} order by id limit ${limit}`,
    );
    return (afterId === undefined ? rows() : rows(afterId)).map(toCheckedPet);
  }

  async countPets(): Promise<number> {
    return Number(prepareRow(this.#reader, 'select count(*) from pet')()?.[0]);
  }

  async findAbsent(list: PetList, wanted: readonly PetListRow[]): Promise<readonly PetListRow[]> {
    const { table, column } = COLUMNS[list];
    const places = prepareRows<[place: bigint]>(
      this.#reader,
      `select key from json_each(?) as wanted
         join pet on pet.id = cast(wanted.value ->> 1 as integer) and pet.version = cast(wanted.value ->> 2 as integer)
       where not exists (select 1 from ${table} where ${column} = wanted.value ->> 0 and pet_id = pet.id)`,
    );
    return places(rowsText(wanted)).map(([place]) => wanted[Number(place)] as PetListRow);
  }

  async listRows(list: PetList, after: PetListRow | undefined, limit: number) {
    const { table, column } = COLUMNS[list];
    const rows = prepareRows<
      [value: string, petId: bigint, version: bigint | null, text: string | null, profile: string | null]
    >(
      this.#reader,
      `select ${column}, pet_id, version, text, profile from ${table} left join pet on pet.id = pet_id
       where (${column}, pet_id) > (?, ?) order by ${column}, pet_id limit ?`,
    );
    return rows(after?.value ?? '', after?.petId ?? MIN_INT64, limit).map(([value, petId, version, text, profile]) => ({
      value,
      petId,
      version: version ?? undefined,
      text,
      profile,
    }));
  }

  async correctRows(list: PetList, { add, remove }: { add: readonly PetListRow[]; remove: readonly PetListRow[] }) {
    const { table, column } = COLUMNS[list];
    this.#change((db) => {
      const insert = prepare(
        db,
        `insert into ${table} (${column}, pet_id) select ?1, id from pet where id = ?2 and version = ?3 on conflict do nothing`,
      );
      const deletion = prepare(
        db,
        `delete from ${table} where ${column} = ?1 and pet_id = ?2 and (select version from pet where id = ?2) is ?3`,
      );
      for (const { value, petId, version } of add) insert.run(value, petId, version ?? null);
      for (const { value, petId, version } of remove) deletion.run(value, petId, version ?? null);
    });
  }

  async readCounts(): Promise<StoredCounts> {
    return inSnapshot(this.#reader, () => {
      const [version] = prepareRow(this.#reader, LAST_VERSION)() as [bigint];
      const counts = prepareRows<[key: string, count: bigint]>(
        this.#reader,
        `select kind || ' ' || name, count from pet_count`,
      )();
      const [photos, photoBytes] = prepareRow(
        this.#reader,
        `select count(*), ifnull(sum(byte_length), 0) ${PHOTOS_IN_USE}`,
      )() as [bigint, bigint];
      return { version, counts: new Map(counts), photos: Number(photos), photoBytes: Number(photoBytes) };
    });
  }

  async countEvents(after: bigint, upTo: bigint): Promise<Tally> {
    return countEvents(this.#reader, after, upTo);
  }

  async replaceCounts(events: Tally, upTo: bigint): Promise<void> {
    this.#change((db) => {
      const [last] = prepareRow(db, LAST_VERSION)() as [bigint];
      replaceCounts(db, [events, countEvents(db, upTo, last)]);
    });
  }

  async listAccounts(afterId: bigint, limit: number): Promise<readonly StoredAccount[]> {
    const rows = prepareRows<[id: bigint, username: string, role: string]>(
      this.#reader,
      'select id, username, role from account where id > ? order by id limit ?',
    );
    return rows(afterId, limit).map(([id, username, role]) => ({ id, username, role }));
  }

  async listPhotos(afterDigest: string, limit: number): Promise<readonly string[]> {
    const digests = prepareRows<[digest: string]>(
      this.#reader,
      'select digest from photo where doomed = 0 and digest > ? order by digest limit ?',
    );
    return digests(afterDigest, limit).flat();
  }

  async countPhotos(): Promise<number> {
    return Number(prepareRow(this.#reader, 'select count(*) from photo where doomed = 0')()?.[0]);
  }

  async findListed(digests: readonly string[]): Promise<readonly string[]> {
    const rows = prepareRows<[digest: string]>(
      this.#reader,
      'select digest from json_each(?) join photo on digest = value where doomed = 0',
    );
    return rows(JSON.stringify(digests)).flat();
  }

  async findUnknown(digests: readonly string[]): Promise<readonly UnknownPhoto[]> {
    const rows = prepareRows<[digest: string, isReferenced: bigint]>(
      this.#reader,
      `select value, ${isReferredTo('value')} from json_each(?)
       where not exists (select 1 from photo where digest = value)`,
    );
    return rows(JSON.stringify(digests)).map(([digest, isReferenced]) => ({
      digest,
      isReferenced: isReferenced !== 0n,
    }));
  }

  async listDoomed(beforeMs: number): Promise<readonly string[]> {
    const rows = prepareRows<[digest: string]>(
      this.#reader,
      'select digest from photo where doomed = 1 and claimed_until_ms < ?',
    );
    return rows(beforeMs).flat();
  }

  async changePhotos(change: PhotoChange): Promise<readonly string[]> {
    return this.#change((db) => new PhotoWrites(db).apply(change));
  }

  findInstallationId(): Promise<string | undefined> {
    return findInstallation(openReads(this.#reader));
  }

  async readClock() {
    const last = prepareRow(this.#reader, 'select changed_at_ms from pet_version order by version desc limit 1')();
    return { nowMs: undefined, lastChangeMs: last && Number(last[0]) };
  }

  async close(): Promise<void> {
    this.#writer?.close();
    this.#reader.close();
    // A repair has changed the file, which the next start would check.
    if (this.#wasClean && this.#writer !== undefined) noteCleanEnd(this.#path);
  }

  #change<T>(work: (db: DatabaseSync) => T): T {
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

function checkOf(problem: RowProblem): RowCheck {
  return problem === 'counter-low' ? COUNTERS : ROW_CHECKS[problem];
}

/** Lone surrogates are stored as U+FFFD. */
function rowsText(rows: readonly PetListRow[]): string {
  return JSON.stringify(
    rows.map(({ value, petId, version }) => [value.toWellFormed(), petId.toString(), version?.toString()]),
  );
}

function inSnapshot<T>(db: DatabaseSync, work: () => T): T {
  db.exec('begin');
  try {
    return work();
  } finally {
    db.exec('rollback');
  }
}
