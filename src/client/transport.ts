import { errorOf, MenagerieError, NetworkError } from './failures.ts';
import type { BodyAbilities, PreparedRequest } from './requests.ts';

export interface TransportSettings {
  /** Replaces `globalThis.fetch`. */
  fetch?: typeof globalThis.fetch;
  timeoutMs: number;
  /**
   * Maximum number of retries of requests that can be repeated safely: reads, and POST requests with an idempotency
   * key.
   */
  retries: number;
}

export interface Waiting {
  signal: AbortSignal | undefined;
  timeoutMs: number | undefined;
}

/** A longer delay is left to the caller. */
const MAX_RETRY_DELAY_MS = 30_000;
/** Not an error: the response to a conditional request. */
export const NOT_MODIFIED = 304;

const FIRST_RETRY_MS = 200;

/**
 * With Retry-After. 409 then means that another request with the same key is in progress; without, that a retry would
 * be refused again.
 */
const RETRIED_AFTER = new Set([409, 503]);

/** Longer timers would fire immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export class Transport {
  readonly abilities: BodyAbilities;
  readonly #settings: TransportSettings;

  constructor(settings: TransportSettings) {
    this.#settings = settings;
    this.abilities = { reportsProgress: 'XMLHttpRequest' in globalThis && settings.fetch === undefined };
  }

  /**
   * Sends a request and reads the response with `read`.
   *
   * @throws MenagerieError if the status is neither a success nor 304, NetworkError if there is no response, and the
   *   reason of the signal if it was aborted
   */
  async send<T>(request: PreparedRequest, waiting: Waiting, read: (response: Response) => T | Promise<T>): Promise<T> {
    for (let tries = 0; ; tries++) {
      try {
        return await this.#sendOnce(request, waiting, read);
      } catch (error) {
        const delayMs = tries < this.#settings.retries ? retryDelay(request, error, tries) : undefined;
        if (delayMs === undefined) throw error;
        await pause(delayMs, waiting.signal);
      }
    }
  }

  async #sendOnce<T>(request: PreparedRequest, waiting: Waiting, read: (response: Response) => T | Promise<T>) {
    const { signal, timeoutMs = this.#settings.timeoutMs } = waiting;
    signal?.throwIfAborted();
    const late = new AbortController();
    const timer = timeoutMs <= MAX_TIMER_MS ? setTimeout(() => late.abort(), timeoutMs) : undefined;
    try {
      const aborted = signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]);
      const response = await this.#fetch(request, aborted);
      if (isRedirect(response)) throw redirectError(response);
      if (!response.ok && response.status !== NOT_MODIFIED) throw await errorOf(response);
      return await read(response);
    } catch (error) {
      if (error instanceof MenagerieError) throw error;
      signal?.throwIfAborted();
      if (late.signal.aborted)
        throw new NetworkError(`No response within ${timeoutMs} ms.`, { cause: error, isTimeout: true });
      throw new NetworkError('The service is unreachable, or the connection was closed.', { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  async #fetch(request: PreparedRequest, signal: AbortSignal): Promise<Response> {
    if (this.abilities.reportsProgress && request.onProgress !== undefined) {
      const { sendByXhr } = await import('./browser-upload.ts');
      return sendByXhr(request, signal);
    }
    // Read for each request, because tests and tools replace the global one later.
    const send = this.#settings.fetch ?? globalThis.fetch;
    const { method, url, headers, body } = request;
    // Headers and body may contain keys and passwords for this service only, which never redirects.
    const init = { method, headers, signal, redirect: 'manual', ...(body !== undefined && { body }) } as const;
    // Required for a streamed body, but missing in the types of browsers.
    const streaming = { ...init, duplex: 'half' } as const;
    return send(url, body instanceof ReadableStream ? streaming : init);
  }
}

/** Browsers hide the target, and set the status to 0. */
function isRedirect({ type, status, redirected }: Response): boolean {
  return type === 'opaqueredirect' || redirected || [301, 302, 303, 307, 308].includes(status);
}

function redirectError({ status }: Response): MenagerieError {
  const message =
    'The service redirects to another address, and redirects are not followed. Use the final address as the base URL.';
  return new MenagerieError({ status, message });
}

/** The delay before the request is sent again; undefined if it must not be. */
function retryDelay({ method, headers, isRepeatable }: PreparedRequest, error: unknown, tries: number) {
  const isKeyed = method === 'POST' && headers['idempotency-key'] !== undefined;
  if (!isRepeatable || (method !== 'GET' && !isKeyed)) return undefined;
  if (error instanceof MenagerieError && RETRIED_AFTER.has(error.status)) {
    const delayMs = (error.retryAfterSeconds ?? Infinity) * 1000;
    return delayMs <= MAX_RETRY_DELAY_MS ? delayMs : undefined;
  }
  // It is unknown whether the request was executed. A POST has a key for that, and reads can be repeated.
  return isConnectionLost(error) ? FIRST_RETRY_MS * 2 ** tries : undefined;
}

/** Whether the connection was lost, here or between a proxy and the service (502). */
function isConnectionLost(error: unknown): boolean {
  if (error instanceof MenagerieError) return error.status === 502;
  return error instanceof NetworkError && !error.isTimeout;
}

/** @throws the reason of the signal */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      },
      Math.min(ms, MAX_TIMER_MS),
    );
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted) stop();
  });
}
