import type { NoOlderThan } from '../../../domain/ports.ts';
import type { Connections } from './connections.ts';
import { statement, type Parameter, type Ask, type Statement } from './statements.ts';

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
export interface CopyRead {
  primary: Statement;
  standby: Statement;
}

/** Every read includes all changes that are older than this. */
const MAX_LAG_MS = 5000;
const LOOK_EVERY_MS = 1000;

const position = statement('select last_version from change_order where only_row = 1');

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
export function readStandbys(ask: Ask, standbys: Pick<Connections, 'ask'>): CopyReads {
  const seen: { atMs: number; version: bigint }[] = [];
  /** The version that every read must include. While it is unknown, no standby is read. */
  let leastForAll: bigint | undefined;
  /** After a standby did not respond, requests do not use it until it has responded to the background check. */
  let isResponding = false;

  /** Every read includes what the primary had some seconds ago, and what it had when this node started. */
  async function lookAtPrimary(): Promise<void> {
    const atMs = performance.now();
    const version = await positionOf(ask);
    leastForAll ??= version;
    seen.push({ atMs, version });
    while (seen[1] !== undefined && seen[1].atMs <= atMs - MAX_LAG_MS) seen.shift();
    if (seen[0] !== undefined && seen[0].atMs <= atMs - MAX_LAG_MS) leastForAll = seen[0].version;
  }

  async function lookAtStandby(): Promise<void> {
    if (isResponding) return;
    await positionOf(standbys.ask);
    isResponding = true;
  }

  // While the primary is unreachable, its last known version counts, so the standbys can be read.
  const primaryLooks = repeat(lookAtPrimary);
  const standbyLooks = repeat(lookAtStandby);

  async function rowsOfStandby<Row extends readonly unknown[]>(
    { standby }: CopyRead,
    noOlderThan: bigint,
    parameters: readonly Parameter[],
  ): Promise<Row[] | undefined> {
    if (!isResponding || leastForAll === undefined) return undefined;
    try {
      const rows = await standbys.ask<[version: bigint, ...unknown[]]>(standby, ...parameters);
      const version = rows[0]?.[0] ?? -1n;
      if (version < noOlderThan || version < leastForAll) return undefined;
      return rows.filter((row) => row[1] !== null).map(([, ...row]) => row as unknown as Row);
    } catch {
      isResponding = false;
      return undefined;
    }
  }

  return {
    async rows(read, noOlderThan, ...parameters) {
      const fromStandby = noOlderThan === undefined ? undefined : await rowsOfStandby(read, noOlderThan, parameters);
      return (fromStandby ?? (await ask(read.primary, ...parameters))) as never;
    },
    close() {
      primaryLooks.end();
      standbyLooks.end();
    },
  };
}

/** The last version that there is. */
export async function positionOf(ask: Ask): Promise<bigint> {
  const [row] = await ask<[version: bigint]>(position);
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
