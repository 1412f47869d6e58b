import { isUtf8 } from 'node:buffer';

/*
 * Content-Transfer-Encoding of the parts of an upload (RFC 2045, section 6). RFC 7578 deprecates it for forms, but
 * clients that are built on mail libraries encode parts.
 */

/** Maximum length of an encoded line (RFC 2045, section 6.7). */
const MAX_LINE = 76;

interface Encoding {
  decode: (text: string) => Buffer;
  /** The length of the beginning of a text that does not end within an encoded byte. */
  completeLength: (text: string) => number;
}

const BASE64: Encoding = {
  decode: (text) => Buffer.from(text, 'base64'),
  completeLength: (text) => text.length - (text.length % 4),
};

const QUOTED_PRINTABLE: Encoding = {
  decode: decodeQuotedPrintable,
  completeLength: (text) => {
    const at = text.lastIndexOf('=');
    return at === -1 || text.length - at > MAX_LINE ? text.length : at;
  },
};

const ENCODINGS: ReadonlyMap<string, Encoding> = new Map([
  ['base64', BASE64],
  ['quoted-printable', QUOTED_PRINTABLE],
]);

function decodeQuotedPrintable(text: string): Buffer {
  const joined = text.replaceAll(/=[ \t]*\r?\n/g, '');
  const decoded = joined.replaceAll(/=([\dA-F]{2})/gi, (_all, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
  return Buffer.from(decoded, 'latin1');
}

/**
 * Decodes the chunks of a part while they arrive.
 * @param name of the encoding; others, such as `binary`, change nothing
 */
export function decodedChunks(chunks: AsyncIterable<Uint8Array>, name: string): AsyncIterable<Uint8Array> {
  const encoding = ENCODINGS.get(name);
  return encoding === undefined ? chunks : decodeChunks(chunks, encoding);
}

async function* decodeChunks(chunks: AsyncIterable<Uint8Array>, encoding: Encoding): AsyncGenerator<Uint8Array> {
  let rest = '';
  for await (const chunk of chunks) {
    const text = Buffer.from(chunk).toString('latin1');
    // Lines of base64 may end anywhere.
    rest += encoding === BASE64 ? text.replaceAll(/\s/g, '') : text;
    const length = encoding.completeLength(rest);
    yield encoding.decode(rest.slice(0, length));
    rest = rest.slice(length);
  }
  yield encoding.decode(rest);
}

/**
 * Decodes the text of a part. The parser does not report the charset of encoded bytes: those that are not UTF-8 are
 * read as Latin-1.
 */
export function decodedText(text: string, name: string): string {
  const encoding = ENCODINGS.get(name);
  if (encoding === undefined || (encoding === BASE64 && !/^[\w+/=\s-]*$/.test(text))) return text;
  const bytes = encoding.decode(text);
  return bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1');
}
