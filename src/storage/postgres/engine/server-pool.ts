import { setTimeout as delay } from 'node:timers/promises';
import { Client, Pool, type ClientBase, type PoolClient } from 'pg';
import { PROGRAM_NAME } from './migration-files.ts';
import { causeOf, isServerTrouble, isSilence, isTurnMissed, isWell, outOfReach } from './troubles.ts';

export interface ServerPoolOptions {
  /** The URLs of the servers, of which one accepts writes. */
  serverUrls: readonly string[];
  /** Maximum number of connections. */
  size: number;
  /** Accepts standbys, and uses the servers in turn. */
  readsOnly: boolean;
  connectTimeoutMs: number;
  answerTimeoutMs: number;
}

/** How long a caller waits for a connection while all are in use. */
const TURN_TIMEOUT_MS = 5000;
const CLOSE_TIMEOUT_MS = 2000;

const ignore = () => {};

/**
 * Connections to whichever server accepts writes. A connection that has become useless is closed, so when servers come, go, or are replaced, the next
 * statements reach the right one.
 */
export class ServerPool {
  readonly #options: ServerPoolOptions;
  readonly #pool: Pool;
  readonly #clients = new Set<Client>();
  /** When each connection was last known to work. */
  readonly #provenAtMs = new WeakMap<ClientBase, number>();
  /** When a connection last stopped responding; the others may have, too. */
  #doubtedAtMs = -Infinity;
  #server = 0;

  constructor(options: ServerPoolOptions) {
    this.#options = options;
    const { size, readsOnly, connectTimeoutMs, answerTimeoutMs } = options;
    this.#pool = new Pool({
      Client: this.#clientClass(),
      max: size,
      connectionTimeoutMillis: Math.max(TURN_TIMEOUT_MS, connectTimeoutMs, answerTimeoutMs),
      idleTimeoutMillis: 60_000,
      verify: (client, done) => {
        if (readsOnly) done();
        else requireWritable(client, connectTimeoutMs).then(() => done(), done);
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
      if (isSilence(causeOf(error))) this.#doubtedAtMs = performance.now();
      throw error;
    } finally {
      // After a refused statement a connection still works. After any other error its state is unknown.
      client.release(trouble !== undefined && !isWell(trouble));
    }
  }

  activity() {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { open: totalCount, idle: idleCount, waiting: waitingCount };
  }

  async close(): Promise<void> {
    const ended = this.#pool.end();
    // A server that does not respond does not confirm the end of a connection either.
    await Promise.race([ended, delay(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
    for (const client of this.#clients) streamOf(client).destroy();
  }

  /** A connection to the first server that responds and accepts writes. */
  async #connect(): Promise<PoolClient> {
    for (let left = this.#options.serverUrls.length; ; left--) {
      const tried = this.#server;
      try {
        return await this.#takeFromPool();
      } catch (error) {
        // Other reasons, such as a certificate or a password, are not shown to clients.
        const trouble = isServerTrouble(error) ? error : outOfReach(error);
        if (isTurnMissed(trouble)) throw trouble;
        // The first caller that fails moves all callers to the next server.
        if (this.#server === tried) this.#server++;
        if (left <= 1) throw trouble;
      }
    }
  }

  async #takeFromPool(): Promise<PoolClient> {
    for (;;) {
      const client = await this.#pool.connect();
      if ((this.#provenAtMs.get(client) ?? Infinity) >= this.#doubtedAtMs) return client;
      // Testing this connection could take seconds, and so could the next one. A new connection succeeds or fails quickly.
      streamOf(client).destroy();
      client.release(true);
    }
  }

  /** The class of the pool's clients: pg has no other way to choose a server for each connection. */
  #clientClass(): new () => ClientBase {
    const { connectTimeoutMs, answerTimeoutMs } = this.#options;
    const clients = this.#clients;
    const nextUrl = () => this.#nextUrl();
    class ServerClient extends Client {
      constructor() {
        super({
          connectionString: nextUrl(),
          connectionTimeoutMillis: connectTimeoutMs,
          query_timeout: answerTimeoutMs + 500,
          keepAlive: true,
          application_name: PROGRAM_NAME,
          // Statements are sent without waiting for the previous result.
          pipeline: true,
        });
        // Without a listener, a connection that breaks would end the process. Its statements report the error.
        this.on('error', ignore);
        clients.add(this);
        this.once('end', () => clients.delete(this));
      }
    }
    return ServerClient;
  }

  #nextUrl(): string {
    const { serverUrls, readsOnly } = this.#options;
    const index = readsOnly ? this.#server++ : this.#server;
    return serverUrls[index % serverUrls.length] ?? '';
  }
}

async function requireWritable(client: ClientBase, timeoutMs: number): Promise<void> {
  const question = { text: 'show transaction_read_only', query_timeout: timeoutMs };
  const { rows } = await client.query<{ transaction_read_only: string }>(question);
  // The driver's message for a useless connection.
  if (rows[0]?.transaction_read_only !== 'off') throw new Error('Connection terminated: the server takes no writes');
}

function streamOf(client: ClientBase): { destroy(): void } {
  return (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream;
}
