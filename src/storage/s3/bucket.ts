import { globalAgent } from 'node:https';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { explainAtStart, isBusy, isNotFound, noResponseWithin, notAnS3Server, toFailure } from './bucket-troubles.ts';
import type { S3Settings } from './s3-url.ts';

const { IncomingMessage } = process.getBuiltinModule('node:http');

const CONNECT_MS = 2_000;
/**
 * Maximum time without data from the server. A call to an unreachable server takes little more than twice this time.
 * The SDK starts the timer immediately only for up to 5 s; for longer times, it starts it after 3 s.
 */
const SILENCE_MS = 5_000;
/**
 * Most servers close idle connections after 5 s or more. Closing them earlier ensures that no request is sent on a
 * connection that is being closed.
 */
const IDLE_CONNECTION_MS = 4_000;
/** At the start, the waits for a server that is busy. */
const BUSY_DELAYS_MS = [500, 1_000, 2_000, 4_000];
/** Each photo that a slow client reads occupies a connection. */
const MAX_CONNECTIONS = 256;

/** Own metadata of an object, which its copies keep. */
export type Metadata = Readonly<Record<string, string>>;

interface StoredObject {
  key: string;
  /** Servers round it up or down to whole seconds. */
  lastModifiedMs: number;
  byteLength: number;
}

export interface BucketOptions {
  /** Page size of lists; by default 1,000, the maximum of S3. */
  keysPerPage?: number;
}

/** One bucket. Every method throws Failure `unavailable` within a few seconds if the bucket is not available. */
export class Bucket {
  readonly #client: S3Client;
  readonly #name: string;
  readonly #prefix: string;
  readonly #keysPerPage: number;

  private constructor({ bucket, prefix }: S3Settings, client: S3Client, keysPerPage: number) {
    this.#client = client;
    this.#name = bucket;
    this.#prefix = prefix;
    this.#keysPerPage = keysPerPage;
  }

  /** @throws Failure `unavailable` if the bucket cannot be used. Its message tells the operator what to do. */
  static async open(settings: S3Settings, { keysPerPage = 1_000 }: BucketOptions = {}): Promise<Bucket> {
    const client = createClient(settings);
    const bucket = new Bucket(settings, client, keysPerPage);
    try {
      await bucket.#probeWhileBusy();
      return bucket;
    } catch (error) {
      client.destroy();
      throw explainAtStart(error, settings.bucket);
    }
  }

  async put(key: string, bytes: Uint8Array, mediaType: string, metadata: Metadata = {}): Promise<void> {
    const content = { Body: bytes, ContentLength: bytes.byteLength, ContentType: mediaType, Metadata: metadata };
    await orFailure(this.#client.send(new PutObjectCommand({ Bucket: this.#name, Key: key, ...content })));
  }

  async findHead(key: string): Promise<{ byteLength: number; metadata: Metadata } | undefined> {
    const head = await ifExists(this.#client.send(new HeadObjectCommand({ Bucket: this.#name, Key: key })));
    const { ContentLength: byteLength, Metadata: metadata = {} } = head ?? {};
    return byteLength === undefined ? undefined : { byteLength, metadata };
  }

  /** The caller must read the body to its end, or destroy it. */
  async find(key: string): Promise<{ byteLength: number; metadata: Metadata; body: Readable } | undefined> {
    const found = await ifExists(this.#client.send(new GetObjectCommand({ Bucket: this.#name, Key: key })));
    if (found === undefined) return undefined;
    const { Body: body, ContentLength: byteLength, Metadata: metadata = {} } = found;
    if (!(body instanceof Readable) || byteLength === undefined)
      throw new Error('S3 returned an object without a body.');
    return { byteLength, metadata, body };
  }

  /** @returns whether the object exists */
  async copy(key: string, toKey: string): Promise<boolean> {
    // Bucket names and the keys used here need no encoding.
    const copy = { Bucket: this.#name, Key: toKey, CopySource: `${this.#name}/${key}` };
    return (await ifExists(this.#client.send(new CopyObjectCommand(copy)))) !== undefined;
  }

  async delete(key: string): Promise<void> {
    await ifExists(this.#client.send(new DeleteObjectCommand({ Bucket: this.#name, Key: key })));
  }

  /** Lists the objects page by page. They may be deleted meanwhile. */
  async *list(prefix: string): AsyncGenerator<readonly StoredObject[]> {
    let token: string | undefined;
    do {
      const page = { Bucket: this.#name, Prefix: prefix, MaxKeys: this.#keysPerPage, ContinuationToken: token };
      const listed = await orFailure(this.#client.send(new ListObjectsV2Command(page)));
      token = listed.NextContinuationToken;
      yield (listed.Contents ?? []).flatMap(({ Key: key, LastModified, Size: byteLength = 0 }) =>
        key === undefined || LastModified === undefined
          ? []
          : { key, lastModifiedMs: LastModified.getTime(), byteLength },
      );
    } while (token !== undefined);
  }

  /** Distinguishes a missing bucket from a missing object. @throws Failure `unavailable` if the bucket is missing */
  async check(): Promise<void> {
    await orFailure(this.#probe());
  }

  close(): void {
    this.#client.destroy();
  }

  /** Does not use HeadBucket, because only responses with a body describe the error. */
  /** A busy server refuses single requests, which must not end a start. */
  async #probeWhileBusy(): Promise<void> {
    for (const delayMs of BUSY_DELAYS_MS) {
      try {
        return await this.#probe();
      } catch (error) {
        if (!isBusy(error)) throw error;
        await delay(delayMs);
      }
    }
    await this.#probe();
  }

  async #probe(): Promise<void> {
    const page = { Bucket: this.#name, Prefix: this.#prefix, MaxKeys: 1 };
    const { Name } = await this.#client.send(new ListObjectsV2Command(page));
    // The SDK accepts any XML as a response.
    if (Name === undefined) throw notAnS3Server();
  }
}

/**
 * Yields the chunks of a body, and closes it when the iteration ends. The timeout applies only while a chunk is
 * awaited: the reader may take any time.
 */
export async function* readChunks(body: Readable): AsyncGenerator<Uint8Array> {
  // The timeout of the SDK would also count the time in which a slow client reads nothing.
  if (body instanceof IncomingMessage) body.setTimeout(0);
  const limitSilence = () => setTimeout(() => body.destroy(noResponseWithin(SILENCE_MS)), SILENCE_MS);
  let silence = limitSilence();
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      clearTimeout(silence);
      yield chunk;
      silence = limitSilence();
    }
  } catch (error) {
    throw toFailure(error);
  } finally {
    clearTimeout(silence);
    body.destroy();
  }
}

function createClient({ endpoint, region, pathStyle }: S3Settings): S3Client {
  // Undefined unless the operator has set a proxy for outgoing requests (NODE_USE_ENV_PROXY).
  const { proxyEnv } = globalAgent.options;
  const agent = { maxSockets: MAX_CONNECTIONS, timeout: IDLE_CONNECTION_MS, ...(proxyEnv && { proxyEnv }) };
  return new S3Client({
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(region === undefined ? {} : { region }),
    forcePathStyle: pathStyle,
    maxAttempts: 2,
    // Servers other than Amazon's do not support the newer checksums, or the chunked bodies that carry them.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // A server that does not support it delays the request, and each request with it opens a new connection.
    expectContinueHeader: false,
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      socketTimeout: SILENCE_MS,
      httpAgent: agent,
      httpsAgent: agent,
    },
  });
}

async function orFailure<T>(response: Promise<T>): Promise<T> {
  try {
    return await response;
  } catch (error) {
    throw toFailure(error);
  }
}

async function ifExists<T>(response: Promise<T>): Promise<T | undefined> {
  try {
    return await response;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw toFailure(error);
  }
}
