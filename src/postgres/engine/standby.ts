import type { NoOlderThan } from '../../domain/ports.ts';
import type { Ask, Connections, Parameter } from './connections.ts';
import { statement, type Statement } from './statements.ts';

/** Reads that a copy will do for, where it is new enough. */
export interface CopyReads {
  rows<Row extends readonly unknown[]>(
    read: CopyRead,
    noOlderThan: NoOlderThan,
    ...parameters: Parameter[]
  ): Promise<Row[]>;
  close(): void;
}

/** A statement for the server that takes writes, and the same for a standby: there each row has before it how far the standby has come. */
export interface CopyRead {
  primary: Statement;
  standby: Statement;
}

/** What a standby lacks for longer than this is not left out by any read, whoever asks. */
const MAX_LAG_MS = 5000;
const LOOK_EVERY_MS = 1000;

/** A standby that did not answer is left alone for so long. */
const REST_MS = 2000;

const position = statement('select last_version from change_order where only_row = 1');

/** @param columns of the rows, the first of which is never null */
export function copyRead(text: string, columns: string): CopyRead {
  return {
    primary: statement(text),
    // One statement, and so one state of the data; and at least one row, which says what state that is.
    standby: statement(
      `select last_version, ${columns} from change_order left join (${text}) as found on true where only_row = 1`,
    ),
  };
}

/** Without standbys: everything is asked of the server that takes writes. */
export function readPrimary(ask: Ask): CopyReads {
  return { rows: (read, _noOlderThan, ...parameters) => ask(read.primary, ...parameters), close() {} };
}

/**
 * Reads from standbys what need not be newer than they are. How far a standby has come stands in its own copy of `change_order`, which changes with
 * every version of a pet: no clock is asked.
 */
export function readStandbys(ask: Ask, standbys: Pick<Connections, 'ask'>): CopyReads {
  const seen: { atMs: number; version: bigint }[] = [];
  let leastForAll = 0n;
  let restsUntilMs = 0;

  /** What the primary had some seconds ago, everybody is to see. */
  async function look(): Promise<void> {
    const atMs = Date.now();
    const [row] = await ask<[version: bigint]>(position);
    seen.push({ atMs, version: row?.[0] ?? 0n });
    while (seen[1] !== undefined && seen[1].atMs <= atMs - MAX_LAG_MS) seen.shift();
    if (seen[0] !== undefined && seen[0].atMs <= atMs - MAX_LAG_MS) leastForAll = seen[0].version;
  }
  // While the primary is out of reach, what it had last is what counts: the standbys can be read.
  const timer = setInterval(() => void look().catch(() => {}), LOOK_EVERY_MS);
  timer.unref();

  async function rowsOfStandby<Row extends readonly unknown[]>(
    { standby }: CopyRead,
    noOlderThan: bigint,
    parameters: readonly Parameter[],
  ): Promise<Row[] | undefined> {
    if (Date.now() < restsUntilMs) return undefined;
    try {
      const rows = await standbys.ask<[version: bigint, ...unknown[]]>(standby, ...parameters);
      const version = rows[0]?.[0] ?? -1n;
      if (version < noOlderThan || version < leastForAll) return undefined;
      return rows.filter((row) => row[1] !== null).map(([, ...row]) => row as unknown as Row);
    } catch {
      restsUntilMs = Date.now() + REST_MS;
      return undefined;
    }
  }

  return {
    async rows(read, noOlderThan, ...parameters) {
      const fromStandby = noOlderThan === undefined ? undefined : await rowsOfStandby(read, noOlderThan, parameters);
      return (fromStandby ?? (await ask(read.primary, ...parameters))) as never;
    },
    close: () => clearInterval(timer),
  };
}
