import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { createParser, type EventSourceMessage } from 'eventsource-parser';

/*
 * A client that follows events as a browser does, with a third-party parser: it sends the last event id when it
 * reconnects.
 */

export interface ReceivedEvent {
  id: string;
  event: string;
  data: string;
}

export interface EventClientOptions {
  headers?: Readonly<Record<string, string>>;
  lastEventId?: string;
  /** Reconnects after this delay; without it, never. */
  retryMs?: number;
  onEvent?: (event: ReceivedEvent) => void;
}

export interface EventClient {
  /** All except keep-alive and position events. */
  events: ReceivedEvent[];
  /** Of every response. */
  statuses: number[];
  headers: () => IncomingMessage['headers'];
  lastEventId: () => string;
  /** The `retry` values of the stream. */
  retryHint: () => number | undefined;
  comments: () => number;
  /** Resolves at the end of the first stream, or later for a client that reconnects. */
  ended: Promise<void>;
  opened: Promise<void>;
  /** Breaks the connection; the client reconnects if it is configured to. */
  cut(): void;
  /** Stops reading, and keeps the connection open. */
  freeze(): void;
  /** Resumes reading. */
  thaw(): void;
  close(): void;
}

/** @param urlOf evaluated for each attempt, which may go to another node */
export function followEvents(urlOf: () => string, options: EventClientOptions = {}): EventClient {
  const { headers = {}, retryMs, onEvent = () => {} } = options;
  const events: ReceivedEvent[] = [];
  const statuses: number[] = [];
  let lastEventId = options.lastEventId ?? '';
  let retryHint: number | undefined;
  let comments = 0;
  let response: IncomingMessage | undefined;
  let sent: ClientRequest | undefined;
  let isClosed = false;
  const opened = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();

  function take({ id = '', event = 'message', data }: EventSourceMessage): void {
    lastEventId = id;
    opened.resolve();
    if (event === 'position') return;
    const received = { id, event, data };
    events.push(received);
    onEvent(received);
  }

  function connect(): void {
    const parser = createParser({
      onEvent: take,
      onRetry: (ms) => (retryHint = ms),
      onComment: () => comments++,
    });
    const all = {
      accept: 'text/event-stream',
      ...(lastEventId !== '' && { 'last-event-id': lastEventId }),
      ...headers,
    };
    sent = request(urlOf(), { headers: all, agent: false }, (incoming) => {
      response = incoming;
      statuses.push(incoming.statusCode ?? 0);
      incoming.setEncoding('utf8');
      incoming.on('data', (text: string) => {
        if (incoming.statusCode === 200) parser.feed(text);
      });
      incoming.on('error', () => {});
      incoming.once('close', over);
    });
    sent.once('error', over);
    sent.end();
  }

  let current = 0;
  function over(): void {
    // An error of the request and the end of its response count as one end.
    const place = ++current;
    ended.resolve();
    if (retryMs === undefined || isClosed) return;
    setTimeout(() => {
      if (place === current && !isClosed) connect();
    }, retryMs);
  }

  connect();
  return {
    events,
    statuses,
    headers: () => response?.headers ?? {},
    lastEventId: () => lastEventId,
    retryHint: () => retryHint,
    comments: () => comments,
    ended: ended.promise,
    opened: opened.promise,
    cut: () => void sent?.destroy(),
    freeze: () => void response?.pause(),
    thaw: () => void response?.resume(),
    close() {
      isClosed = true;
      sent?.destroy();
    },
  };
}
