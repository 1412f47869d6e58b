import { setTimeout as delay } from 'node:timers/promises';
import { types as driverTypes, type ClientBase, type CustomTypesConfig, type PoolClient, type QueryConfig } from 'pg';
import { Failure, isUnavailable } from '../../../domain/failure.ts';
import type { ReadDatabaseServers } from '../../../domain/health/database-servers.ts';
import { CONNECT_TIMEOUT_MS, type DatabaseAddress } from './connection-url.ts';
import { hasNul, statement, toText, withoutNul, type Parameter, type Ask, type Statement } from './statements.ts';
import { ServerPool } from './server-pool.ts';
import { beginning, doInSteps, type Isolation, type Later } from './transaction-steps.ts';
import {
  explainTrouble,
  isConnectionLost,
  isLockTimeout,
  isNobodyThere,
  isToBeDoneAgain,
  isUnprepared,
  isWell,
  reasonOf,
} from './troubles.ts';

export interface ConnectionSettings {
  address: DatabaseAddress;
  size: number;
  /** Accepts a standby: nothing is written. */
  readsOnly?: boolean;
  responseTimeoutMs?: number | undefined;
  /**
   * Of transactions. Because they lock the one row that orders all changes, each only has to see what was committed
   * before it.
   */
  isolation?: Isolation;
  /** Called with the reason when the database becomes unreachable, and without one when it is reachable again. */
  onChange?: (reason: string | undefined) => void;
  /** Called when the server does not accept a change; `isLogged` if `onChange` is called as well. */
  onTrouble?: (reason: string, isLogged: boolean) => void;
}

const RESPONSE_TIMEOUT_MS = 5000;
const MIGRATION_TIMEOUT_MS = 3_600_000;
/** Shorter than the timeout of the statements that queue. */
const MAX_LOCK_MS = 1000;
/** The reader of a snapshot may write to a slow place between two statements. */
const MAX_SNAPSHOT_PAUSE_SECONDS = 600;

/** Transactions that conflict are retried for this long. */
const PATIENCE_MS = 5000;
/** After a connection was lost, statements are retried for this long: a new primary may be starting. */
const SEARCH_MS = 500;
const MAX_PAUSE_MS = 128;
const MAX_ATTEMPTS_TO_PREPARE = 5;

/** Statements that compare their texts, and store none of them. */
const IS_LOOK_UP = /^(?:select|delete)\b/;

const INT8_OID = 20;

/** int8 is returned as bigint, without exception; all else as the driver returns it. */
const types = {
  getTypeParser(oid: number, format: 'text' | 'binary') {
    return oid === INT8_OID ? BigInt : (driverTypes.getTypeParser(oid, format) as (text: string) => unknown);
  },
} as CustomTypesConfig;

/** A limit of -1 means none. */
const allowedConnections = statement(
  `select min(allowed) from (
     select current_setting('max_connections')::int8 - current_setting('superuser_reserved_connections')::int8
     union all select rolconnlimit from pg_roles where rolname = current_user
     union all select datconnlimit from pg_database where datname = current_database()) as limits (allowed)
   where allowed >= 0`,
);

/** Executes statements and transactions on a database, and retries them where that is safe. */
export class Connections {
  readonly #pool: ServerPool;
  readonly #settings: ConnectionSettings;
  readonly #responseTimeoutMs: number;
  /** Whether statements are prepared under a name. Some proxies do not support it. */
  #isPreparing = true;
  #outage: { isOfChanges: boolean; lastAtMs: number } | undefined;

  constructor(settings: ConnectionSettings) {
    const { address, size, readsOnly = false, responseTimeoutMs = RESPONSE_TIMEOUT_MS } = settings;
    const { serverUrls, connectTimeoutMs = CONNECT_TIMEOUT_MS } = address;
    this.#settings = settings;
    this.#responseTimeoutMs = responseTimeoutMs;
    this.#pool = new ServerPool({ serverUrls, size, readsOnly, connectTimeoutMs, responseTimeoutMs });
  }

  /**
   * Executes one statement on its own. It may be retried, so it must not change anything.
   * @throws Failure `unavailable`
   */
  readonly ask: Ask = (statement, ...parameters) =>
    this.#retry(false, () => this.#pool.withClient((client) => this.#askOf(client)(statement, ...parameters)));

  /**
   * Executes statements in one transaction, which is committed when `work` is done. `work` may be repeated from the
   * beginning after a conflict or a lost connection, but never after the commit was requested.
   *
   * @throws Failure `unavailable`; then nothing was changed, or it is unknown whether it was
   */
  readonly transaction = <T>(work: (ask: Ask, later: Later) => Promise<T>): Promise<T> =>
    this.#retry(true, () => this.#inTransaction((_client, ask, later) => work(ask, later)));

  /**
   * In one transaction: executes a script of many statements if `work` returns true, and then `then`. Other statements
   * queue behind the script while it waits for a table, so it gives up soon.
   *
   * @returns false if a table was in use; then nothing was changed
   */
  async migration(
    script: string,
    work: (ask: Ask) => Promise<boolean>,
    then?: (ask: Ask) => Promise<void>,
  ): Promise<boolean> {
    const run = () =>
      // The timeout of the whole transaction, because waiting for the lock means waiting for another migration.
      this.#inTransaction(async (client, ask) => {
        if (!(await work(ask))) return;
        await client.query(`set local lock_timeout = ${MAX_LOCK_MS}`);
        await client.query({ text: script, query_timeout: MIGRATION_TIMEOUT_MS } as QueryConfig);
        await then?.(ask);
      }, MIGRATION_TIMEOUT_MS);
    return this.#retry(true, () =>
      run().then(
        () => true,
        (error: unknown) => {
          if (isLockTimeout(error)) return false;
          throw error;
        },
      ),
    );
  }

  /**
   * Executes statements that read one state of the database: the last one committed before this call. They are not
   * retried.
   *
   * @throws Failure `unavailable`
   */
  async inSnapshot<T>(work: (ask: Ask) => Promise<T>): Promise<T> {
    const begin = `begin isolation level repeatable read read only; set local statement_timeout = ${this.#responseTimeoutMs}; set local idle_in_transaction_session_timeout = '${MAX_SNAPSHOT_PAUSE_SECONDS}s'`;
    try {
      return await this.#pool.withClient(async (client) => {
        await client.query(begin);
        try {
          return await work(this.#askOf(client));
        } finally {
          await client.query('rollback').catch(() => {});
        }
      });
    } catch (error) {
      throw explainTrouble(error);
    }
  }

  /** Leaves one of the connections that the server allows this user, this database or everyone to the search thread. */
  async leaveOne(): Promise<void> {
    // Databases that only speak its protocol have another catalogue.
    const [row] = await this.ask<[allowed: bigint]>(allowedConnections).catch(() => []);
    if (row !== undefined) this.#pool.limitTo(Number(row[0]) - 1);
  }

  activity() {
    return this.#pool.activity();
  }

  readonly readServers: ReadDatabaseServers = () => this.#pool.readServers();

  close(): Promise<void> {
    return this.#pool.close();
  }

  #inTransaction<T>(
    work: (client: PoolClient, ask: Ask, later: Later) => Promise<T>,
    timeoutMs = this.#responseTimeoutMs,
  ): Promise<T> {
    const begin = beginning(this.#settings.isolation, timeoutMs);
    return this.#pool.withClient((client) =>
      doInSteps(client, this.#askOf(client, timeoutMs), begin, (ask, later) => work(client, ask, later)),
    );
  }

  #askOf(client: ClientBase, timeoutMs = this.#responseTimeoutMs): Ask {
    return async <Row extends readonly unknown[]>({ name, text }: Statement, ...parameters: Parameter[]) => {
      const isLookUp = IS_LOOK_UP.test(text);
      // Nothing would match.
      if (isLookUp && parameters.some(hasNul)) return [];
      const values = (isLookUp ? parameters.map(withoutNul) : parameters).map(toText);
      const shape = { rowMode: 'array' as const, types, query_timeout: timeoutMs + 500 };
      const query = { text, values, ...shape, ...(this.#isPreparing && { name }) };
      const { rows } = await client.query<Row & unknown[]>(query);
      return rows as Row[];
    };
  }

  /** Repeats the work until it succeeds, fails with another error, or a retry is hopeless. */
  async #retry<T>(isChange: boolean, work: () => Promise<T>): Promise<T> {
    // A conflicting transaction may take as long as a statement may.
    let untilMs = Date.now() + Math.max(PATIENCE_MS, this.#responseTimeoutMs);
    for (let attempt = 1; ; attempt++) {
      try {
        const result = await work();
        this.#noteSuccess(isChange);
        return result;
      } catch (error) {
        if (isConnectionLost(error)) untilMs = Math.min(untilMs, Date.now() + SEARCH_MS);
        if (!this.#isWorthRetrying(error, attempt) || Date.now() > untilMs) throw this.#noteTrouble(error, isChange);
        // A random pause, so that conflicting transactions do not meet again.
        await delay(Math.random() * Math.min(2 ** attempt, MAX_PAUSE_MS));
      }
    }
  }

  #isWorthRetrying(error: unknown, attempt: number): boolean {
    if (isUnprepared(error)) {
      this.#isPreparing = false;
      return attempt < MAX_ATTEMPTS_TO_PREPARE;
    }
    if (isToBeDoneAgain(error)) return true;
    return isConnectionLost(error) && (this.#settings.address.serverUrls.length > 1 || !isNobodyThere(error));
  }

  /** @returns the error for the caller */
  #noteTrouble(error: unknown, isChange: boolean): unknown {
    const { onChange, onTrouble } = this.#settings;
    const explained = explainTrouble(error);
    const cause = explained instanceof Failure ? explained.cause : undefined;
    if (cause === undefined) {
      // The database belongs to a newer version.
      if (isChange && isUnavailable(explained)) onTrouble?.(reasonOf(explained), false);
      return explained;
    }
    // A server that refuses changes is reachable: it may accept others meanwhile.
    const isRefused = isChange && isWell(cause);
    if (isChange) onTrouble?.(reasonOf(cause), !isRefused);
    if (isRefused) return explained;
    if (this.#outage === undefined) onChange?.(reasonOf(cause));
    this.#outage = { isOfChanges: isChange || this.#outage?.isOfChanges === true, lastAtMs: Date.now() };
    return explained;
  }

  /** While changes fail and reads succeed, as when no standby confirms a commit, a read does not end the outage. */
  #noteSuccess(isChange: boolean): void {
    if (this.#outage === undefined) return;
    const { isOfChanges, lastAtMs } = this.#outage;
    if (isOfChanges && !isChange && Date.now() - lastAtMs < 2 * this.#responseTimeoutMs) return;
    this.#outage = undefined;
    this.#settings.onChange?.(undefined);
  }
}
