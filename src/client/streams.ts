/** The lines of a body as they arrive, without line ends. The connection is closed if the caller stops early. */
export async function* linesOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string, void, void> {
  if (body === null) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      const lines = rest.split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      yield* lines;
      if (done) break;
    }
    if (rest !== '') yield rest.replace(/\r$/, '');
  } finally {
    await reader.cancel().catch(() => {});
  }
}

export interface ServerSentEvent {
  /** Position to continue from after a lost connection. */
  id: string | undefined;
  type: string;
  data: string;
  /** Reconnection time, if the service has sent one. */
  retryMs: number | undefined;
}

/**
 * The events in lines (https://html.spec.whatwg.org/#event-stream-interpretation). An event that is cut off is
 * discarded.
 */
export async function* eventsOf(lines: AsyncIterable<string>): AsyncGenerator<ServerSentEvent, void, void> {
  let id: string | undefined;
  let retryMs: number | undefined;
  let type = 'message';
  let data: string[] = [];
  for await (const line of lines) {
    if (line === '') {
      if (data.length > 0) yield { id, type, data: data.join('\n'), retryMs };
      [type, data] = ['message', []];
      continue;
    }
    const [, field = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === 'data') data.push(value);
    if (field === 'event') type = value;
    if (field === 'id' && !value.includes('\0')) id = value;
    if (field === 'retry' && /^\d+$/.test(value)) retryMs = Number(value);
  }
}
