import type { NoOlderThan } from '../../../domain/ports.ts';
import { lastVersion } from '../../rows/events/change-feed.ts';
import { askCommon, statement, type Parameter, type Ask, type Statement } from './statements.ts';

/** Reads that accept a standby if it is recent enough. */
export interface CopyReads {
  rows<Row extends readonly unknown[]>(
    read: CopyRead,
    noOlderThan: NoOlderThan,
    ...parameters: Parameter[]
  ): Promise<Row[]>;
  close(): void;
}

/**
 * A statement for the primary, and the same for a standby: there each row begins with the version that the standby has
 * reached.
 */
interface CopyRead {
  primary: Statement;
  standby: Statement;
}

/** Every read includes all changes that are older than this. */
const MAX_LAG_MS = 5000;
const LOOK_EVERY_MS = 1000;

/** @param columns the columns of a row; the first is never null */
export function copyRead(text: string, columns: string): CopyRead {
  return {
    primary: statement(text),
    // One statement, so it sees one state of the data; and at least one row, which has the version of that state.
    standby: statement(
      `select last_version, ${columns} from change_order left join (${text}) as found on true where only_row = 1`,
    ),
  };
}

/** Without standbys: everything is read from the primary. */
export function readPrimary(ask: Ask): CopyReads {
  return { rows: (read, _noOlderThan, ...parameters) => ask(read.primary, ...parameters), close() {} };
}

/**
 * Reads from standbys if they are recent enough. The version that a standby has reached is in its copy of
 * `change_order`, which changes with every version of a pet: no clocks are compared.
 */
export class StandbyReads implements CopyReads {
  readonly #primary: Ask;
  readonly #standbys: Ask;
  readonly #seen: { atMs: number; version: bigint }[] = [];
  readonly #looks: readonly { end(): void }[];
  /** The version that every read must include. While it is unknown, no standby is read. */
  #leastForAll: bigint | undefined;
  /** After a standby did not respond, requests do not use it until it has responded to the background check. */
  #isResponding = false;

  constructor(primary: Ask, standbys: Ask) {
    this.#primary = primary;
    this.#standbys = standbys;
    // While the primary is unreachable, its last known version counts, so the standbys can be read.
    this.#looks = [repeat(() => this.#lookAtPrimary()), repeat(() => this.#lookAtStandby())];
  }

  async rows<Row extends readonly unknown[]>(read: CopyRead, noOlderThan: NoOlderThan, ...parameters: Parameter[]) {
    const fromStandby =
      noOlderThan === undefined ? undefined : await this.#rowsOfStandby<Row>(read, noOlderThan, parameters);
    return fromStandby ?? this.#primary<Row>(read.primary, ...parameters);
  }

  close(): void {
    for (const look of this.#looks) look.end();
  }

  /** Every read includes what the primary had some seconds ago, and what it had when this node started. */
  async #lookAtPrimary(): Promise<void> {
    const atMs = performance.now();
    const version = await positionOf(this.#primary);
    this.#leastForAll ??= version;
    this.#seen.push({ atMs, version });
    while (this.#seen[1] !== undefined && this.#seen[1].atMs <= atMs - MAX_LAG_MS) this.#seen.shift();
    const [oldest] = this.#seen;
    if (oldest !== undefined && oldest.atMs <= atMs - MAX_LAG_MS) this.#leastForAll = oldest.version;
  }

  async #lookAtStandby(): Promise<void> {
    if (this.#isResponding) return;
    await positionOf(this.#standbys);
    this.#isResponding = true;
  }

  async #rowsOfStandby<Row extends readonly unknown[]>(
    { standby }: CopyRead,
    noOlderThan: bigint,
    parameters: readonly Parameter[],
  ): Promise<Row[] | undefined> {
    if (!this.#isResponding || this.#leastForAll === undefined) return undefined;
    try {
      const rows = await this.#standbys<[version: bigint, ...unknown[]]>(standby, ...parameters);
      const version = rows[0]?.[0] ?? -1n;
      if (version < noOlderThan || version < this.#leastForAll) return undefined;
      return rows.filter((row) => row[1] !== null).map(([, ...row]) => row as unknown as Row);
    } catch {
      this.#isResponding = false;
      return undefined;
    }
  }
}

async function positionOf(ask: Ask): Promise<bigint> {
  const [row] = await askCommon(ask)<[version: bigint]>(lastVersion);
  return row?.[0] ?? 0n;
}

/** Runs the check now and then periodically. A check that fails is repeated at the next time. */
function repeat(look: () => Promise<void>): { end: () => void } {
  let hasEnded = false;
  async function run(): Promise<void> {
    await look().catch(() => {});
    if (!hasEnded) setTimeout(() => void run(), LOOK_EVERY_MS).unref();
  }
  void run();
  return {
    end: () => {
      hasEnded = true;
    },
  };
}
