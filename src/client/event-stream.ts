import { MenagerieError } from './failures.ts';
import { type Integers, readJson } from './int64-text.ts';
import { eventsOf, linesOf } from './streams.ts';
import { pause } from './transport.ts';

export interface Following {
  /** The last known event. Without it, the stream starts with new events. */
  lastEventId: string | undefined;
  signal: AbortSignal | undefined;
  integers: Integers;
  /** Opens one connection; the signal closes it. */
  connect: (lastEventId: string | undefined, signal: AbortSignal) => Promise<ReadableStream<Uint8Array> | null>;
}

/** Until the service sends another reconnection time. */
const FIRST_RETRY_MS = 1000;
const MAX_RETRY_MS = 30_000;

/**
 * The service sends heartbeats every few seconds (15 by default), so a longer silence means that the connection is
 * lost.
 */
const MAX_SILENCE_MS = 90_000;

/**
 * An endless stream of events. After a lost connection, another one continues after the last event. Ends when the
 * signal is aborted.
 *
 * @throws MenagerieError for an error that a retry cannot fix
 */
export async function* followEvents(following: Following): AsyncGenerator<unknown, void, void> {
  const { lastEventId, signal, integers, connect } = following;
  let position = lastEventId;
  let retryMs = FIRST_RETRY_MS;
  let failures = 0;
  for (;;) {
    if (signal?.aborted) return;
    let waitMs: number | undefined;
    try {
      for await (const event of eventsOf(linesOfConnection(connect, position, signal))) {
        failures = 0;
        position = event.id ?? position;
        retryMs = event.retryMs ?? retryMs;
        // A position event has no data, only the ID.
        if (event.type !== 'position') yield readJson(event.data, integers);
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (error instanceof MenagerieError) waitMs = waitAfter(error);
    }
    await pause(waitMs ?? Math.min(retryMs * 2 ** failures++, MAX_RETRY_MS), signal).catch(() => {});
  }
}

/** The lines of one connection, which is closed after a long silence. */
async function* linesOfConnection(
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
      // The time that the caller spends on an event does not count.
      clearTimeout(timer);
      yield line;
      timer = listen();
    }
  } finally {
    clearTimeout(timer);
  }
}

/** The delay that the service asks for. @throws the error itself if a retry cannot help */
function waitAfter(error: MenagerieError): number | undefined {
  if (error.status < 500 && error.status !== 429 && error.status !== 408) throw error;
  return error.retryAfterSeconds === undefined ? undefined : error.retryAfterSeconds * 1000;
}
