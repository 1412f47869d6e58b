import type { DatabaseServer } from '../../../domain/health/database-servers.ts';
import type { Found } from './server-probe.ts';
import { ServerProbes } from './server-probes.ts';
import type { ServerState, Timelines } from './server-state.ts';
import { isNobodyThere, outOfReach } from './troubles.ts';

interface ServerChoiceOptions {
  serverUrls: readonly string[];
  connectTimeoutMs: number;
  timelines: Timelines;
  /** Called when another server than before is used from now on. */
  onSwitch: (server: number) => void;
}

/**
 * How often several servers are asked whether one was promoted. Without it, a node that only reads would keep reading
 * from a replaced primary.
 */
const WATCH_MS = 2000;
/** Pause between searches while no server is usable. It doubles. */
const PAUSE_MS = 125;
const MAX_PAUSE_MS = 1000;
/** For this long after the last usable server, callers may retry: it may be restarting. */
const PATIENCE_MS = 500;

/**
 * Chooses the server that accepts writes. When a caller doubts it, all servers are asked once for all callers. While
 * none is usable, callers fail immediately, and the search continues.
 */
export class ServerChoice {
  readonly #options: ServerChoiceOptions;
  readonly #probes: ServerProbes;
  #chosen: number | undefined = 0;
  #lastChosen = 0;
  /** Callers wait for it. */
  #search: Promise<void> | undefined;
  #trouble: unknown;
  #troubleSinceMs = 0;
  #pauseMs = PAUSE_MS;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: ServerChoiceOptions) {
    this.#options = options;
    const { serverUrls, connectTimeoutMs } = options;
    const isWatched = serverUrls.length > 1;
    this.#probes = new ServerProbes(serverUrls, connectTimeoutMs, isWatched);
    // A single server is asked when it is connected to.
    if (isWatched) this.#searchForAll();
  }

  /** The server for new connections. */
  get latest(): number {
    return this.#chosen ?? this.#lastChosen;
  }

  /** The server to use. @throws the reason if none is usable */
  async current(): Promise<number> {
    await this.#search;
    if (this.#chosen !== undefined) return this.#chosen;
    const isNew = performance.now() - this.#troubleSinceMs < PATIENCE_MS;
    throw isNew ? this.#trouble : outOfReach(this.#trouble);
  }

  /** Callers wait until the server has been checked, and another one has been chosen if necessary. */
  doubt(server: number): void {
    if (server === this.#chosen && this.#search === undefined) this.#searchForAll();
  }

  /** The server refused a new connection. If there is no other, this is known without a search. */
  refused(server: number, error: unknown): void {
    if (this.#probes.count > 1) this.doubt(server);
    else if (this.#chosen !== undefined) {
      this.#lose(error);
      this.#lookAgain();
    }
  }

  /** All servers, as they were when they were last asked. A single server is asked now, unless that was just done. */
  readServers(): Promise<readonly DatabaseServer[]> {
    return this.#probes.read();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#probes.close();
  }

  #searchForAll(): void {
    if (this.#isClosed) return;
    this.#search = this.#look(true).finally(() => (this.#search = undefined));
  }

  async #look(isDoubted: boolean): Promise<void> {
    const found = await this.#probes.askAll();
    if (this.#isClosed) return;
    const { timelines } = this.#options;
    for (const state of found) if (!('error' in state)) timelines.note(state);
    if (!this.#isKept(found, isDoubted)) this.#choose(found);
    this.#lookAgain();
  }

  #lookAgain(): void {
    clearTimeout(this.#timer);
    const isLost = this.#chosen === undefined;
    if (this.#isClosed || (!isLost && this.#probes.count === 1)) return;
    const pauseMs = isLost ? (this.#pauseMs = Math.min(2 * this.#pauseMs, MAX_PAUSE_MS)) : WATCH_MS;
    this.#timer = setTimeout(() => void this.#look(false), pauseMs).unref();
  }

  #lose(error: unknown): void {
    if (this.#chosen !== undefined) {
      this.#troubleSinceMs = performance.now();
      this.#pauseMs = PAUSE_MS;
    }
    this.#chosen = undefined;
    this.#trouble = error;
  }

  /** A server that is not doubted may be slow to respond. */
  #isKept(found: readonly Found[], isDoubted: boolean): boolean {
    if (this.#chosen === undefined) return false;
    const state = found[this.#chosen];
    if (state === undefined || !('error' in state)) return state !== undefined && this.#isUsable(state);
    const last = this.#probes.lastStateOf(this.#chosen);
    return !isDoubted && last !== undefined && this.#isUsable(last);
  }

  #choose(found: readonly Found[]): void {
    const next = found.findIndex((state) => !('error' in state) && this.#isUsable(state));
    if (next === -1) {
      this.#lose(this.#explain(found));
      return;
    }
    this.#chosen = next;
    if (next === this.#lastChosen) return;
    this.#lastChosen = next;
    this.#options.onSwitch(next);
  }

  #isUsable(state: ServerState): boolean {
    return state.isWritable && this.#options.timelines.isCurrent(state);
  }

  #explain(found: readonly Found[]): unknown {
    const errors = found.map((state) => ('error' in state ? state.error : explainUseless(state)));
    return errors.find((error) => !isNobodyThere(error)) ?? errors.at(-1);
  }
}

/** In the words of the driver for a useless connection. */
export function explainUseless({ isWritable }: ServerState): Error {
  return new Error(
    isWritable
      ? 'Connection terminated: the server was replaced by a promoted one, and may lack acknowledged changes'
      : 'Connection terminated: the server takes no writes',
  );
}
