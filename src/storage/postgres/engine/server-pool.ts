import { setTimeout as delay } from 'node:timers/promises';
import { Client, Pool, type ClientBase, type PoolClient } from 'pg';
import { PROGRAM_NAME } from './migration-files.ts';
import type { DatabaseServer } from '../../../domain/health/database-servers.ts';
import { explainUseless, ServerChoice } from './server-choice.ts';
import { streamOf } from './server-probe.ts';
import { askState, Timelines } from './server-state.ts';
import {
  causeOf,
  isConnectionLost,
  isServerFull,
  isServerTrouble,
  isSilence,
  isTurnMissed,
  isWell,
  outOfReach,
} from './troubles.ts';

interface ServerPoolOptions {
  /** The URLs of the servers, of which one accepts writes. */
  serverUrls: readonly string[];
  size: number;
  /** Accepts standbys, and uses the servers in turn. */
  readsOnly: boolean;
  connectTimeoutMs: number;
  responseTimeoutMs: number;
}

/** How long a caller waits for a connection while all are in use. */
const TURN_TIMEOUT_MS = 5000;
const CLOSE_TIMEOUT_MS = 2000;
/** A server that accepted no further connection may accept more by now. */
const REGROW_MS = 10_000;

const ignore = () => {};

/**
 * Connections to whichever server accepts writes. A connection that has become useless is closed, so when servers come,
 * go, or are replaced, the next statements reach the right one.
 */
export class ServerPool {
  readonly #options: ServerPoolOptions;
  readonly #pool: Pool;
  /** Undefined for reads, which use the servers in turn. */
  readonly #choice: ServerChoice | undefined;
  readonly #timelines = new Timelines();
  /** All connections, and the server of each. */
  readonly #servers = new Map<ClientBase, number>();
  /** When each connection was last known to work. */
  readonly #provenAtMs = new WeakMap<ClientBase, number>();
  /** When a connection last stopped responding; the others may have, too. */
  #doubtedAtMs = -Infinity;
  #turn = 0;
  #size: number;

  constructor(options: ServerPoolOptions) {
    this.#options = options;
    this.#size = options.size;
    const { serverUrls, size, readsOnly, connectTimeoutMs, responseTimeoutMs } = options;
    const onSwitch = (server: number) => this.#leaveOthers(server);
    const timelines = this.#timelines;
    if (!readsOnly) this.#choice = new ServerChoice({ serverUrls, connectTimeoutMs, timelines, onSwitch });
    this.#pool = new Pool({
      Client: this.#clientClass(),
      max: size,
      connectionTimeoutMillis: Math.max(TURN_TIMEOUT_MS, connectTimeoutMs, responseTimeoutMs),
      idleTimeoutMillis: 60_000,
      verify: (client, done) => {
        if (readsOnly) done();
        else this.#requireUsable(client).then(() => done(), done);
      },
    });
    // An idle connection that breaks is removed by the pool.
    this.#pool.on('error', ignore);
  }

  /** @throws the error of `work`, or Failure `unavailable` if no server can be reached */
  async withClient<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#connect();
    let trouble: unknown;
    try {
      const result = await work(client);
      this.#provenAtMs.set(client, performance.now());
      return result;
    } catch (error) {
      trouble = error;
      this.#doubt(client, causeOf(error));
      throw error;
    } finally {
      // After a refused statement a connection still works. After any other error its state is unknown.
      const isBroken = trouble !== undefined && !isWell(trouble);
      client.release(isBroken || this.#pool.totalCount > this.#pool.options.max);
    }
  }

  /** Lowers the maximum number of connections. */
  limitTo(count: number): void {
    this.#size = Math.max(1, Math.min(this.#size, count));
    this.#pool.options.max = this.#size;
  }

  activity() {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { open: totalCount, idle: idleCount, waiting: waitingCount };
  }

  /** All servers, unless this pool only reads. */
  readServers(): Promise<readonly DatabaseServer[]> {
    return this.#choice?.readServers() ?? Promise.resolve([]);
  }

  async close(): Promise<void> {
    this.#choice?.close();
    const ended = this.#pool.end();
    // A server that does not respond does not confirm the end of a connection either.
    await Promise.race([ended, delay(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
    for (const client of this.#servers.keys()) streamOf(client).destroy();
  }

  /** A connection to a server that responds and, unless this pool only reads, accepts writes. */
  async #connect(): Promise<PoolClient> {
    for (let left = Math.max(2, this.#options.serverUrls.length); ; left--) {
      const server = (await this.#choice?.current()) ?? this.#turn;
      try {
        return await this.#takeFromPool();
      } catch (error) {
        // Other reasons, such as a certificate or a password, are not shown to clients.
        const trouble = isServerTrouble(error) ? error : outOfReach(error);
        if (isTurnMissed(trouble) || isServerFull(trouble)) throw trouble;
        this.#choice?.refused(server, trouble);
        if (left <= 1) throw trouble;
      }
    }
  }

  async #takeFromPool(): Promise<PoolClient> {
    for (;;) {
      const client = await this.#pool.connect().catch((error: unknown) => this.#shareConnections(error));
      if (client === undefined) continue;
      if ((this.#provenAtMs.get(client) ?? Infinity) >= this.#doubtedAtMs) return client;
      // Testing this connection could take seconds, and so could the next one. A new connection succeeds or fails
      // quickly.
      streamOf(client).destroy();
      client.release(true);
    }
  }

  /**
   * When the server accepts no further connection, callers share those that there are. One is left to the search
   * thread.
   *
   * @throws the error if no connection is open
   */
  #shareConnections(error: unknown): undefined {
    const { options, totalCount } = this.#pool;
    if (!isServerFull(error) || totalCount === 0) throw error;
    options.max = Math.max(1, totalCount - 1);
    setTimeout(() => (options.max = this.#size), REGROW_MS).unref();
  }

  #doubt(client: ClientBase, error: unknown): void {
    if (isSilence(error)) this.#doubtedAtMs = performance.now();
    else if (!isConnectionLost(error)) return;
    this.#choice?.doubt(this.#servers.get(client) ?? -1);
  }

  /** Their statements fail, so that none waits for a replaced primary. */
  #leaveOthers(server: number): void {
    for (const [client, its] of this.#servers) if (its !== server) streamOf(client).destroy();
  }

  /** @throws an error in the words of the driver for a useless connection */
  async #requireUsable(client: ClientBase): Promise<void> {
    const state = await askState(client, this.#options.connectTimeoutMs);
    this.#timelines.note(state);
    if (!state.isWritable || !this.#timelines.isCurrent(state)) throw explainUseless(state);
  }

  /** The class of the pool's clients: pg has no other way to choose a server for each connection. */
  #clientClass(): new () => ClientBase {
    const { serverUrls, connectTimeoutMs, responseTimeoutMs } = this.#options;
    const servers = this.#servers;
    const nextServer = () => this.#choice?.latest ?? this.#turn++ % serverUrls.length;
    class ServerClient extends Client {
      constructor() {
        const server = nextServer();
        super({
          connectionString: serverUrls[server] ?? '',
          connectionTimeoutMillis: connectTimeoutMs,
          query_timeout: responseTimeoutMs + 500,
          keepAlive: true,
          application_name: PROGRAM_NAME,
          // Statements are sent without waiting for the previous result.
          pipeline: true,
        });
        // Without a listener, a connection that breaks would end the process. Its statements report the error.
        this.on('error', ignore);
        servers.set(this, server);
        this.once('end', () => servers.delete(this));
      }
    }
    return ServerClient;
  }
}
