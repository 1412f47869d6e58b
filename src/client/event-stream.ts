import { MenagerieError } from './failures.ts';
import { readJson } from './int64-text.ts';
import { eventsOf, linesOf } from './streams.ts';
import { pause } from './transport.ts';

export interface Following {
  /** Where to go on; without it, with what comes from now on. */
  lastEventId: string | undefined;
  signal: AbortSignal | undefined;
  /** Asks for the stream. The signal ends this one connection. */
  connect: (lastEventId: string | undefined, signal: AbortSignal) => Promise<ReadableStream<Uint8Array> | null>;
}

/** Until the service says how long to wait before coming back. */
const FIRST_RETRY_MS = 1000;
const MAX_RETRY_MS = 30_000;

/** The service says every few seconds that it is there: a connection on which nothing is heard for so long is none any more. */
const MAX_SILENCE_MS = 90_000;

/**
 * Events without an end: where the connection breaks, another one goes on after the last event. Ends when the signal says so.
 *
 * @throws MenagerieError for what trying again does not mend
 */
export async function* followEvents({ lastEventId, signal, connect }: Following): AsyncGenerator<unknown, void, void> {
  let position = lastEventId;
  let retryMs = FIRST_RETRY_MS;
  let failures = 0;
  for (;;) {
    if (signal?.aborted) return;
    let waitMs: number | undefined;
    try {
      for await (const event of eventsOf(heard(connect, position, signal))) {
        failures = 0;
        position = event.id ?? position;
        retryMs = event.retryMs ?? retryMs;
        // Without news: only how far it has come.
        if (event.type !== 'position') yield readJson(event.data);
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (error instanceof MenagerieError) waitMs = waitAfter(error);
    }
    await pause(waitMs ?? Math.min(retryMs * 2 ** failures++, MAX_RETRY_MS), signal).catch(() => {});
  }
}

/** The lines of one connection, which is given up when nothing is heard of it. */
async function* heard(
  connect: Following['connect'],
  position: string | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<string, void, void> {
  const silence = new AbortController();
  const ending = signal === undefined ? silence.signal : AbortSignal.any([signal, silence.signal]);
  const body = await connect(position, ending);
  const listen = () => setTimeout(() => silence.abort(), MAX_SILENCE_MS);
  let timer = listen();
  try {
    for await (const line of linesOf(body)) {
      // However long the caller takes over an event: it is not the connection that is silent.
      clearTimeout(timer);
      yield line;
      timer = listen();
    }
  } finally {
    clearTimeout(timer);
  }
}

/** @throws the error itself, where the next try would meet the same */
function waitAfter(error: MenagerieError): number | undefined {
  if (error.status < 500 && error.status !== 429 && error.status !== 408) throw error;
  return error.retryAfterSeconds === undefined ? undefined : error.retryAfterSeconds * 1000;
}
