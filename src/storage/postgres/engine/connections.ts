import { setTimeout as delay } from 'node:timers/promises';
import {
  Client,
  Pool,
  types as driverTypes,
  type ClientBase,
  type CustomTypesConfig,
  type PoolClient,
  type QueryConfig,
} from 'pg';
import { Failure, isUnavailable } from '../../../domain/failure.ts';
import type { DatabaseAddress } from './connection-url.ts';
import { hasNul, toText, type Parameter } from './parameters.ts';
import type { Ask, Statement } from './statements.ts';
import { beginning, doInSteps, type Isolation, type Later } from './transaction-steps.ts';
import {
  causeOf,
  explainTrouble,
  isConnectionLost,
  isNobodyThere,
  isServerTrouble,
  isSilence,
  isToBeDoneAgain,
  isTurnMissed,
  isUnprepared,
  isWell,
  outOfReach,
  reasonOf,
} from './troubles.ts';

export type { Parameter };

export interface Connections {
  /** One statement by itself. It may be asked again, so it has to change nothing. @throws Failure `unavailable` */
  ask: Ask;
  /**
   * Statements in one transaction, which ends with a commit where the work comes to its end. The work may be begun anew, from nothing, when it
   * was in another's way or the server went away under it; never once the commit was asked for.
   *
   * @throws Failure `unavailable`; then nothing was changed, or it is not known whether it was
   */
  transaction: <T>(work: (ask: Ask, later: Later) => Promise<T>) => Promise<T>;
  /** A transaction that runs a script of many statements where the work says so, and then what has to be done in the same one. */
  migration: (
    script: string,
    work: (ask: Ask) => Promise<boolean>,
    then?: (ask: Ask) => Promise<void>,
  ) => Promise<void>;
  close(): Promise<void>;
}

export interface ConnectionSettings {
  address: DatabaseAddress;
  /** Most connections at a time. */
  size: number;
  /** A standby will do: nothing is written. */
  readsOnly?: boolean;
  /** How long the server may take for a statement. */
  answerTimeoutMs?: number | undefined;
  /** Of transactions. As they lock the one row that gives changes their order, they need no more than each to see what was committed before it. */
  isolation?: Isolation;
  /** Told why when the database goes out of reach, and without a reason when it is there again. */
  onChange?: (reason: string | undefined) => void;
  /** Called when the server does not take a change; `isLogged` where `onChange` is called as well. */
  onTrouble?: (reason: string, isLogged: boolean) => void;
}

/** With the half second for which a server is looked for, whoever asks has an answer within two. A URL may say otherwise. */
const CONNECT_TIMEOUT_MS = 1500;
const ANSWER_TIMEOUT_MS = 5000;
/** While all connections are in use, one waits for its turn so long. */
const TURN_TIMEOUT_MS = 5000;
const CLOSE_TIMEOUT_MS = 2000;
const MIGRATION_TIMEOUT_MS = 3_600_000;

/** Within this time, transactions that were in each other's way are done again. */
const PATIENCE_MS = 5000;
/** After a connection was lost, a server is looked for so long: a new primary may just be there. Who asks should have an answer within two seconds. */
const SEARCH_MS = 500;
const MAX_PAUSE_MS = 128;
const MAX_ATTEMPTS_TO_PREPARE = 5;

/** What compares the texts that it is given, and stores none of them. */
const IS_LOOK_UP = /^(?:select|delete)\b/;

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
  const { address, size, readsOnly, isolation, onChange, onTrouble, answerTimeoutMs = ANSWER_TIMEOUT_MS } = settings;
  const { serverUrls, connectTimeoutMs = CONNECT_TIMEOUT_MS } = address;
  // Who is in the way of others has as long as those may take, and so has, below, who waits for a connection.
  const patienceMs = Math.max(PATIENCE_MS, answerTimeoutMs);
  let server = 0;
  let isPreparing = true;
  /** Since when what is known of the connections is in doubt: one of them fell silent then, and the others may have too. */
  let doubtedAtMs = -Infinity;
  const provenAtMs = new WeakMap<ClientBase, number>();
  let outage: { isOfChanges: boolean; lastAtMs: number } | undefined;
  const sockets = new Set<Client>();

  class ServerClient extends Client {
    constructor() {
      super({
        // Standbys are read in turn.
        connectionString: serverUrls[(readsOnly ? server++ : server) % serverUrls.length] ?? '',
        connectionTimeoutMillis: connectTimeoutMs,
        query_timeout: answerTimeoutMs + 500,
        keepAlive: true,
        application_name: 'menagerie',
        // Statements are sent without waiting for the answer to the one before.
        pipeline: true,
      });
      // Without a listener, a connection that breaks would end the process, also while the pool has it in hand. Its statements tell of it.
      this.on('error', ignore);
      sockets.add(this);
      this.once('end', () => sockets.delete(this));
    }
  }

  const pool = new Pool({
    Client: ServerClient as unknown as new () => ClientBase,
    max: size,
    connectionTimeoutMillis: Math.max(TURN_TIMEOUT_MS, connectTimeoutMs, answerTimeoutMs),
    idleTimeoutMillis: 60_000,
    verify: (client, done) => {
      if (readsOnly) done();
      else demandWriting(client, connectTimeoutMs).then(() => done(), done);
    },
  });
  // A connection that breaks while nobody uses it is simply not there any more.
  pool.on('error', ignore);

  /** A connection to the first server that answers and takes writes. */
  async function connect(): Promise<PoolClient> {
    for (let left = serverUrls.length; ; left--) {
      const tried = server;
      try {
        return await takeFromPool();
      } catch (error) {
        // Whatever else keeps us from it, a certificate or a password: it is not for whoever asks.
        const trouble = isServerTrouble(error) ? error : outOfReach(error);
        if (isTurnMissed(trouble)) throw trouble;
        // Whoever fails first sends all to the next server.
        if (server === tried) server++;
        if (left <= 1) throw trouble;
      }
    }
  }

  async function takeFromPool(): Promise<PoolClient> {
    for (;;) {
      const client = await pool.connect();
      if ((provenAtMs.get(client) ?? Infinity) >= doubtedAtMs) return client;
      // To try it could take seconds, and so with the next one; to connect anew tells at once.
      streamOf(client).destroy();
      client.release(true);
    }
  }

  async function withClient<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await connect();
    let trouble: unknown;
    try {
      const result = await work(client);
      provenAtMs.set(client, performance.now());
      return result;
    } catch (error) {
      trouble = error;
      if (isSilence(causeOf(error))) doubtedAtMs = performance.now();
      throw error;
    } finally {
      // After a refused statement it is as good as ever; after anything else, nobody knows what it still has to say.
      client.release(trouble !== undefined && !isWell(trouble));
    }
  }

  function askOf(client: ClientBase, timeoutMs = answerTimeoutMs): Ask {
    return async <Row extends readonly unknown[]>({ name, text }: Statement, ...parameters: Parameter[]) => {
      // PostgreSQL keeps no text with U+0000, and refuses to look for one: it would find none.
      if (IS_LOOK_UP.test(text) && parameters.some(hasNul)) return [];
      const values = parameters.map(toText);
      const shape = { rowMode: 'array' as const, types, query_timeout: timeoutMs + 500 };
      const query = { text, values, ...shape, ...(isPreparing && { name }) };
      const { rows } = await client.query<Row & unknown[]>(query);
      return rows as Row[];
    };
  }

  /** Does work until it succeeds, fails by itself, or there is no hope. */
  async function persist<T>(isChange: boolean, work: () => Promise<T>): Promise<T> {
    let untilMs = Date.now() + patienceMs;
    for (let attempt = 1; ; attempt++) {
      try {
        const result = await work();
        noteSuccess(isChange);
        return result;
      } catch (error) {
        if (isConnectionLost(error)) untilMs = Math.min(untilMs, Date.now() + SEARCH_MS);
        if (!isWorthAnother(error, attempt) || Date.now() > untilMs) throw noteTrouble(error, isChange);
        // Those who were in each other's way should not meet again, nor should all come back in the same moment.
        await delay(Math.random() * Math.min(2 ** attempt, MAX_PAUSE_MS));
      }
    }
  }

  function isWorthAnother(error: unknown, attempt: number): boolean {
    if (isUnprepared(error)) {
      isPreparing = false;
      return attempt < MAX_ATTEMPTS_TO_PREPARE;
    }
    if (isToBeDoneAgain(error)) return true;
    return isConnectionLost(error) && (serverUrls.length > 1 || !isNobodyThere(error));
  }

  function noteTrouble(error: unknown, isChange: boolean): unknown {
    const explained = explainTrouble(error);
    const cause = explained instanceof Failure ? explained.cause : undefined;
    if (cause === undefined) {
      // The database belongs to a newer version.
      if (isChange && isUnavailable(explained)) onTrouble?.(reasonOf(explained), false);
      return explained;
    }
    // A server that refuses changes is not out of reach: it may take others meanwhile.
    const isRefused = isChange && isWell(cause);
    if (isChange) onTrouble?.(reasonOf(cause), !isRefused);
    if (isRefused) return explained;
    if (outage === undefined) onChange?.(reasonOf(cause));
    outage = { isOfChanges: isChange || outage?.isOfChanges === true, lastAtMs: Date.now() };
    return explained;
  }

  /** Where changes fail and the database can be read, as when no standby confirms a commit, each answer to a reader would seem to be the end of it. */
  function noteSuccess(isChange: boolean): void {
    if (outage === undefined) return;
    if (outage.isOfChanges && !isChange && Date.now() - outage.lastAtMs < 2 * answerTimeoutMs) return;
    outage = undefined;
    onChange?.(undefined);
  }

  function inTransaction<T>(
    work: (client: PoolClient, ask: Ask, later: Later) => Promise<T>,
    timeoutMs = answerTimeoutMs,
  ): Promise<T> {
    return withClient((client) =>
      doInSteps(client, askOf(client, timeoutMs), beginning(isolation, timeoutMs), (ask, later) =>
        work(client, ask, later),
      ),
    );
  }

  return {
    ask: (statement, ...parameters) =>
      persist(false, () => withClient((client) => askOf(client)(statement, ...parameters))),
    transaction: (work) => persist(true, () => inTransaction((_client, ask, later) => work(ask, later))),
    // Here also who waits for the lock waits for a migration, which takes its time.
    migration: (script, work, then) =>
      persist(true, () =>
        inTransaction(async (client, ask) => {
          if (!(await work(ask))) return;
          await client.query({ text: script, query_timeout: MIGRATION_TIMEOUT_MS } as QueryConfig);
          await then?.(ask);
        }, MIGRATION_TIMEOUT_MS),
      ),
    async close() {
      const ended = pool.end();
      // A server that answers nothing does not say good-bye either.
      await Promise.race([ended, delay(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
      for (const client of sockets) streamOf(client).destroy();
    },
  };
}

async function demandWriting(client: ClientBase, timeoutMs: number): Promise<void> {
  const question = { text: 'show transaction_read_only', query_timeout: timeoutMs };
  const { rows } = await client.query<{ transaction_read_only: string }>(question);
  // In the driver's words for a connection that is of no use.
  if (rows[0]?.transaction_read_only !== 'off') throw new Error('Connection terminated: the server takes no writes');
}

function streamOf(client: ClientBase): { destroy(): void } {
  return (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream;
}
