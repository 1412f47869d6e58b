import { HAS_UPLOAD_EVENTS, sendByXhr } from './browser-upload.ts';
import { errorOf, MenagerieError, NetworkError } from './failures.ts';
import type { BodyAbilities, PreparedRequest } from './requests.ts';

export interface TransportSettings {
  /** Instead of the runtime's own. */
  fetch?: typeof globalThis.fetch;
  timeoutMs: number;
  /** How often what may safely be repeated is tried again. */
  retries: number;
}

export interface Waiting {
  signal: AbortSignal | undefined;
  timeoutMs: number | undefined;
}

export interface Transport {
  abilities: BodyAbilities;
  /**
   * Sends, and has the answer read.
   *
   * @throws MenagerieError where it is neither a success nor 304, NetworkError where there is none, and the reason of the signal where that ended it
   */
  send: <T>(request: PreparedRequest, waiting: Waiting, read: (response: Response) => T | Promise<T>) => Promise<T>;
}

/** What asks to wait for longer than this is left to the caller. */
const MAX_RETRY_DELAY_MS = 30_000;
/** An answer for whoever has asked whether there is anything new. */
export const NOT_MODIFIED = 304;

const FIRST_RETRY_MS = 200;

/** Timers know no longer time: they would end at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export function createTransport(settings: TransportSettings): Transport {
  const usesXhr = HAS_UPLOAD_EVENTS && settings.fetch === undefined;

  function begin(request: PreparedRequest, signal: AbortSignal): Promise<Response> {
    if (usesXhr && request.onProgress !== undefined) return sendByXhr(request, signal);
    // Looked up at each call: whoever puts another in its place later means us too.
    const send = settings.fetch ?? globalThis.fetch;
    const { method, url, headers, body } = request;
    // What is in the headers and the body (keys, passwords) is for this service alone, which never redirects.
    const init = { method, headers, signal, redirect: 'manual', ...(body !== undefined && { body }) } as const;
    // Wanted of a body that streams, and unknown to the types of browsers.
    const streaming = { ...init, duplex: 'half' } as const;
    return send(url, body instanceof ReadableStream ? streaming : init);
  }

  async function once<T>(request: PreparedRequest, waiting: Waiting, read: (response: Response) => T | Promise<T>) {
    const { signal, timeoutMs = settings.timeoutMs } = waiting;
    signal?.throwIfAborted();
    const late = new AbortController();
    const timer = timeoutMs <= MAX_TIMER_MS ? setTimeout(() => late.abort(), timeoutMs) : undefined;
    try {
      const response = await begin(
        request,
        signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]),
      );
      if (isRedirect(response)) throw leadsElsewhere(response);
      if (!response.ok && response.status !== NOT_MODIFIED) throw await errorOf(response);
      return await read(response);
    } catch (error) {
      if (error instanceof MenagerieError) throw error;
      signal?.throwIfAborted();
      if (late.signal.aborted)
        throw new NetworkError(`No answer within ${timeoutMs} ms.`, { cause: error, isTimeout: true });
      throw new NetworkError('The service could not be reached, or broke off.', { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    abilities: { tellsProgress: usesXhr },
    async send(request, waiting, read) {
      for (let tries = 0; ; tries++) {
        try {
          return await once(request, waiting, read);
        } catch (error) {
          const delayMs = tries < settings.retries ? retryDelay(request, error, tries) : undefined;
          if (delayMs === undefined) throw error;
          await pause(delayMs, waiting.signal);
        }
      }
    },
  };
}

/** Browsers do not say where to, and have 0 for the status. */
function isRedirect({ type, status, redirected }: Response): boolean {
  return type === 'opaqueredirect' || redirected || [301, 302, 303, 307, 308].includes(status);
}

function leadsElsewhere({ status }: Response): MenagerieError {
  const message = 'The address of the service leads elsewhere, and is not followed there: give the one where it is.';
  return new MenagerieError({ status, message });
}

/** When it is safe and sensible to send it again; undefined where it is not. */
function retryDelay({ method, headers, isRepeatable }: PreparedRequest, error: unknown, tries: number) {
  const isKeyed = method === 'POST' && headers['idempotency-key'] !== undefined;
  if (!isRepeatable || (method !== 'GET' && !isKeyed)) return undefined;
  if (error instanceof MenagerieError) {
    const delayMs = (error.retryAfterSeconds ?? Infinity) * 1000;
    return error.status === 503 && delayMs <= MAX_RETRY_DELAY_MS ? delayMs : undefined;
  }
  // Whether it was done, nobody knows: that is what the key is for; and to read again does no harm.
  return error instanceof NetworkError && !error.isTimeout ? FIRST_RETRY_MS * 2 ** tries : undefined;
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
