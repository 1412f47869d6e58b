import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import pLimit, { type LimitFunction } from 'p-limit';
import { Distribution, type QueueActivity } from '../../domain/activity.ts';
import { Failure } from '../../domain/failure.ts';
import type { HashingLane, PasswordHasher } from '../../domain/accounts/ports.ts';
import { createRequire } from 'node:module';
import type { dictionary as Dictionary } from '@zxcvbn-ts/language-common';

const argon2Async = promisify(argon2);

export interface Argon2Parameters {
  memoryKib: number;
  passes: number;
}

interface PasswordHasherSettings {
  /** Number of hashes that are computed concurrently. */
  concurrency: number;
  /** Maximum number of waiting calls in each lane; beyond it, calls fail. */
  maxWaiting: number;
  parameters?: Argon2Parameters;
  /** Replaced by tests that count hashes. */
  derive?: typeof argon2Async;
}

/** The first recommendation of OWASP for argon2id with one lane: 19 MiB and 2 passes (Password Storage Cheat Sheet). */
export const DEFAULT_HASH_PARAMETERS: Argon2Parameters = { memoryKib: 19 * 1024, passes: 2 };

const SALT_BYTES = 16;
const TAG_BYTES = 32;
const RETRY_AFTER_SECONDS = 2;

/**
 * argon2id (RFC 9106) in the thread pool. Hashes are stored in the PHC string format with their parameters, which can
 * therefore be raised later: https://github.com/P-H-C/phc-string-format
 */
export class Argon2Hasher implements PasswordHasher {
  readonly #lanes: Readonly<Record<HashingLane, LimitFunction>>;
  readonly #maxWaiting: number;
  readonly #parameters: Argon2Parameters;
  readonly #derive: typeof argon2Async;
  readonly #durations = Distribution.ofDurations();
  readonly #decoy: string;

  constructor(settings: PasswordHasherSettings) {
    const { concurrency, maxWaiting, parameters = DEFAULT_HASH_PARAMETERS, derive = argon2Async } = settings;
    this.#lanes = { general: pLimit(concurrency), familiar: pLimit(1), staff: pLimit(1) };
    this.#maxWaiting = maxWaiting;
    this.#parameters = parameters;
    this.#derive = derive;
    this.#decoy = format(parameters, randomBytes(SALT_BYTES), randomBytes(TAG_BYTES));
  }

  hash(password: string, lane: HashingLane = 'general'): Promise<string> {
    return this.#queued(lane, async () => {
      const salt = randomBytes(SALT_BYTES);
      return format(this.#parameters, salt, await tagOf(this.#derive, password, salt, this.#parameters));
    });
  }

  verify(password: string, hash: string | undefined, lane: HashingLane = 'general'): Promise<boolean> {
    return this.#queued(lane, async () => {
      const known = parse(hash ?? this.#decoy);
      const tag = await tagOf(this.#derive, password, known.salt, known.parameters);
      return timingSafeEqual(tag, known.tag) && hash !== undefined;
    });
  }

  isOutdated(hash: string): boolean {
    const { memoryKib, passes } = parse(hash).parameters;
    return memoryKib !== this.#parameters.memoryKib || passes !== this.#parameters.passes;
  }

  activity(): QueueActivity {
    const limits = Object.values(this.#lanes);
    return {
      waiting: limits.reduce((sum, { pendingCount }) => sum + pendingCount, 0),
      running: limits.reduce((sum, { activeCount }) => sum + activeCount, 0),
      durations: new Map([['argon2id', this.#durations]]),
    };
  }

  #queued<T>(lane: HashingLane, work: () => Promise<T>): Promise<T> {
    // The separate lanes are used only while the general one has a queue.
    const { general } = this.#lanes;
    const limit = general.pendingCount === 0 ? general : this.#lanes[lane];
    if (limit.pendingCount >= this.#maxWaiting) {
      throw new Failure('too-many-requests', 'Too many logins at the moment. Try again in a few seconds.', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    return limit(async () => {
      const startMs = performance.now();
      try {
        return await work();
      } finally {
        this.#durations.addSince(startMs);
      }
    });
  }
}

function tagOf(
  derive: typeof argon2Async,
  password: string,
  salt: Buffer,
  { memoryKib, passes }: Argon2Parameters,
): Promise<Buffer> {
  return derive('argon2id', {
    // The same characters may be composed or decomposed (RFC 8265, section 4.2.2).
    message: password.normalize('NFC'),
    nonce: salt,
    parallelism: 1,
    tagLength: TAG_BYTES,
    memory: memoryKib,
    passes,
  });
}

function format({ memoryKib, passes }: Argon2Parameters, salt: Buffer, tag: Buffer): string {
  return `$argon2id$v=19$m=${memoryKib},t=${passes},p=1$${unpadded(salt)}$${unpadded(tag)}`;
}

function parse(hash: string): { parameters: Argon2Parameters; salt: Buffer; tag: Buffer } {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=1\$([^$]+)\$([^$]+)$/.exec(hash);
  const [, memory, passes, salt, tag] = match ?? [];
  if (salt === undefined || tag === undefined) throw new Error('A stored password hash is not in the expected format.');
  return {
    parameters: { memoryKib: Number(memory), passes: Number(passes) },
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  };
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/={1,2}$/, '');
}

const require = createRequire(import.meta.url);

/** About 49,000 of the most common passwords, in lower case. */
let words: ReadonlySet<string> | undefined;

/**
 * Loads the list on the first call: it takes 20 MB of memory, and many servers never need it.
 *
 * @param password in lower case and NFC
 */
export function isCommonPassword(password: string): boolean {
  words ??= loadWords();
  return words.has(password);
}

function loadWords(): ReadonlySet<string> {
  const { dictionary } = require('@zxcvbn-ts/language-common') as { dictionary: typeof Dictionary };
  return new Set(dictionary['passwords-common'].map((word) => word.normalize('NFC').toLowerCase()));
}
