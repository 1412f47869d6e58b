import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash, type Hash } from 'node:crypto';
import { Transform, type Readable, type TransformCallback } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy, type BusboyFileStream, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import type { FastifyRequest } from 'fastify';
import { Failure } from '../../domain/failure.ts';
import type { StagedUpload, UploadStaging } from '../../domain/photos/ports.ts';
import { isJsonType } from './request-bodies.ts';
import { decodedChunks, decodedText } from './part-encoding.ts';

/** The multipart fields of an upload. */
interface PhotoUpload {
  file: StagedUpload;
  fileName: string;
  additionalMetadata: string | undefined;
  /** The SHA-256 of all fields, if the request has an idempotency key. */
  digest: string | undefined;
}

export type ReceiveUpload = (request: FastifyRequest) => Promise<PhotoUpload>;

const TEXT_FIELD = 'additionalMetadata';
const MAX_TEXT_BYTES = 64 * 1024;
/** The longest encoding of a byte, in quoted-printable, is three characters. */
const MAX_ENCODED_TEXT_BYTES = 4 * MAX_TEXT_BYTES;
/** Allowance for the text field, part headers, and unknown parts. */
const OVERHEAD_BYTES = 1024 * 1024;
/** base64 makes three bytes four, and adds line breaks. */
const ENCODED_RATIO = 1.4;
const MAX_DROPPED_BYTES = 64 * 1024 * 1024;
const MAX_PARTS = 100;

/**
 * Returns a function that receives the upload of a request. Further calls for the same request return the same upload.
 */
export function receiveUploads(staging: UploadStaging, maxBytes: number): ReceiveUpload {
  return async (request) => (request.upload ??= await new MultipartBody(request, staging, maxBytes).receive());
}

/**
 * A multipart body (RFC 7578). The file is staged as it arrives. Parts may come in any order, and the file may have no
 * file name.
 */
class MultipartBody {
  readonly #request: FastifyRequest;
  readonly #staging: UploadStaging;
  readonly #maxBytes: number;
  readonly #hash: Hash | undefined;
  #file: Promise<StagedUpload> | undefined;
  #fileStream: BusboyFileStream | undefined;
  #fileName = 'file';
  #additionalMetadata: string | undefined;
  #isTextTooLong = false;

  constructor(request: FastifyRequest, staging: UploadStaging, maxBytes: number) {
    this.#request = request;
    this.#staging = staging;
    this.#maxBytes = maxBytes;
    this.#hash = request.headers['idempotency-key'] === undefined ? undefined : createHash('sha256');
  }

  /**
   * @throws Failure `invalid-input` without a file, `too-large` beyond the limits, `unavailable`,
   *   `insufficient-storage`
   */
  async receive(): Promise<PhotoUpload> {
    await this.#readParts();
    const file = await (this.#file ?? noFile());
    const [fileName, additionalMetadata] = [this.#fileName, this.#additionalMetadata];
    if (file.byteLength > 0 && !this.#isTextTooLong) {
      const digest = this.#hash?.update(JSON.stringify([fileName, additionalMetadata])).digest('hex');
      return { file, fileName, additionalMetadata, digest };
    }
    await file.discard();
    if (this.#isTextTooLong)
      throw new Failure('too-large', `additionalMetadata may have at most ${MAX_TEXT_BYTES} bytes.`);
    return noFile();
  }

  async #readParts(): Promise<void> {
    const parser = createParser(this.#request);
    // The parser calls its listeners in the asynchronous context of the connection, which had other requests before.
    const stageFile = AsyncLocalStorage.bind(
      (field: string | undefined, stream: BusboyFileStream, fileName: string | undefined, encoding: string) =>
        this.#stageFile(field, stream, { fileName, encoding }),
    );
    parser.on('file', stageFile);
    parser.on('field', (field, value, _isNameTruncated, isValueTruncated, encoding, mediaType) => {
      if (field !== TEXT_FIELD) return;
      const text = decodedText(value, encoding);
      this.#isTextTooLong = isValueTruncated || Buffer.byteLength(text) > MAX_TEXT_BYTES;
      this.#additionalMetadata = isJsonType(mediaType) ? textOfJson(text) : text;
    });
    const limiter = new Limiter(this.#maxBytes * ENCODED_RATIO + OVERHEAD_BYTES);
    try {
      await pipeline(this.#request.raw, limiter, parser);
    } catch (error) {
      this.#fileStream?.destroy(error instanceof Error ? error : undefined);
      await this.#file?.then(
        (staged) => staged.discard(),
        () => {},
      );
      if (limiter.isExceeded) throw new Failure('too-large', `A photo may have at most ${this.#maxBytes} bytes.`);
      throw new Failure('invalid-input', 'The multipart body is malformed or incomplete.');
    }
  }

  #stageFile(
    field: string | undefined,
    stream: BusboyFileStream,
    { fileName, encoding }: { fileName: string | undefined; encoding: string },
  ): void {
    // If the body ends too early, the parser emits an error on each open part, which would end the process without a
    // listener.
    stream.on('error', () => {});
    if (this.#file !== undefined || (field !== undefined && field !== 'file')) {
      stream.resume();
      return;
    }
    this.#fileStream = stream;
    this.#fileName = printable(fileName) || this.#fileName;
    const chunks = decodedChunks(chunksOf(stream, this.#hash), encoding);
    this.#file = this.#staging.stage(chunks, this.#maxBytes).finally(() => stream.resume());
    // A failure is handled after the end of the body.
    this.#file.catch(() => {});
  }
}

function createParser({ headers }: FastifyRequest): BusboyInstance {
  try {
    return new Busboy({
      headers: headers as BusboyHeaders,
      limits: { fieldSize: MAX_ENCODED_TEXT_BYTES, parts: MAX_PARTS },
      // Also by field name: not every client sends the name of a file, and a browser sends one for a text in a Blob.
      isPartAFile: (field, contentType, givenName) =>
        field === 'file' ||
        (field !== TEXT_FIELD && (givenName !== undefined || contentType === 'application/octet-stream')),
    });
  } catch {
    throw new Failure('invalid-input', 'The Content-Type header has no multipart boundary.');
  }
}

/** The text of a JSON string, as clients send it that were generated from OpenAPI 3; other JSON unchanged. */
function textOfJson(json: string): string | undefined {
  try {
    const value: unknown = JSON.parse(json);
    if (value === null) return undefined;
    return typeof value === 'string' ? value : json;
  } catch {
    return json;
  }
}

async function* chunksOf(stream: BusboyFileStream, hash: Hash | undefined): AsyncGenerator<Uint8Array> {
  // If the stream were destroyed early, the parser would never reach the end of the body.
  const chunks = (stream as Readable).iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
  for await (const chunk of chunks) {
    hash?.update(chunk);
    yield chunk;
  }
}

/**
 * Passes at most `maxBytes`. Drops further bytes up to a second limit, because clients read the response only after
 * they have sent the body.
 */
class Limiter extends Transform {
  readonly #maxBytes: number;
  #seen = 0;

  constructor(maxBytes: number) {
    super();
    this.#maxBytes = maxBytes;
  }

  get isExceeded(): boolean {
    return this.#seen > this.#maxBytes;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#seen += chunk.byteLength;
    if (!this.isExceeded) done(null, chunk);
    else if (this.#seen <= this.#maxBytes + MAX_DROPPED_BYTES) done();
    else done(new Error('The client sends without end.'));
  }
}

function noFile(): never {
  throw new Failure(
    'invalid-input',
    'The file is missing. Send the photo as multipart/form-data, in a part named "file".',
  );
}

/** The file name for the response message, without characters that could add lines to it. */
function printable(name: string | undefined): string {
  return (name ?? '').replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '').slice(0, 255);
}

declare module 'fastify' {
  interface FastifyRequest {
    upload: PhotoUpload | null;
  }
}
