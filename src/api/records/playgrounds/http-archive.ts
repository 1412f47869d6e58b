import type { RecordedMessage, RecordedRequest } from '../../../domain/playgrounds/recorded-request.ts';
import { timeText } from '../fields.ts';

/* HTTP Archive 1.2 (http://www.softwareishard.com/blog/har-12-spec/), which browsers and proxies read. */

const UNKNOWN_SIZE = -1;

/** The text before the entries. The entries are separated by commas. */
export function archiveBegin(version: string): string {
  return `{"log":{"version":"1.2","creator":{"name":"Menagerie","version":${JSON.stringify(version)}},"entries":[`;
}

export const ARCHIVE_END = ']}}';

/** @param base the URL of the playground, without a slash at the end */
export function archiveEntryText(recorded: RecordedRequest, base: string): string {
  const { method, path, startedAtMs, durationMs, request } = recorded;
  const url = base + path;
  return JSON.stringify({
    startedDateTime: timeText(startedAtMs),
    time: durationMs,
    request: {
      method,
      url,
      ...messageOf(request, recorded.httpVersion),
      queryString: [...new URL(url).searchParams].map(([name, value]) => ({ name, value })),
      ...(request.bodyBytes > 0 && { postData: { mimeType: typeOf(request), text: request.body ?? '' } }),
    },
    response: responseOf(recorded),
    cache: {},
    timings: { send: 0, wait: durationMs, receive: 0 },
  });
}

/** A missing response has the status 0, as browsers write it. */
function responseOf({ response, httpVersion }: RecordedRequest): object {
  const message = response ?? { headers: [], body: undefined, bodyBytes: 0, isTruncated: false };
  return {
    status: response?.status ?? 0,
    statusText: response?.statusText ?? '',
    ...messageOf(message, httpVersion),
    content: { size: message.bodyBytes, mimeType: typeOf(message), ...(message.body && { text: message.body }) },
    redirectURL: headerOf(message, 'location') ?? '',
    ...(response?.isComplete === false && { comment: 'The connection ended within the body.' }),
  };
}

/** The cookies are in the headers, masked. */
function messageOf({ headers, bodyBytes }: RecordedMessage, httpVersion: string) {
  return {
    httpVersion: `HTTP/${httpVersion}`,
    cookies: [],
    headers,
    headersSize: UNKNOWN_SIZE,
    bodySize: bodyBytes,
  };
}

function typeOf(message: RecordedMessage): string {
  return headerOf(message, 'content-type') ?? '';
}

function headerOf({ headers }: RecordedMessage, wanted: string): string | undefined {
  return headers.find(({ name }) => name.toLowerCase() === wanted)?.value;
}
