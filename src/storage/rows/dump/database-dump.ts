import { DUMP_TABLES, type Dump, type DumpCounters, type DumpTableName } from './dump-tables.ts';
import type { DumpRow, DumpTable } from './dump-table.ts';
import { Failure, unusable } from '../../../domain/failure.ts';
import { lastVersion } from '../events/change-feed.ts';
import { findInstallation } from '../installation-store.ts';
import { statement, type Dialect } from '../statements.ts';
import type { Reads } from '../steps.ts';

const counters = statement(({ either }) =>
  either(
    'select next_pet_id, next_account_id, last_version, last_audit_id from change_order where only_row = 1',
    `select (select id from next_id where kind = 'pet'), (select id from next_id where kind = 'account'),
       (${lastVersion.sqlite}), (select seq from sqlite_sequence where name = 'audit')`,
  ),
);

/** A database in which nothing was ever stored. */
export const isUnused = statement(
  'select not exists (select 1 from pet_version) and not exists (select 1 from account)',
);

/** For a copy of a database, which is the same installation. */
export const replaceInstallation = statement(
  'insert into installation (only_row, id) values (1, $1) on conflict (only_row) do update set id = excluded.id',
);

type TableStatements = ReadonlyMap<DumpTableName, ReturnType<typeof statementsFor>>;

const TABLES: TableStatements = new Map(DUMP_TABLES.map((table) => [table.name, statementsFor(table)]));

/** The tables of a database of an older schema, with those of their columns that it has. */
function olderTables(existing: ReadonlyMap<string, ReadonlySet<string>>): readonly DumpTable[] {
  return DUMP_TABLES.flatMap((table: DumpTable) => {
    const has = existing.get(table.name);
    if (has === undefined) return [];
    const columns = Object.fromEntries(Object.entries(table.columns).filter(([column]) => has.has(column)));
    return [{ ...table, columns }];
  });
}

function statementsFor({ name, columns, keyLength }: DumpTable) {
  const list = Object.keys(columns).join(', ');
  const key = Object.entries(columns).slice(0, keyLength);
  const keyColumns = key.map(([column]) => column).join(', ');
  // By bytes, independent of the collation of the database.
  const ordered = ({ either }: Dialect) =>
    key.map(([column, type]) => (type === 'text' ? either(`${column} collate "C"`, column) : column));
  const places = key.map(([, type], index) => `$${index + 1}::${sqlType(type)}`).join(', ');
  return {
    count: statement(`select count(*) from ${name}`),
    firstPart: statement((sql) => `select ${list} from ${name} order by ${ordered(sql).join(', ')} limit $1`),
    nextPart: statement((sql) => {
      const order = ordered(sql).join(', ');
      return `select ${list} from ${name} where (${order}) > (${places}) order by ${order} limit $${keyLength + 1}`;
    }),
    lastKey: statement((sql) => {
      const order = ordered(sql).map((part) => `${part} desc`);
      return `select ${keyColumns} from ${name} order by ${order.join(', ')} limit 1`;
    }),
  };
}

export function sqlType(type: 'int' | 'text'): string {
  return type === 'int' ? 'int8' : 'text';
}

/** The parts of a dump that both engines share. */
export class SqlDump {
  readonly #reads: Reads;
  readonly #tables: TableStatements;

  /** @param reads of a snapshot, or of the current state */
  constructor(reads: Reads, tables: TableStatements = TABLES) {
    this.#reads = reads;
    this.#tables = tables;
  }

  async count(table: DumpTableName): Promise<number> {
    return Number((await this.#reads.ask<[count: bigint]>(this.#statementsOf(table).count))[0]?.[0]);
  }

  async readBatch(table: DumpTableName, after: DumpRow | undefined, limit: number): Promise<readonly DumpRow[]> {
    const { firstPart, nextPart } = this.#statementsOf(table);
    return after === undefined ? this.#reads.ask(firstPart, limit) : this.#reads.ask(nextPart, ...after, limit);
  }

  async findLastKey(table: DumpTableName): Promise<DumpRow | undefined> {
    return (await this.#reads.ask<DumpRow>(this.#statementsOf(table).lastKey))[0];
  }

  async readCounters(): Promise<DumpCounters> {
    const [row] = await this.#reads.ask<(bigint | null)[]>(counters);
    if (row === undefined) throw new Error('The row that gives changes their order does not exist.');
    const [nextPetId, nextAccountId, lastVersion, lastAuditId] = row;
    return {
      nextPetId: nextPetId ?? 0n,
      nextAccountId: nextAccountId ?? 0n,
      lastVersion: lastVersion ?? 0n,
      lastAuditId: lastAuditId ?? 0n,
    };
  }

  findInstallationId(): Promise<string | undefined> {
    return findInstallation(this.#reads);
  }

  #statementsOf(name: DumpTableName): ReturnType<typeof statementsFor> {
    return this.#tables.get(name) as ReturnType<typeof statementsFor>;
  }
}

/** An older schema, read as far as it has the tables and columns of this version. */
export class OlderSqlDump extends SqlDump implements Dump {
  readonly #columns: ReadonlyMap<string, readonly string[]>;
  readonly #hasInstallation: boolean;

  constructor(reads: Reads, existing: ReadonlyMap<string, ReadonlySet<string>>) {
    const tables = olderTables(existing);
    super(reads, new Map(tables.map((table) => [table.name as DumpTableName, statementsFor(table)])));
    this.#columns = new Map(tables.map(({ name, columns }) => [name, Object.keys(columns)]));
    this.#hasInstallation = existing.has('installation');
  }

  override async findInstallationId(): Promise<string | undefined> {
    return this.#hasInstallation ? super.findInstallationId() : undefined;
  }

  columnsOf(table: DumpTableName): readonly string[] {
    return this.#columns.get(table) ?? [];
  }
}

/** A source is not migrated, and a target that is not empty is refused unchanged. @throws Failure `unavailable` */
export function requireKnownSchema(schema: number, known: number): void {
  if (schema === known) return;
  const schemas = `(schema ${schema}; this one has ${known})`;
  throw unusable(
    schema > known
      ? `The database was written by a newer Menagerie ${schemas}. Use that version.`
      : `The database was written by an older Menagerie ${schemas}. Use that version, or start this one on it once.`,
  );
}

export function writtenByAnother(): Failure {
  return new Failure(
    'conflict',
    'Another program is writing to the target. Stop it, and begin again with an empty target.',
  );
}
