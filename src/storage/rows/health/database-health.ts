import type {
  CheckedPet,
  PetList,
  PetListRow,
  RowProblem,
  StoredAccount,
  StoredCounts,
  StoredRecord,
  UnknownPhoto,
} from '../../../domain/health/ports.ts';
import { MIN_INT64 } from '../../../domain/int64.ts';
import { isReferredTo, PHOTOS_IN_USE } from '../photo-use.ts';
import { lastVersion } from '../events/change-feed.ts';
import { findInstallation } from '../installation-store.ts';
import { statement } from '../statements.ts';
import { send, type Reads, type Steps } from '../steps.ts';
import { ROW_CHECKS } from './row-problems.ts';

const PET_COLUMNS = 'id, version, text, profile';
const firstPets = statement(`select ${PET_COLUMNS} from pet order by id limit $1`);
const nextPets = statement(`select ${PET_COLUMNS} from pet where id > $1 order by id limit $2`);
const petCount = statement('select count(*) from pet');
// One statement, so it sees one state of the database. At least one row, which has the version.
const storedCounts = statement(
  ({ either }) =>
    `select (${either(lastVersion.postgres, lastVersion.sqlite)}), (select count(*) ${PHOTOS_IN_USE}),
       (select coalesce(sum(byte_length), 0)::int8 ${PHOTOS_IN_USE}), kind, name, count
     from (select 1 as one) as one left join pet_count on true`,
);
const accountsAfter = statement('select id, username, role from account where id > $1 order by id limit $2');
const siteRecords = statement('select kind, text from site_record order by kind');
const photosAfter = statement('select digest from photo where doomed = 0 and digest > $1 order by digest limit $2');
const photoCount = statement('select count(*) from photo where doomed = 0');
const listedAmong = statement(
  (sql) => `select digest from photo where doomed = 0 and ${sql.isOneOf('digest', '$1', 'text')}`,
);
const unknownAmong = statement(
  (sql) =>
    `select value, ${isReferredTo('value')} from ${sql.each('$1', 'text')}
     where not exists (select 1 from photo where digest = value)`,
);
const doomedBefore = statement('select digest from photo where doomed = 1 and claimed_until_ms < $1');
const clock = statement(
  ({ either }) =>
    `select ${either('(extract(epoch from clock_timestamp()) * 1000)::int8', 'null')},
       (select changed_at_ms from pet_version order by version desc limit 1)`,
);

/** A version that no pet has, for a missing pet. */
const NO_VERSION = -1n;

const LISTS = {
  tags: listStatements('pet_tag', 'name'),
  photos: listStatements('pet_photo', 'digest'),
  externalIds: listStatements('pet_external_id', 'external_id', 'pet_id'),
} satisfies Readonly<Record<PetList, unknown>>;

function listStatements(table: string, column: string, key = `${column}, pet_id`) {
  return {
    findAbsent: statement(
      ({ either }) =>
        `select given.value, given.id
         from ${either(
           'jsonb_to_recordset($1::jsonb) as given (value text, id int8, version int8)',
           `(select value ->> 'value' as value, cast(value ->> 'id' as integer) as id, cast(value ->> 'version' as integer) as version
             from json_each($1)) as given`,
         )} join pet on pet.id = given.id and pet.version = given.version
         where not exists (select 1 from ${table} where ${column} = given.value and pet_id = given.id)`,
    ),
    // In the order of the primary key, whatever the collation is.
    list: statement(
      `select ${column}, pet_id, version, text, profile from ${table} left join pet on pet.id = pet_id
       where (${column}, pet_id) > ($1, $2::int8) order by ${column}, pet_id limit $3`,
    ),
    add: statement(
      `insert into ${table} (${column}, pet_id) select $1, id from pet where id = $2 and version = $3
       on conflict (${key}) do nothing`,
    ),
    remove: statement(
      `delete from ${table} where ${column} = $1 and pet_id = $2
         and coalesce((select version from pet where id = $2), ${NO_VERSION}) = $3`,
    ),
  };
}

/** The checks and repairs of `menagerie doctor` that both engines share. */
export abstract class SqlHealth {
  /** Prepare statements when they are used: a damaged or older database may lack their tables. */
  protected abstract readonly reads: Reads;

  /** Runs steps in a transaction that makes changes. Steps are made again if it is repeated. */
  protected abstract change<T>(steps: () => Steps<T>): Promise<T>;

  /** Repairs the part of `counter-low` that each engine stores in its own form. */
  protected abstract repairCounters(): Promise<void>;

  async findRows(problem: RowProblem) {
    const rows = await this.reads.ask<[total: bigint, subject: string]>(ROW_CHECKS[problem].find);
    return { count: Number(rows[0]?.[0] ?? 0n), subjects: rows.map(([, subject]) => subject) };
  }

  async listSiteRecords(): Promise<readonly StoredRecord[]> {
    const rows = await this.reads.ask<[kind: string, text: string]>(siteRecords);
    return rows.map(([kind, text]) => ({ kind, text }));
  }

  async repairRows(problem: RowProblem): Promise<void> {
    if (problem === 'counter-low') await this.repairCounters();
    await this.change(() => repairSteps(problem));
  }

  async listPets(afterId: bigint | undefined, limit: number): Promise<readonly CheckedPet[]> {
    type Row = [id: bigint, version: bigint, text: string, profile: string | null];
    const rows =
      afterId === undefined ? this.reads.ask<Row>(firstPets, limit) : this.reads.ask<Row>(nextPets, afterId, limit);
    return (await rows).map(([id, version, text, profile]) => ({ id, version, text, profile }));
  }

  async countPets(): Promise<number> {
    return Number((await this.reads.ask<[count: bigint]>(petCount))[0]?.[0]);
  }

  async findAbsent(list: PetList, wanted: readonly PetListRow[]): Promise<readonly PetListRow[]> {
    const rows = await this.reads.ask<[value: string, id: bigint]>(LISTS[list].findAbsent, rowsText(wanted));
    const versions = new Map(wanted.map(({ petId, version }) => [petId, version]));
    return rows.map(([value, petId]) => ({ value, petId, version: versions.get(petId) }));
  }

  async listRows(list: PetList, after: PetListRow | undefined, limit: number) {
    const rows = await this.reads.ask<
      [value: string, petId: bigint, version: bigint | null, text: string | null, profile: string | null]
    >(LISTS[list].list, after?.value ?? '', after?.petId ?? MIN_INT64, limit);
    return rows.map(([value, petId, version, text, profile]) => ({
      value,
      petId,
      version: version ?? undefined,
      text,
      profile,
    }));
  }

  async correctRows(list: PetList, rows: { add: readonly PetListRow[]; remove: readonly PetListRow[] }): Promise<void> {
    await this.change(() => correctionSteps(list, rows));
  }

  async readCounts(): Promise<StoredCounts> {
    const rows =
      await this.reads.ask<
        [
          version: bigint | null,
          photos: bigint,
          photoBytes: bigint,
          kind: string | null,
          name: string | null,
          count: bigint | null,
        ]
      >(storedCounts);
    const [version, photos, photoBytes] = rows[0] ?? [0n, 0n, 0n];
    const counts = new Map<string, bigint>();
    for (const [, , , kind, name, count] of rows) if (kind !== null) counts.set(`${kind} ${name}`, count ?? 0n);
    return { version: version ?? 0n, photos: Number(photos), photoBytes: Number(photoBytes), counts };
  }

  async listAccounts(afterId: bigint, limit: number): Promise<readonly StoredAccount[]> {
    const rows = await this.reads.ask<[id: bigint, username: string, role: string]>(accountsAfter, afterId, limit);
    return rows.map(([id, username, role]) => ({ id, username, role }));
  }

  async listPhotos(afterDigest: string, limit: number): Promise<readonly string[]> {
    return (await this.reads.ask<[digest: string]>(photosAfter, afterDigest, limit)).flat();
  }

  async countPhotos(): Promise<number> {
    return Number((await this.reads.ask<[count: bigint]>(photoCount))[0]?.[0]);
  }

  async findListed(digests: readonly string[]): Promise<readonly string[]> {
    return (await this.reads.ask<[digest: string]>(listedAmong, digests)).flat();
  }

  async findUnknown(digests: readonly string[]): Promise<readonly UnknownPhoto[]> {
    const rows = await this.reads.ask<[digest: string, isReferenced: boolean | bigint]>(unknownAmong, digests);
    return rows.map(([digest, isReferenced]) => ({ digest, isReferenced: Boolean(isReferenced) }));
  }

  async listDoomed(beforeMs: number): Promise<readonly string[]> {
    return (await this.reads.ask<[digest: string]>(doomedBefore, beforeMs)).flat();
  }

  findInstallationId(): Promise<string | undefined> {
    return findInstallation(this.reads);
  }

  async readClock() {
    const [[nowMs, lastChangeMs] = [null, null]] =
      await this.reads.ask<[now: bigint | null, last: bigint | null]>(clock);
    return { nowMs: toNumber(nowMs), lastChangeMs: toNumber(lastChangeMs) };
  }
}

function* repairSteps(problem: RowProblem): Steps<void> {
  for (const { needsTime, statement: repair } of ROW_CHECKS[problem].repair)
    yield* needsTime ? send(repair, Date.now()) : send(repair);
}

function* correctionSteps(
  list: PetList,
  { add, remove }: { add: readonly PetListRow[]; remove: readonly PetListRow[] },
): Steps<void> {
  for (const { value, petId, version = NO_VERSION } of add) yield* send(LISTS[list].add, value, petId, version);
  for (const { value, petId, version = NO_VERSION } of remove) yield* send(LISTS[list].remove, value, petId, version);
}

/** Lone surrogates are stored as U+FFFD, and PostgreSQL has no U+0000. */
function rowsText(rows: readonly PetListRow[]): string {
  return JSON.stringify(
    rows.map(({ value, petId, version }) => ({
      value: value.toWellFormed(),
      id: petId.toString(),
      version: version?.toString(),
    })),
  );
}

function toNumber(value: bigint | null): number | undefined {
  return value === null ? undefined : Number(value);
}
