import type { FastifyReply, FastifyRequest } from 'fastify';
import { networkOf } from '../../domain/accounts/attempt-throttle.ts';
import { Failure } from '../../domain/failure.ts';
import { addressOf } from './connections.ts';

/**
 * Maximum text that all clients together get in one iteration of the event loop: a few milliseconds of work. Short
 * texts hardly ever wait.
 */
const MAX_CHARACTERS_PER_ITERATION = 128 * 1024;

/**
 * Work that begins counts as this much until its text is known, so that an iteration does not begin a chunk for
 * everyone.
 */
const EXPECTED_CHARACTERS = 32 * 1024;

/** Maximum chunks produced concurrently. On PostgreSQL, they mostly wait for the database. */
const MAX_CONCURRENT = 8;

const RETRY_AFTER_SECONDS = 2;

export interface TurnClient {
  /** The network that takes turns with others; called only if the work has to wait. */
  network: () => string;
  /** Whether the client has disconnected, so that the work is not needed any more. */
  isGone: () => boolean;
}

export interface WaitingLimits {
  /** Names the waiting work in messages, for instance `searches`. */
  noun: string;
  perNetwork: number;
  total: number;
  /** Work that has waited longer is refused. */
  maxMs: number;
}

interface NetworkTurnsOptions {
  maxConcurrent?: number;
  /** By default, any number waits: each has a connection, and their number is limited. */
  waiting?: WaitingLimits;
}

interface Waiting {
  client: TurnClient;
  sinceMs: number;
  begin: () => void;
  refuse: (failure: Failure) => void;
}

/**
 * Limits the work for all clients, such as the chunks of complete lists: a few run concurrently, and in each iteration
 * of the event loop they produce a limited amount of text, so that other requests are served in between. Work counts
 * only while it runs, so slow clients do not delay others. Networks take turns, and so does the work for one network: a
 * thousand lists for one client do not delay the single list of another.
 */
export class NetworkTurns {
  readonly #maxConcurrent: number;
  readonly #limits: WaitingLimits | undefined;
  readonly #queues = new Map<string, Waiting[]>();
  #waiting = 0;
  #running = 0;
  /** Counts iterations of the event loop. */
  #iteration = 0;
  #characters = 0;
  #isNextIterationDue = false;

  constructor({ maxConcurrent = MAX_CONCURRENT, waiting }: NetworkTurnsOptions = {}) {
    this.#maxConcurrent = maxConcurrent;
    this.#limits = waiting;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Runs the work when it is the turn of the client.
   *
   * @param charactersOf returns the length of the text that was produced
   * @throws Failure `timed-out` if the client has disconnected by then; `too-many-requests` or `unavailable` if too
   *   many wait
   */
  async take<T>(client: TurnClient, work: () => Promise<T>, charactersOf: (result: T) => number = () => 0): Promise<T> {
    if (this.#waiting > 0 || !this.#hasRoom()) await this.#wait(client);
    else this.#start();
    const iteration = this.#iteration;
    let characters = 0;
    try {
      if (client.isGone()) throw clientGone();
      const result = await work();
      characters = charactersOf(result);
      return result;
    } finally {
      this.#running--;
      this.#characters += iteration === this.#iteration ? characters - EXPECTED_CHARACTERS : characters;
      this.#planIteration();
      this.#beginWaiting();
    }
  }

  #hasRoom(): boolean {
    return this.#running < this.#maxConcurrent && this.#characters < MAX_CHARACTERS_PER_ITERATION;
  }

  #start(): void {
    this.#running++;
    this.#characters += EXPECTED_CHARACTERS;
    this.#planIteration();
  }

  #planIteration(): void {
    if (this.#isNextIterationDue) return;
    this.#isNextIterationDue = true;
    setImmediate(() => {
      this.#isNextIterationDue = false;
      this.#iteration++;
      this.#characters = 0;
      this.#beginWaiting();
    });
  }

  #wait(client: TurnClient): Promise<void> {
    const network = client.network();
    if (this.#limits !== undefined) this.#requireRoom(network, this.#limits);
    return new Promise((begin, refuse) => {
      const waiting = { client, sinceMs: performance.now(), begin, refuse };
      const queue = this.#queues.get(network);
      if (queue === undefined) this.#queues.set(network, [waiting]);
      else queue.push(waiting);
      this.#waiting++;
    });
  }

  #requireRoom(network: string, { noun, perNetwork, total }: WaitingLimits): void {
    if (this.#queueOf(network) >= perNetwork) this.#dropGone(network);
    if (this.#queueOf(network) >= perNetwork) throw tooManyOfNetwork(noun, perNetwork);
    if (this.#waiting >= total) for (const each of this.#queues.keys()) this.#dropGone(each);
    if (this.#waiting >= total) throw tooMany(noun);
  }

  #queueOf(network: string): number {
    return this.#queues.get(network)?.length ?? 0;
  }

  /**
   * Drops the work of clients that have disconnected, as browsers do with the search for a text that is still being
   * typed.
   */
  #dropGone(network: string): void {
    const queue = this.#queues.get(network) ?? [];
    const left = queue.filter(({ client, refuse }) => {
      const isGone = client.isGone();
      if (isGone) refuse(clientGone());
      return !isGone;
    });
    this.#waiting -= queue.length - left.length;
    if (left.length > 0) this.#queues.set(network, left);
    else this.#queues.delete(network);
  }

  #beginWaiting(): void {
    while (this.#waiting > 0 && this.#hasRoom()) this.#beginNext();
  }

  /** Begins the oldest work of the next network, and moves the network to the end of the line. */
  #beginNext(): void {
    const [next] = this.#queues;
    const [network, queue] = next as [string, Waiting[]];
    const { client, sinceMs, begin, refuse } = queue.shift() as Waiting;
    this.#waiting--;
    this.#queues.delete(network);
    if (queue.length > 0) this.#queues.set(network, queue);
    const limits = this.#limits;
    if (client.isGone()) return refuse(clientGone());
    if (limits !== undefined && performance.now() - sinceMs > limits.maxMs) return refuse(tooMany(limits.noun));
    this.#start();
    begin();
  }
}

/**
 * The client of a request. A pipelined request does not have its connection yet, so the response does not show that it
 * was closed.
 */
export function turnClientOf(request: FastifyRequest, reply: FastifyReply): TurnClient {
  return {
    network: () => networkOf(addressOf(request)),
    isGone: () => reply.raw.destroyed || request.raw.socket.destroyed,
  };
}

/** Not sent, because the client has disconnected. */
function clientGone(): Failure {
  return new Failure('timed-out', 'The client disconnected before its turn.');
}

function tooManyOfNetwork(noun: string, quota: number): Failure {
  const message = `Too many ${noun} from your address. Try again later.`;
  return new Failure('too-many-requests', message, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    limit: { name: noun, quota, isConcurrent: true },
  });
}

function tooMany(noun: string): Failure {
  return new Failure('unavailable', `Too many ${noun}. Try again later.`, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}

declare module 'fastify' {
  interface FastifyInstance {
    /** For responses with many records. */
    recordTurns: NetworkTurns;
  }
}
