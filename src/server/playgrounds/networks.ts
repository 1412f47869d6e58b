import type { AccessMode } from '../../domain/access.ts';
import { Failure } from '../../domain/failure.ts';
import type { Clock } from '../../domain/ports.ts';
import { MemoryLimit, PlaygroundMemory } from './memory.ts';
import { RequestCounts } from './request-counts.ts';

const MAX_PLAYGROUNDS = 50;

/** Maximum number of playgrounds that a network creates in a minute. */
const MAX_NEW_PER_MINUTE = 600;

/** Beyond it, networks without playgrounds are forgotten. */
const MAX_KNOWN = 10_000;

/** The share of one playground, and of one network, in the memory of all: others have some left. */
const SHARE_OF_PLAYGROUND = 1 / 4;
const SHARE_OF_NETWORK = 1 / 2;

/** Above this share of a limit, little memory is left: idle playgrounds are put to sleep. */
const FULL_SHARE = 0.8;

const MEBIBYTE = 1024 * 1024;

const RETRY_AFTER_SECONDS = 60;

interface NetworksDeps {
  access: AccessMode;
  /** The memory of all playgrounds. */
  maxBytes: number;
  clock: Clock;
}

interface Network {
  /** The number of its playgrounds. */
  count: number;
  /** Counts its new playgrounds. */
  requests: RequestCounts;
  memory: MemoryLimit;
}

/**
 * What the playgrounds of a network take together, and those of all. Networks have no limits if all clients are on this
 * machine, and neither have administrators, whose network is undefined.
 */
export class Networks {
  readonly total: MemoryLimit;
  readonly #deps: NetworksDeps;
  readonly #networks = new Map<string, Network>();

  constructor(deps: NetworksDeps) {
    this.#deps = deps;
    const message = 'The playgrounds of this service have no memory left. Try again later.';
    const details = { retryAfterSeconds: RETRY_AFTER_SECONDS };
    this.total = new MemoryLimit(deps.maxBytes, () => new Failure('unavailable', message, details));
  }

  /** Counts a new playground of a network. @throws Failure `too-many-requests` */
  countNew(network: string | undefined): void {
    if (network === undefined || this.#deps.access === 'open') return;
    const { count, requests } = this.#of(network);
    const failure = requests.count();
    if (failure !== undefined) throw failure;
    if (count >= MAX_PLAYGROUNDS) throw tooMany();
  }

  /**
   * The memory of a new playground of a network, until it is removed.
   * @throws Failure `too-many-requests` if others were added meanwhile
   */
  add(network: string | undefined): PlaygroundMemory {
    const own = new MemoryLimit(this.total.maxBytes * SHARE_OF_PLAYGROUND, () => ownFull(own));
    if (network === undefined || this.#deps.access === 'open') return new PlaygroundMemory([own, this.total]);
    const its = this.#of(network);
    if (its.count >= MAX_PLAYGROUNDS) throw tooMany();
    its.count++;
    return new PlaygroundMemory([own, its.memory, this.total]);
  }

  /** Whether little memory is left for the playgrounds of a network. */
  isFull(network: string | undefined): boolean {
    const own = network === undefined ? undefined : this.#networks.get(network)?.memory;
    return [this.total, own].some((limit) => limit !== undefined && limit.bytes > FULL_SHARE * limit.maxBytes);
  }

  remove(network: string | undefined): void {
    const its = network === undefined ? undefined : this.#networks.get(network);
    if (its !== undefined) its.count--;
  }

  #of(network: string): Network {
    const known = this.#networks.get(network);
    if (known !== undefined) return known;
    if (this.#networks.size >= MAX_KNOWN) this.#forgetUnused();
    const memory = new MemoryLimit(this.total.maxBytes * SHARE_OF_NETWORK, () => networkFull(memory));
    const message = `Too many new playgrounds from your address: at most ${MAX_NEW_PER_MINUTE} in a minute.`;
    const { clock } = this.#deps;
    const requests = new RequestCounts({ name: 'new-playgrounds', perMinute: MAX_NEW_PER_MINUTE, message, clock });
    const added = { count: 0, requests, memory };
    this.#networks.set(network, added);
    return added;
  }

  #forgetUnused(): void {
    for (const [network, { count, requests }] of this.#networks)
      if (count === 0 && requests.hasEnded) this.#networks.delete(network);
  }
}

function tooMany(): Failure {
  const message = `Too many playgrounds from your address: at most ${MAX_PLAYGROUNDS}. Delete one first.`;
  const limit = { name: 'playgrounds', quota: MAX_PLAYGROUNDS, isConcurrent: true } as const;
  return new Failure('too-many-requests', message, { retryAfterSeconds: RETRY_AFTER_SECONDS, limit });
}

function ownFull({ maxBytes }: MemoryLimit): Failure {
  const most = `${Math.floor(maxBytes / MEBIBYTE)} MiB with its photos and snapshots`;
  return new Failure('insufficient-storage', `This playground can take at most ${most}. Reset it, or create another.`);
}

function networkFull({ maxBytes }: MemoryLimit): Failure {
  const most = `${Math.floor(maxBytes / MEBIBYTE)} MiB`;
  const message = `The playgrounds from your address can take at most ${most} together. Delete one first.`;
  return new Failure('insufficient-storage', message);
}
