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
import { findDamage, findInvalidIndexes } from './database-damage.ts';
import type { Connections } from './engine/connections.ts';
import { KNOWN_SCHEMA, OLDEST_SCHEMA } from './engine/migration-files.ts';
import { isRetired } from './engine/retired-database.ts';
import { statement, type Statement } from './engine/statements.ts';
import { inOrder, type Transaction } from './engine/transactions.ts';
import { findMark } from './engine/unfinished-restore.ts';
import { findInstallation } from '../rows/service/installation-store.ts';
import { openReads } from './engine/steps.ts';
import { PostgresIndexSource } from './pets/index-source.ts';
import { countEvents, PHOTOS_IN_USE, replaceCounts } from './migrations/pet-backfills.ts';
import { photoWrites } from './pets/photo-index.ts';

const LAST_USED = 'greatest((select max(version) from pet_version), (select max(version) from account_change))';

const COUNTERS: RowCheck = {
  find: `select 'last version' as subject from change_order where last_version < ${LAST_USED}
    union all select 'last entry of the audit log' as subject from change_order where last_audit_id < (select max(id) from audit)
    union all select 'next pet id' as subject from change_order where next_pet_id < 1
    union all select 'next account id' as subject from change_order where next_account_id < 1
    union all select 'all counters' as subject where not exists (select 1 from change_order where only_row = 1)
    union all ${USED_IDS.find}`,
  repair: [
    ...USED_IDS.repair,
    `update change_order set last_version = greatest(last_version, ${LAST_USED}),
       last_audit_id = greatest(last_audit_id, (select max(id) from audit)),
       next_pet_id = greatest(next_pet_id, 1), next_account_id = greatest(next_account_id, 1)`,
  ],
};

const CHECKS: Readonly<Record<RowProblem, RowCheck>> = { ...ROW_CHECKS, 'counter-low': COUNTERS };

/** The row that every change locks, if it is missing. The other repairs need it. */
const createOrder = statement(
  `insert into change_order (only_row, next_pet_id, next_account_id, last_version, last_audit_id, schema_version)
   values (1, 1, 1, 0, 0, $1) on conflict (only_row) do nothing`,
);

/** The statements of a problem. Those of a repair that need the time have it as their parameter. */
const ROW_STATEMENTS = new Map(
  Object.entries(CHECKS).map(([problem, { find, repair }]) => [
    problem,
    {
      find: statement(findingSql(find)),
      repair: repair.map((text) => ({
        needsTime: text.includes(':now'),
        statement: statement(text.replace(':now', '$1::int8')),
      })),
    },
  ]),
);

interface ListStatements {
  findAbsent: Statement;
  list: Statement;
  add: Statement;
  remove: Statement;
}

const LISTS: Readonly<Record<PetList, ListStatements>> = {
  tags: listStatements('pet_tag', 'name'),
  photos: listStatements('pet_photo', 'digest'),
  externalIds: listStatements('pet_external_id', 'external_id', 'pet_id'),
};

/** A version that no pet has, for a missing pet. */
const NO_VERSION = -1n;

function listStatements(table: string, column: string, key = `${column}, pet_id`): ListStatements {
  const rows = 'unnest($1::text[], $2::int8[], $3::int8[]) as given (value, id, version)';
  return {
    findAbsent: statement(
      `select given.value, given.id from ${rows} join pet on pet.id = given.id and pet.version = given.version
       where not exists (select 1 from ${table} where ${column} = given.value and pet_id = given.id)`,
    ),
    // In the order of the primary key, whatever the collation is.
    list: statement(
      `select ${column}, pet_id, version, text, profile from ${table} left join pet on pet.id = pet_id
       where (${column}, pet_id) > ($1, $2::int8) order by ${column}, pet_id limit $3`,
    ),
    add: statement(
      `insert into ${table} (${column}, pet_id) select given.value, given.id
       from ${rows} join pet on pet.id = given.id and pet.version = given.version
       on conflict (${key}) do nothing`,
    ),
    remove: statement(
      `delete from ${table} using ${rows} where ${column} = given.value and pet_id = given.id
         and coalesce((select pet.version from pet where pet.id = given.id), -1) = given.version`,
    ),
  };
}

const schemaVersion = statement('select version from menagerie_schema where only_row = 1');
const firstPets = statement(`select ${CHECKED_PET_COLUMNS} from pet order by id limit $1`);
const nextPets = statement(`select ${CHECKED_PET_COLUMNS} from pet where id > $1 order by id limit $2`);
const petCount = statement('select count(*) from pet');
// One statement, so it sees one state of the database. At least one row, which has the version.
const storedCounts = statement(
  `select last_version, (select count(*) ${PHOTOS_IN_USE}), (select coalesce(sum(byte_length), 0)::int8 ${PHOTOS_IN_USE}), kind, name, count
   from change_order left join pet_count on true where only_row = 1`,
);
const accountsAfter = statement('select id, username, role from account where id > $1 order by id limit $2');
const photosAfter = statement('select digest from photo where doomed = 0 and digest > $1 order by digest limit $2');
const photoCount = statement('select count(*) from photo where doomed = 0');
const listedAmong = statement('select digest from photo where digest = any($1::text[]) and doomed = 0');
const unknownAmong = statement(
  `select given.digest, ${isReferredTo('given.digest')} from unnest($1::text[]) as given (digest)
   where not exists (select 1 from photo where photo.digest = given.digest)`,
);
const doomedBefore = statement('select digest from photo where doomed = 1 and claimed_until_ms < $1');
const clock = statement(
  `select (extract(epoch from clock_timestamp()) * 1000)::int8, (select changed_at_ms from pet_version order by version desc limit 1)`,
);

export class PostgresHealth implements DatabaseHealth {
  readonly log = undefined;
  readonly rebuildIndexes = undefined;
  readonly indexSource;
  readonly #connections: Connections;

  constructor(connections: Connections) {
    this.#connections = connections;
    this.indexSource = new PostgresIndexSource(connections.ask);
  }

  findDamage(): Promise<readonly string[]> {
    return findDamage(this.#connections.ask);
  }

  findInvalidIndexes(): Promise<readonly string[]> {
    return findInvalidIndexes(this.#connections.ask);
  }

  async findSchema() {
    const [row] = await this.#connections.ask<[version: number]>(schemaVersion);
    return { version: row?.[0] ?? 0, known: KNOWN_SCHEMA };
  }

  async findCopyState() {
    if ((await findMark(this.#connections)) !== undefined) return 'restore-unfinished';
    const { version } = await this.findSchema();
    return (await isRetired(this.#connections.ask, version)) ? 'retired' : undefined;
  }

  async findRows(problem: RowProblem) {
    const rows = await this.#connections.ask<[total: bigint, subject: string]>(statementsOf(problem).find);
    return { count: Number(rows[0]?.[0] ?? 0n), subjects: rows.map(([, subject]) => subject) };
  }

  async repairRows(problem: RowProblem): Promise<void> {
    if (problem === 'counter-low') await this.#connections.transaction((ask) => ask(createOrder, OLDEST_SCHEMA));
    await this.#change(async ({ ask }) => {
      for (const { needsTime, statement: repair } of statementsOf(problem).repair)
        await (needsTime ? ask(repair, Date.now()) : ask(repair));
    });
  }

  async listPets(afterId: bigint | undefined, limit: number): Promise<readonly CheckedPet[]> {
    const { ask } = this.#connections;
    const rows =
      afterId === undefined ? ask<CheckedPetRow>(firstPets, limit) : ask<CheckedPetRow>(nextPets, afterId, limit);
    return (await rows).map(toCheckedPet);
  }

  async countPets(): Promise<number> {
    return this.#count(petCount);
  }

  async findAbsent(list: PetList, wanted: readonly PetListRow[]): Promise<readonly PetListRow[]> {
    const rows = await this.#connections.ask<[value: string, id: bigint]>(
      LISTS[list].findAbsent,
      ...columnsOf(wanted.filter(({ value }) => !value.includes('\0'))),
    );
    const versions = new Map(wanted.map(({ petId, version }) => [petId, version]));
    return rows.map(([value, petId]) => ({ value, petId, version: versions.get(petId) }));
  }

  async listRows(list: PetList, after: PetListRow | undefined, limit: number) {
    const rows = await this.#connections.ask<
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

  async correctRows(list: PetList, { add, remove }: { add: readonly PetListRow[]; remove: readonly PetListRow[] }) {
    await this.#change(async ({ ask }) => {
      if (add.length > 0) await ask(LISTS[list].add, ...columnsOf(add));
      if (remove.length > 0) await ask(LISTS[list].remove, ...columnsOf(remove));
    });
  }

  async readCounts(): Promise<StoredCounts> {
    const rows =
      await this.#connections.ask<
        [
          version: bigint,
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
    return { version, photos: Number(photos), photoBytes: Number(photoBytes), counts };
  }

  countEvents(after: bigint, upTo: bigint): Promise<Tally> {
    return countEvents((work) => work(this.#connections.ask), after, upTo);
  }

  async replaceCounts(events: Tally, upTo: bigint): Promise<void> {
    await this.#change(async ({ ask, counters }) => {
      const { lastVersion } = await counters;
      await replaceCounts(ask, [events, await countEvents((work) => work(ask), upTo, lastVersion)]);
    });
  }

  async listAccounts(afterId: bigint, limit: number): Promise<readonly StoredAccount[]> {
    const rows = await this.#connections.ask<[id: bigint, username: string, role: string]>(
      accountsAfter,
      afterId,
      limit,
    );
    return rows.map(([id, username, role]) => ({ id, username, role }));
  }

  async listPhotos(afterDigest: string, limit: number): Promise<readonly string[]> {
    return (await this.#connections.ask<[digest: string]>(photosAfter, afterDigest, limit)).flat();
  }

  async countPhotos(): Promise<number> {
    return this.#count(photoCount);
  }

  async findListed(digests: readonly string[]): Promise<readonly string[]> {
    return (await this.#connections.ask<[digest: string]>(listedAmong, digests)).flat();
  }

  async findUnknown(digests: readonly string[]): Promise<readonly UnknownPhoto[]> {
    const rows = await this.#connections.ask<[digest: string, isReferenced: boolean]>(unknownAmong, digests);
    return rows.map(([digest, isReferenced]) => ({ digest, isReferenced }));
  }

  async listDoomed(beforeMs: number): Promise<readonly string[]> {
    return (await this.#connections.ask<[digest: string]>(doomedBefore, beforeMs)).flat();
  }

  async changePhotos(change: PhotoChange): Promise<readonly string[]> {
    const [outcome] = await this.#change((transaction) => photoWrites.applyAll([change], transaction));
    if (outcome instanceof Error) throw outcome;
    return outcome ?? [];
  }

  findInstallationId(): Promise<string | undefined> {
    return findInstallation(openReads(this.#connections.ask));
  }

  async readClock() {
    const [[nowMs, lastChangeMs] = [0n, null]] = await this.#connections.ask<[now: bigint, last: bigint | null]>(clock);
    return { nowMs: Number(nowMs), lastChangeMs: lastChangeMs === null ? undefined : Number(lastChangeMs) };
  }

  close(): Promise<void> {
    return this.#connections.close();
  }

  async #count(counting: Statement): Promise<number> {
    return Number((await this.#connections.ask<[count: bigint]>(counting))[0]?.[0]);
  }

  #change<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return inOrder(this.#connections, work);
  }
}

function statementsOf(problem: RowProblem) {
  return ROW_STATEMENTS.get(problem) as NonNullable<ReturnType<(typeof ROW_STATEMENTS)['get']>>;
}

function columnsOf(rows: readonly PetListRow[]) {
  return [
    rows.map(({ value }) => value),
    rows.map(({ petId }) => petId),
    rows.map(({ version }) => version ?? NO_VERSION),
  ] as const;
}
