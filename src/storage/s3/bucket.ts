import { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { explainAtStart, isNotFound, noAnswerWithin, notAnS3Server, toFailure } from './bucket-troubles.ts';
import type { S3Settings } from './s3-url.ts';

const CONNECT_MS = 2_000;
/**
 * How long the server may be silent. Twice that and a little is the longest that a call takes on a server that is gone; 5 s is also the longest
 * that the SDK counts from the beginning: it begins to count longer times only after 3 s.
 */
const SILENCE_MS = 5_000;
/** Servers close connections that lie idle, mostly from 5 s on; we do it first, so that no request meets one that is being closed. */
const IDLE_CONNECTION_MS = 4_000;
/** A picture that a slow client reads holds its connection: so many can do that before anybody waits. */
const MAX_CONNECTIONS = 256;

export interface StoredObject {
  key: string;
  /** Servers round it to whole seconds, some up and some down: the object was stored within a second of it. */
  lastModifiedMs: number;
}

export interface BucketOptions {
  /** How many objects are asked for at once in a list; 1,000, the most that S3 gives, by default. */
  keysPerPage?: number;
}

export type Bucket = Awaited<ReturnType<typeof openBucket>>;

/**
 * One bucket, object by object. Every method gives Failure `unavailable` when the bucket or the way to it is in trouble, within some seconds.
 *
 * @throws Failure `unavailable` with what to do, when the bucket cannot be used as it is
 */
export async function openBucket(settings: S3Settings, { keysPerPage = 1_000 }: BucketOptions = {}) {
  const Bucket = settings.bucket;
  const client = createClient(settings);

  /** Not HeadBucket: only answers with a body say what is wrong. */
  async function probe(): Promise<void> {
    const { Name } = await client.send(new ListObjectsV2Command({ Bucket, Prefix: settings.prefix, MaxKeys: 1 }));
    // The SDK takes any XML for an answer.
    if (Name === undefined) throw notAnS3Server();
  }

  try {
    await probe();
  } catch (error) {
    client.destroy();
    throw explainAtStart(error, Bucket);
  }

  return {
    async put(key: string, bytes: Uint8Array, mediaType: string): Promise<void> {
      const object = { Bucket, Key: key, Body: bytes, ContentLength: bytes.byteLength, ContentType: mediaType };
      await orFailure(client.send(new PutObjectCommand(object)));
    },

    async findLength(key: string): Promise<number | undefined> {
      const head = await ifThere(client.send(new HeadObjectCommand({ Bucket, Key: key })));
      return head?.ContentLength;
    },

    /** Whoever has got it must read it to its end, or destroy it. */
    async find(key: string): Promise<{ byteLength: number; body: Readable } | undefined> {
      const found = await ifThere(client.send(new GetObjectCommand({ Bucket, Key: key })));
      if (found === undefined) return undefined;
      const { Body: body, ContentLength: byteLength } = found;
      if (!(body instanceof Readable) || byteLength === undefined) throw new Error('S3 gave an object without a body.');
      return { byteLength, body };
    },

    /** @returns whether there was something to copy */
    async copy(key: string, toKey: string): Promise<boolean> {
      // Bucket names and our keys have no character that would have to be encoded.
      const copy = { Bucket, Key: toKey, CopySource: `${Bucket}/${key}` };
      return (await ifThere(client.send(new CopyObjectCommand(copy)))) !== undefined;
    },

    async remove(key: string): Promise<void> {
      await ifThere(client.send(new DeleteObjectCommand({ Bucket, Key: key })));
    },

    /** Page by page; objects may be removed meanwhile. */
    async *list(prefix: string): AsyncGenerator<readonly StoredObject[]> {
      let token: string | undefined;
      do {
        const part = { Bucket, Prefix: prefix, MaxKeys: keysPerPage, ContinuationToken: token };
        const { Contents = [], NextContinuationToken } = await orFailure(client.send(new ListObjectsV2Command(part)));
        token = NextContinuationToken;
        yield Contents.flatMap(({ Key: key, LastModified }) =>
          key === undefined || LastModified === undefined ? [] : { key, lastModifiedMs: LastModified.getTime() },
        );
      } while (token !== undefined);
    },

    /** @throws Failure when the bucket itself is not there, which a missing object cannot tell */
    async check(): Promise<void> {
      await orFailure(probe());
    },

    close: () => client.destroy(),
  };
}

/**
 * The chunks of a body, which is closed when nobody wants more. The server must not be silent while they are waited for; whoever reads them may
 * take any time.
 */
export async function* readChunks(body: Readable): AsyncGenerator<Uint8Array> {
  // The SDK's own limit would also count the time in which a slow client takes nothing.
  if (body instanceof IncomingMessage) body.setTimeout(0);
  const limitSilence = () => setTimeout(() => body.destroy(noAnswerWithin(SILENCE_MS)), SILENCE_MS);
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
  const agent = { maxSockets: MAX_CONNECTIONS, timeout: IDLE_CONNECTION_MS };
  return new S3Client({
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(region === undefined ? {} : { region }),
    forcePathStyle: pathStyle,
    maxAttempts: 2,
    // Servers other than Amazon's do not know the newer checksums, or the chunked bodies that carry them.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // A server that does not know it lets us wait, and each request with it opens a connection of its own.
    expectContinueHeader: false,
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      socketTimeout: SILENCE_MS,
      httpAgent: agent,
      httpsAgent: agent,
    },
  });
}

async function orFailure<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw toFailure(error);
  }
}

async function ifThere<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw toFailure(error);
  }
}
