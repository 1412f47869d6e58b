import type { RecordedRequest } from './records/playgrounds/recorded-request.ts';

/** Set by curl itself, or true only of the recorded connection (RFC 9110, section 7.6.1). */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'expect',
  'accept-encoding',
]);

/**
 * A command for POSIX shells that sends a recorded request again. Masked secrets have to be replaced first.
 *
 * @param base the URL of the playground, without a slash at the end
 */
export function curlCommand({ method, path, request }: RecordedRequest, base: string): string {
  const { headers, body, bodyBytes, isTruncated } = request;
  const sent = headers.filter(({ name }) => !OWN_HEADERS.has(name.toLowerCase()));
  const parts = [
    // The URL may have brackets, which are no patterns.
    `curl --globoff ${method === 'HEAD' ? '--head' : `--request ${quoted(method)}`} ${quoted(base + path)}`,
    // A header without a value would remove it.
    ...sent.map(({ name, value }) => `--header ${quoted(value === '' ? `${name};` : `${name}: ${value}`)}`),
    ...(body !== null && !isTruncated ? [`--data-raw ${quoted(body)}`] : []),
  ];
  const isIncomplete = bodyBytes > 0 && (body === null || isTruncated);
  return `${isIncomplete ? '# The body was not recorded completely.\n' : ''}${parts.join(' \\\n  ')}\n`;
}

/** Within single quotes, no character is special (POSIX.1-2024, Shell Command Language, section 2.2.2). */
function quoted(text: string): string {
  return /^[\w./:=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
