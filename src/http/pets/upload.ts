import { createHash, type Hash } from 'node:crypto';
import { Transform, type Readable, type TransformCallback } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy, type BusboyFileStream, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import type { FastifyRequest } from 'fastify';
import { Failure } from '../../domain/failure.ts';
import type { StagedUpload, UploadStaging } from '../../domain/pets/ports.ts';

/** The two parts of operation 8. */
export interface PhotoUpload {
  file: StagedUpload;
  fileName: string;
  additionalMetadata: string | undefined;
  /** The SHA-256 of all this, where there is an idempotency key to compare the request by. */
  digest: string | undefined;
}

export type ReceiveUpload = (request: FastifyRequest) => Promise<PhotoUpload>;

const MAX_TEXT_BYTES = 64 * 1024;
/** For the text part, the headers of the parts, and parts that nobody asked for. */
const OVERHEAD_BYTES = 1024 * 1024;
const MAX_DROPPED_BYTES = 64 * 1024 * 1024;
const MAX_PARTS = 100;

/** Takes in the upload of a request; once, however often it is asked for. */
export function receiveUploads(staging: UploadStaging, maxBytes: number): ReceiveUpload {
  return async (request) => (request.upload ??= await receiveUpload(request, staging, maxBytes));
}

/**
 * Takes in a multipart body (RFC 7578), the file to disk as it comes. The parts may come in any order, and the file without a file name.
 *
 * @throws Failure `invalid-input` without a file, `too-large` beyond `maxBytes`
 */
async function receiveUpload(request: FastifyRequest, staging: UploadStaging, maxBytes: number): Promise<PhotoUpload> {
  const parser = createParser(request);
  const hash = request.headers['idempotency-key'] === undefined ? undefined : createHash('sha256');
  let file: Promise<StagedUpload> | undefined;
  let fileStream: BusboyFileStream | undefined;
  let fileName = 'file';
  let additionalMetadata: string | undefined;
  let textIsTooLong = false;

  parser.on('file', (field: string | undefined, stream, givenName: string | undefined) => {
    // When the body ends too early the parser tells each open part, and an error that nobody listens to ends the process.
    stream.on('error', () => {});
    if (file !== undefined || (field !== undefined && field !== 'file')) {
      stream.resume();
      return;
    }
    fileStream = stream;
    fileName = printable(givenName) || fileName;
    file = staging.stage(chunksOf(stream, hash), maxBytes).finally(() => stream.resume());
    // Its failure is looked at below, after the end of the body.
    file.catch(() => {});
  });
  parser.on('field', (field, value, _nameTruncated, valueTruncated) => {
    if (field !== 'additionalMetadata') return;
    additionalMetadata = value;
    textIsTooLong = valueTruncated;
  });

  const limiter = new Limiter(maxBytes + OVERHEAD_BYTES);
  try {
    await pipeline(request.raw, limiter, parser);
  } catch (error) {
    fileStream?.destroy(error instanceof Error ? error : undefined);
    await file?.then(
      (staged) => staged.discard(),
      () => {},
    );
    if (limiter.isExceeded) throw new Failure('too-large', `A picture may have at most ${maxBytes} bytes.`);
    throw new Failure('invalid-input', 'The multipart body is broken, or ends too early.');
  }
  const staged = await (file ?? noFile());
  if (staged.byteLength > 0 && !textIsTooLong) {
    const digest = hash?.update(JSON.stringify([fileName, additionalMetadata])).digest('hex');
    return { file: staged, fileName, additionalMetadata, digest };
  }
  await staged.discard();
  if (textIsTooLong) throw new Failure('too-large', `additionalMetadata may have at most ${MAX_TEXT_BYTES} bytes.`);
  return noFile();
}

function createParser({ headers }: FastifyRequest): BusboyInstance {
  try {
    return new Busboy({
      headers: headers as BusboyHeaders,
      limits: { fieldSize: MAX_TEXT_BYTES, parts: MAX_PARTS },
      // By its name, too: not every client gives the file a file name.
      isPartAFile: (field, contentType, givenName) =>
        field === 'file' || givenName !== undefined || contentType === 'application/octet-stream',
    });
  } catch {
    throw new Failure('invalid-input', 'The Content-Type header names no multipart boundary.');
  }
}

async function* chunksOf(stream: BusboyFileStream, hash: Hash | undefined): AsyncGenerator<Uint8Array> {
  // Destroyed too early, the stream would keep the parser from ever coming to the end of the body.
  const chunks = (stream as Readable).iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
  for await (const chunk of chunks) {
    hash?.update(chunk);
    yield chunk;
  }
}

/**
 * Lets so many bytes through. What comes after them is read and dropped, up to a second limit: a client reads the answer only after it has sent
 * its body.
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
    'There is no file. Send the picture as multipart/form-data, in a part named "file".',
  );
}

/** A file name is shown, never used as one: what could forge a line of the answer goes. */
function printable(name: string | undefined): string {
  return (name ?? '').replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '').slice(0, 255);
}

declare module 'fastify' {
  interface FastifyRequest {
    /** What was taken in, as soon as it was. */
    upload: PhotoUpload | null;
  }
}
