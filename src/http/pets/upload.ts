import { createHash, type Hash } from 'node:crypto';
import { Transform, type Readable, type TransformCallback } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy, type BusboyFileStream, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import type { FastifyRequest } from 'fastify';
import { Failure } from '../../domain/failure.ts';
import type { StagedUpload, UploadStaging } from '../../domain/pets/ports.ts';

/** The multipart fields of an upload. */
export interface PhotoUpload {
  file: StagedUpload;
  fileName: string;
  additionalMetadata: string | undefined;
  /** The SHA-256 of all fields, if the request has an idempotency key. */
  digest: string | undefined;
}

export type ReceiveUpload = (request: FastifyRequest) => Promise<PhotoUpload>;

const MAX_TEXT_BYTES = 64 * 1024;
/** Allowance for the text field, part headers, and unknown parts. */
const OVERHEAD_BYTES = 1024 * 1024;
const MAX_DROPPED_BYTES = 64 * 1024 * 1024;
const MAX_PARTS = 100;

/** Returns a function that receives the upload of a request. Further calls for the same request return the same upload. */
export function receiveUploads(staging: UploadStaging, maxBytes: number): ReceiveUpload {
  return async (request) => (request.upload ??= await new MultipartBody(request, staging, maxBytes).receive());
}

/** A multipart body (RFC 7578). The file is staged as it arrives. Parts may come in any order, and the file may have no file name. */
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

  /** @throws Failure `invalid-input` without a file, `too-large` beyond the limits, `unavailable`, `insufficient-storage` */
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
    parser.on('file', (field: string | undefined, stream, fileName: string | undefined) =>
      this.#stageFile(field, stream, fileName),
    );
    parser.on('field', (field, value, _isNameTruncated, isValueTruncated) => {
      if (field !== 'additionalMetadata') return;
      this.#additionalMetadata = value;
      this.#isTextTooLong = isValueTruncated;
    });
    const limiter = new Limiter(this.#maxBytes + OVERHEAD_BYTES);
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

  #stageFile(field: string | undefined, stream: BusboyFileStream, fileName: string | undefined): void {
    // If the body ends too early, the parser emits an error on each open part, which would end the process without a listener.
    stream.on('error', () => {});
    if (this.#file !== undefined || (field !== undefined && field !== 'file')) {
      stream.resume();
      return;
    }
    this.#fileStream = stream;
    this.#fileName = printable(fileName) || this.#fileName;
    this.#file = this.#staging.stage(chunksOf(stream, this.#hash), this.#maxBytes).finally(() => stream.resume());
    // A failure is handled after the end of the body.
    this.#file.catch(() => {});
  }
}

function createParser({ headers }: FastifyRequest): BusboyInstance {
  try {
    return new Busboy({
      headers: headers as BusboyHeaders,
      limits: { fieldSize: MAX_TEXT_BYTES, parts: MAX_PARTS },
      // Also by field name, because not every client sends a file name.
      isPartAFile: (field, contentType, givenName) =>
        field === 'file' || givenName !== undefined || contentType === 'application/octet-stream',
    });
  } catch {
    throw new Failure('invalid-input', 'The Content-Type header has no multipart boundary.');
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

/** Passes at most `maxBytes`. Drops further bytes up to a second limit, because clients read the response only after they have sent the body. */
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
    /** The received upload. */
    upload: PhotoUpload | null;
  }
}
