import { BYTE_ORDER_MARK } from './csv.ts';
import { UnusableFile } from './unusable-file.ts';

/* The text of a file to import. */

/** Enough to recognize the encoding, and the dialect of a table. */
const SAMPLE_BYTES = 1024;
const SAMPLE_LENGTH = 64 * 1024;

/** The beginning of a ZIP file, which workbooks are. */
const ZIP_MARK = [0x50, 0x4b, 0x03, 0x04] as const;

/** The mark of DOS programs at the end of a text (Ctrl-Z). */
const END_MARK = '\x1A';

/** A text that is read in chunks, and whose beginning is known. */
export class TextBeginning {
  readonly beginning: string;
  /** Whether the text ends with its beginning. */
  readonly isWhole: boolean;
  readonly #rest: AsyncIterator<string>;

  private constructor(beginning: string, isWhole: boolean, rest: AsyncIterator<string>) {
    this.beginning = beginning;
    this.isWhole = isWhole;
    this.#rest = rest;
  }

  static async of(chunks: AsyncIterable<string>): Promise<TextBeginning> {
    const rest = chunks[Symbol.asyncIterator]();
    let beginning = '';
    while (beginning.length < SAMPLE_LENGTH) {
      const { done = false, value } = await rest.next();
      if (done) return new TextBeginning(beginning, true, rest);
      beginning += value;
    }
    return new TextBeginning(beginning, false, rest);
  }

  /** The text from this place in its beginning on. Only for one reader. */
  async *from(start: number): AsyncGenerator<string, void, void> {
    try {
      yield this.beginning.slice(start);
      if (this.isWhole) return;
      for (let next = await this.#rest.next(); next.done !== true; next = await this.#rest.next()) yield next.value;
    } finally {
      await this.#rest.return?.();
    }
  }
}

/**
 * Decodes a file in UTF-8, in UTF-16, which Excel calls Unicode text, or in Windows-1252, which Excel calls CSV.
 *
 * @throws UnusableFile for another file
 */
export async function* decode(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, void> {
  let decoder: TextDecoder | undefined;
  let held = new Uint8Array();
  try {
    for await (const chunk of chunks) {
      if (decoder !== undefined) {
        yield known(decoder.decode(chunk, { stream: true }), decoder);
        continue;
      }
      held = joined(held, chunk);
      if (held.length < SAMPLE_BYTES) continue;
      decoder = decoderFor(held);
      const text = decoder === undefined ? asciiText(held) : known(decoder.decode(held, { stream: true }), decoder);
      // ASCII is the same in most encodings: the first other character decides.
      if (text === undefined) continue;
      yield text;
      held = new Uint8Array();
    }
    if (decoder !== undefined) yield known(decoder.decode(), decoder);
    else {
      decoder = decoderFor(held, true) ?? new TextDecoder('utf-8', OPTIONS);
      yield known(decoder.decode(held), decoder);
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw notUtf8();
  }
}

const OPTIONS = { fatal: true, ignoreBOM: true };

const WINDOWS = 'windows-1252';

/** @throws UnusableFile for characters that a text in Windows-1252 does not have, but one of MS-DOS or in UTF-8 */
function known(text: string, { encoding }: TextDecoder): string {
  if (encoding === WINDOWS && /[\x80-\x9f]|[\xc2\xc3][\xa0-\xbf]/.test(text)) throw notUtf8();
  return text;
}

function notUtf8(): UnusableFile {
  return new UnusableFile('The file is not UTF-8. Save it as "CSV UTF-8".', 'encoding');
}

/** Undefined if the bytes are not all ASCII. */
function asciiText(bytes: Uint8Array): string | undefined {
  return bytes.every((byte) => byte < 0x80) ? new TextDecoder().decode(bytes) : undefined;
}

/** Undefined if the bytes are ASCII, or may end within their first other character. */
function utf8OrWindows(bytes: Uint8Array, isAll: boolean): TextDecoder | undefined {
  const first = bytes.findIndex((byte) => byte >= 0x80);
  // A character has at most four bytes.
  if (first === -1 || (!isAll && first > bytes.length - 4)) return undefined;
  try {
    new TextDecoder('utf-8', OPTIONS).decode(bytes, { stream: true });
    return new TextDecoder('utf-8', OPTIONS);
  } catch {
    return new TextDecoder(WINDOWS, OPTIONS);
  }
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}

/** A text in UTF-8 has no zeros. In UTF-16, every second byte of Latin letters, digits and delimiters is zero. */
/** @param isAll whether nothing follows */
function decoderFor(beginning: Uint8Array, isAll = false): TextDecoder | undefined {
  if (ZIP_MARK.every((byte, index) => beginning[index] === byte)) throw notText();
  const zeros = [0, 0];
  for (const [index, byte] of beginning.entries()) if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  const [atEven = 0, atOdd = 0] = zeros;
  const mark = (beginning[0] ?? 0) * 256 + (beginning[1] ?? 0);
  if (atEven + atOdd === 0 && mark !== 0xfffe && mark !== 0xfeff) return utf8OrWindows(beginning, isAll);
  const [most, least] = [Math.max(atEven, atOdd), Math.min(atEven, atOdd)];
  // Other files have zeros at both.
  if (least > most / 8) throw notText();
  if (mark === 0xfffe) return new TextDecoder('utf-16le', OPTIONS);
  if (mark === 0xfeff) return new TextDecoder('utf-16be', OPTIONS);
  if (most < beginning.length / 8) throw notText();
  return new TextDecoder(atOdd > atEven ? 'utf-16le' : 'utf-16be', OPTIONS);
}

function notText(): UnusableFile {
  return new UnusableFile(
    'The file is a workbook or another file that is not text. Save the table as "CSV UTF-8".',
    'not-text',
  );
}

/** The text without a byte order mark at its beginning, and without marks of its end. */
export async function* withoutMarks(chunks: AsyncIterable<string>): AsyncGenerator<string, void, void> {
  let isFirst = true;
  let held = '';
  for await (const chunk of chunks) {
    const text = held + (isFirst && chunk.startsWith(BYTE_ORDER_MARK) ? chunk.slice(1) : chunk);
    if (chunk !== '') isFirst = false;
    const end = placeOfEndMark(text);
    yield text.slice(0, end);
    held = text.slice(end);
  }
}

/** Where the end mark is after which only spaces and further marks follow; the length of the text without one. */
function placeOfEndMark(text: string): number {
  let end = text.length;
  for (let place = text.length - 1; place >= 0; place--) {
    const character = text[place] ?? '';
    if (character === END_MARK) end = place;
    else if (character.trim() !== '') break;
  }
  return end;
}
