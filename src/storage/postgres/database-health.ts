import type { DatabaseHealth, PetList, PetListRow } from '../../domain/health/ports.ts';
import type { PhotoChange } from '../../domain/photos/ports.ts';
import type { Tally } from '../../domain/search/counts.ts';
import { SqlHealth } from '../rows/health/database-health.ts';
import type { Steps } from '../rows/steps.ts';
import { findDamage, findInvalidIndexes } from './database-damage.ts';
import type { Connections } from './engine/connections.ts';
import { KNOWN_SCHEMA, OLDEST_SCHEMA } from './engine/migration-files.ts';
import { isRetired } from './engine/retired-database.ts';
import { hasNul, statement } from './engine/statements.ts';
import { openReads, runSteps } from './engine/steps.ts';
import { inOrder } from './engine/transactions.ts';
import { findMark } from './engine/unfinished-restore.ts';
import { countEvents, replaceCounts } from './migrations/pet-backfills.ts';
import { photoWrites } from './pets/photo-index.ts';

/** The row that every change locks, if it is missing. The other repairs need it. */
const createOrder = statement(
  `insert into change_order (only_row, next_pet_id, next_account_id, last_version, last_audit_id, schema_version)
   values (1, 1, 1, 0, 0, $1) on conflict (only_row) do nothing`,
);
const raiseCounters = statement(
  `update change_order
   set last_version = greatest(last_version, (select max(version) from pet_version), (select max(version) from account_change)),
     last_audit_id = greatest(last_audit_id, (select max(id) from audit)),
     next_pet_id = greatest(next_pet_id, 1), next_account_id = greatest(next_account_id, 1)`,
);
const schemaVersion = statement('select version from menagerie_schema where only_row = 1');

export class PostgresHealth extends SqlHealth implements DatabaseHealth {
  readonly log = undefined;
  readonly rebuildIndexes = undefined;
  protected readonly reads;
  readonly #connections: Connections;

  constructor(connections: Connections) {
    super();
    this.#connections = connections;
    this.reads = openReads(connections.ask);
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

  /** A text that PostgreSQL cannot store has no row. */
  override findAbsent(list: PetList, wanted: readonly PetListRow[]): Promise<readonly PetListRow[]> {
    return super.findAbsent(
      list,
      wanted.filter(({ value }) => !hasNul(value)),
    );
  }

  countEvents(after: bigint, upTo: bigint): Promise<Tally> {
    return countEvents((work) => work(this.#connections.ask), after, upTo);
  }

  async replaceCounts(events: Tally, upTo: bigint): Promise<void> {
    await inOrder(this.#connections, async ({ ask, counters }) => {
      const { lastVersion } = await counters;
      await replaceCounts(ask, [events, await countEvents((work) => work(ask), upTo, lastVersion)]);
    });
  }

  async changePhotos(change: PhotoChange): Promise<readonly string[]> {
    const [outcome] = await inOrder(this.#connections, (transaction) => photoWrites.applyAll([change], transaction));
    if (outcome instanceof Error) throw outcome;
    return outcome ?? [];
  }

  close(): Promise<void> {
    return this.#connections.close();
  }

  protected change<T>(steps: () => Steps<T>): Promise<T> {
    return inOrder(this.#connections, (transaction) => runSteps(steps(), transaction));
  }

  protected async repairCounters(): Promise<void> {
    await this.#connections.transaction((ask) => ask(createOrder, OLDEST_SCHEMA));
    await inOrder(this.#connections, ({ ask }) => ask(raiseCounters));
  }
}
