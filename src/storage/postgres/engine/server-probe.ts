import { Client } from 'pg';
import { PROGRAM_NAME } from './migration-files.ts';
import { askPosition, askState, type ServerPosition, type ServerState } from './server-state.ts';
import { isServerFull } from './troubles.ts';

export type Found = ServerState | { error: unknown };

const ignore = () => {};

/** Asks one server about its state. */
export class Probe {
  readonly #url: string;
  readonly #timeoutMs: number;
  readonly #isKept: boolean;
  #client: Client | undefined;
  #connected: Promise<unknown> | undefined;
  #asking: Promise<Found> | undefined;
  lastState: ServerState | undefined;
  /** Arrives after the state, for which callers may wait. */
  position: Promise<ServerPosition | undefined> = Promise.resolve(undefined);

  /** @param isKept whether the connection stays open for the next question */
  constructor(url: string, timeoutMs: number, isKept: boolean) {
    this.#url = url;
    this.#timeoutMs = timeoutMs;
    this.#isKept = isKept;
  }

  ask(): Promise<Found> {
    return (this.#asking ??= this.#ask().finally(() => (this.#asking = undefined)));
  }

  close(): void {
    const client = this.#client;
    this.#client = undefined;
    if (client === undefined) return;
    client.end().catch(ignore);
    // A server that does not respond does not confirm the end.
    setTimeout(() => streamOf(client).destroy(), this.#timeoutMs).unref();
  }

  async #ask(): Promise<Found> {
    this.position = Promise.resolve(undefined);
    try {
      const client = (this.#client ??= this.#newClient());
      await this.#connected;
      this.lastState = await askState(client, this.#timeoutMs);
      this.position = askPosition(client, this.#timeoutMs);
      if (!this.#isKept) {
        await this.position;
        this.close();
      }
      return this.lastState;
    } catch (error) {
      this.close();
      // The pool has the connections that the server accepts.
      return isServerFull(error) ? { isWritable: true } : { error };
    }
  }

  #newClient(): Client {
    const client = new Client({
      connectionString: this.#url,
      connectionTimeoutMillis: this.#timeoutMs,
      keepAlive: true,
      application_name: PROGRAM_NAME,
    });
    client.on('error', ignore);
    client.once('end', () => {
      if (this.#client === client) this.#client = undefined;
    });
    this.#connected = client.connect();
    this.#connected.catch(ignore);
    return client;
  }
}

/** The driver has no other way to end a connection that does not respond. */
export function streamOf(client: object): { destroy(): void } {
  return (client as { connection: { stream: { destroy(): void } } }).connection.stream;
}
