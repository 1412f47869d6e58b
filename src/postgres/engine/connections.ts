import { setTimeout as delay } from 'node:timers/promises';
import {
  Client,
  DatabaseError,
  Pool,
  types as driverTypes,
  type ClientBase,
  type CustomTypesConfig,
  type PoolClient,
  type QueryConfig,
} from 'pg';
import { Failure } from '../../domain/failure.ts';
import type { DatabaseAddress } from './connection-url.ts';
import type { Statement } from './statements.ts';
import {
  explainTrouble,
  isConnectionLost,
  isServerTrouble,
  isToBeDoneAgain,
  isUnprepared,
  outOfReach,
  reasonOf,
} from './troubles.ts';

/** A value that a statement is given. Arrays of integers are written as PostgreSQL has them: `{1,2,3}`. */
export type Parameter = string | number | bigint | null | readonly (string | number | bigint | null)[];

/** Asks one statement, and gives its rows, each an array of the columns. int8 comes as bigint. */
export type Ask = <Row extends readonly unknown[]>(statement: Statement, ...parameters: Parameter[]) => Promise<Row[]>;

export interface Connections {
  /** One statement by itself. It may be asked again, so it has to change nothing. @throws Failure `unavailable` */
  ask: Ask;
  /**
   * Statements in one transaction, which ends with a commit where the work comes to its end. The work may be begun anew, from nothing, when it
   * was in another's way or the server went away under it; never once the commit was asked for.
   *
   * @throws Failure `unavailable`; then nothing was changed, or it is not known whether it was
   */
  transaction: <T>(work: (ask: Ask) => Promise<T>) => Promise<T>;
  /** A transaction that runs a script of many statements where the work says so. */
  migration: (script: string, work: (ask: Ask) => Promise<boolean>) => Promise<void>;
  close(): Promise<void>;
}

export interface ConnectionSettings {
  address: DatabaseAddress;
  /** Most connections at a time. */
  size: number;
  /** A standby will do: nothing is written. */
  readsOnly?: boolean;
  /** Of transactions. As they lock the one row that gives changes their order, they need no more than each to see what was committed before it. */
  isolation?: 'read committed' | 'serializable';
  /** Told why when the database goes out of reach, and without a reason when it is there again. */
  onChange?: (reason: string | undefined) => void;
}

const CONNECT_TIMEOUT_MS = 1500;
const ANSWER_TIMEOUT_MS = 5000;
const CLOSE_TIMEOUT_MS = 2000;
const MIGRATION_TIMEOUT_MS = 3_600_000;
const MAX_ATTEMPTS = 10;
/** Within this time, what can be done again is done again. */
const PATIENCE_MS = 5000;

/** A transaction whose node has gone silent holds up all others: the server ends it after this long. */
const SILENT_NODE_SECONDS = 5;

const INT8_OID = 20;

const ignore = () => {};

/** Integers of 64 bits come as bigint, without exception; all else as the driver has it. */
const types = {
  getTypeParser(oid: number, format: 'text' | 'binary') {
    return oid === INT8_OID ? BigInt : (driverTypes.getTypeParser(oid, format) as (text: string) => unknown);
  },
} as CustomTypesConfig;

/**
 * Connections to whichever server takes writes. None of them is kept when it is of no use any more: so when servers come, go, or take each other's
 * place, the next statements find the right one.
 */
export function openConnections(settings: ConnectionSettings): Connections {
  const { address, size, readsOnly, isolation, onChange } = settings;
  const { serverUrls } = address;
  const begin = `begin isolation level ${isolation ?? 'read committed'}; set local statement_timeout = ${ANSWER_TIMEOUT_MS}; set local idle_in_transaction_session_timeout = '${SILENT_NODE_SECONDS}s'`;
  let server = 0;
  let isPreparing = true;
  let isOutOfReach = false;
  const sockets = new Set<Client>();

  class ServerClient extends Client {
    constructor() {
      super({
        connectionString: serverUrls[server % serverUrls.length] ?? '',
        connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
        query_timeout: ANSWER_TIMEOUT_MS + 500,
        keepAlive: true,
        application_name: 'menagerie',
        // Statements are sent without waiting for the answer to the one before.
        pipeline: true,
      });
      sockets.add(this);
      this.once('end', () => sockets.delete(this));
    }
  }

  const pool = new Pool({
    Client: ServerClient as unknown as new () => ClientBase,
    max: size,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: 60_000,
    verify: (client, done) => {
      if (readsOnly) done();
      else demandWriting(client).then(() => done(), done);
    },
  });
  // A connection that breaks while nobody uses it is simply not there any more.
  pool.on('error', ignore);

  /** A connection to the first server that answers and takes writes. */
  async function connect(): Promise<PoolClient> {
    for (let left = serverUrls.length; ; left--) {
      const tried = server;
      try {
        return await pool.connect();
      } catch (error) {
        // Whoever fails first sends all to the next server.
        if (server === tried) server++;
        if (left <= 1) throw error;
      }
    }
  }

  async function withClient<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await connect();
    // Without a listener, a connection that breaks in use would end the process. Its statements tell of it.
    client.on('error', ignore);
    let trouble: unknown;
    try {
      return await work(client);
    } catch (error) {
      trouble = error;
      throw error;
    } finally {
      client.off('error', ignore);
      // After a refused statement it is as good as ever; after anything else, nobody knows what it still has to say.
      client.release(trouble !== undefined && !isWell(trouble));
    }
  }

  function askOf(client: ClientBase): Ask {
    return async <Row extends readonly unknown[]>({ name, text }: Statement, ...parameters: Parameter[]) => {
      const values = parameters.map(toText);
      const query = { text, values, rowMode: 'array' as const, types, ...(isPreparing && { name }) };
      const { rows } = await client.query<Row & unknown[]>(query);
      return rows as Row[];
    };
  }

  /** Does work until it succeeds, fails by itself, or there is no hope. */
  async function persist<T>(work: () => Promise<T>): Promise<T> {
    const endMs = Date.now() + PATIENCE_MS;
    for (let attempt = 1; ; attempt++) {
      try {
        const result = await work();
        if (isOutOfReach) onChange?.(undefined);
        isOutOfReach = false;
        return result;
      } catch (error) {
        if (isUnprepared(error)) isPreparing = false;
        const isWorthAnother = isUnprepared(error) || isToBeDoneAgain(error) || isConnectionLost(error);
        if (!isWorthAnother || attempt === MAX_ATTEMPTS || Date.now() > endMs || isRefusedConnection(error)) {
          throw noteTrouble(error);
        }
        // Those who were in each other's way should not meet again.
        if (isToBeDoneAgain(error)) await delay(Math.random() * 2 ** attempt);
      }
    }
  }

  function noteTrouble(error: unknown): unknown {
    const explained = explainTrouble(error);
    if (explained !== error && !isOutOfReach) {
      isOutOfReach = true;
      onChange?.(reasonOf(error));
    }
    return explained;
  }

  async function inTransaction<T>(work: (client: PoolClient, ask: Ask) => Promise<T>): Promise<T> {
    return withClient(async (client) => {
      // Goes out together with what the work asks first.
      const begun = client.query(begin);
      let result: T;
      try {
        [, result] = await Promise.all([begun, work(client, askOf(client))]);
      } catch (error) {
        // What the work asked last may still be under way; the server answers in order. One that is out of reach rolls back by itself.
        if (isStillThere(error)) await client.query('rollback').catch(ignore);
        throw await firstOf(begun, error);
      }
      await commit(client);
      return result;
    });
  }

  return {
    ask: (statement, ...parameters) => persist(() => withClient((client) => askOf(client)(statement, ...parameters))),
    transaction: (work) => persist(() => inTransaction((_client, ask) => work(ask))),
    migration: (script, work) =>
      persist(() =>
        inTransaction(async (client, ask) => {
          if (await work(ask))
            await client.query({
              text: `set local statement_timeout = 0; ${script}`,
              query_timeout: MIGRATION_TIMEOUT_MS,
            } as QueryConfig);
        }),
      ),
    async close() {
      const ended = pool.end();
      // A server that answers nothing does not say good-bye either.
      await Promise.race([ended, delay(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
      for (const client of sockets) streamOf(client).destroy();
    },
  };
}

async function demandWriting(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ transaction_read_only: string }>('show transaction_read_only');
  // In the driver's words for a connection that is of no use.
  if (rows[0]?.transaction_read_only !== 'off') throw new Error('Connection terminated: the server takes no writes.');
}

/**
 * Whoever is not told of the end of a commit does not know whether it was: it must not be done again. Where the server refuses, it was not; but the
 * answer of one that ends in the middle of it says nothing.
 */
async function commit(client: PoolClient): Promise<void> {
  try {
    await client.query('commit');
  } catch (error) {
    if (isToBeDoneAgain(error)) throw error;
    throw outOfReach(error);
  }
}

/** Of a transaction that did not even begin, the error that says why. */
async function firstOf(begun: Promise<unknown>, error: unknown): Promise<unknown> {
  try {
    await begun;
    return error;
  } catch (earlier) {
    return earlier;
  }
}

/** Whatever went wrong, can the connection be used again? */
function isWell(trouble: unknown): boolean {
  return trouble instanceof Failure ? trouble.cause === undefined : isStatementRefused(trouble);
}

/** The server has said no to a statement, and is well. */
function isStatementRefused(error: unknown): boolean {
  return error instanceof DatabaseError && !isConnectionLost(error);
}

/** Can the server still be told something by way of this connection? */
function isStillThere(error: unknown): boolean {
  return !isServerTrouble(error) || isStatementRefused(error);
}

/** Nobody listens there: to ask again at once is of no use. */
function isRefusedConnection(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && error.syscall === 'connect';
}

function streamOf(client: Client): { destroy(): void } {
  return (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream;
}

function toText(parameter: Parameter): unknown {
  if (typeof parameter === 'bigint') return parameter.toString();
  if (!Array.isArray(parameter)) return parameter;
  return typeof (parameter.find((value) => value !== null) ?? '') === 'string'
    ? parameter
    : `{${parameter.map((value) => value ?? 'null').join()}}`;
}
