import { Failure } from '../../domain/failure.ts';

const RETRY_AFTER_SECONDS = 5;

/**
 * Error codes with status 400 that concern credentials, regions or the network. Any other 400 is a bug of the service.
 */
const TROUBLES_WITH_400 = new Set([
  'AuthorizationHeaderMalformed',
  'ExpiredToken',
  'InvalidToken',
  'RequestTimeout',
  'TokenRefreshRequired',
]);
const TROUBLES_WITHOUT_RESPONSE = new Set([
  'TimeoutError',
  'CredentialsProviderError',
  'TokenProviderError',
  'NotAnS3Server',
]);
/** Statuses below 500 that concern the server, the network or permissions. */
const TROUBLE_STATUSES = new Set([301, 307, 401, 403, 404, 405, 408, 409, 429]);

/** Codes of the network, and names of errors of the SDK, in words. */
const SIGNS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing accepts connections there',
  ECONNRESET: 'the connection was closed',
  ENOTFOUND: 'the host is unknown',
  EAI_AGAIN: 'the host cannot be looked up at the moment',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the host cannot be reached',
  ETIMEDOUT: 'no response in time',
  TimeoutError: 'no response in time',
  NotAnS3Server: 'its response is another one',
};

const WRONG_CREDENTIALS = new Set(['InvalidAccessKeyId', 'SignatureDoesNotMatch', 'InvalidToken', 'ExpiredToken']);
const WRONG_REGION = new Set(['PermanentRedirect', 'AuthorizationHeaderMalformed', 'TemporaryRedirect']);

/**
 * Whether the key does not exist. For HEAD, whose response has no body, it may also mean that the bucket does not
 * exist.
 */
export function isNotFound(error: unknown): boolean {
  return nameOf(error) === 'NoSuchKey' || nameOf(error) === 'NotFound';
}

/** Whether the server, or a proxy before it, refused a request that it may accept later. */
export function isBusy(error: unknown): boolean {
  const status = statusOf(error) ?? 0;
  return status === 429 || status >= 500;
}

/**
 * Converts errors of the bucket, its server or the network to a Failure for the client, with the original error as its
 * cause. Other errors are bugs, and are returned unchanged.
 */
export function toFailure(error: unknown): unknown {
  if (error instanceof Failure || !isTroubleOfBucket(error)) return error;
  return becauseOf(error, 'Photos cannot be stored or read at the moment. Try again in a few seconds.');
}

/** Like `toFailure`, at the start of the service: the message explains the problem and its solution to the operator. */
export function explainAtStart(error: unknown, bucket: string): unknown {
  const sentence = explain(error, bucket);
  return sentence === undefined ? error : becauseOf(error, sentence);
}

/** The failure for an object that was deleted or replaced while it was read. */
export function objectHasChanged(): Failure {
  return becauseOf(undefined, 'The photo changed while it was read. Try again in a few seconds.');
}

export function noResponseWithin(ms: number): Error {
  return Object.assign(new Error(`The bucket sent nothing for ${ms} ms.`), { name: 'TimeoutError' });
}

export function notAnS3Server(): Error {
  return Object.assign(new Error('The response is not that of an S3 server.'), { name: 'NotAnS3Server' });
}

function explain(error: unknown, bucket: string): string | undefined {
  const name = nameOf(error);
  const status = statusOf(error);
  if (name === 'NoSuchBucket') {
    return `Bucket "${bucket}" does not exist on this S3 server. Create it, or correct its name, the endpoint or the region.`;
  }
  if (WRONG_CREDENTIALS.has(name) || status === 401) {
    return `The S3 server of bucket "${bucket}" does not accept the credentials. Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the profile.`;
  }
  if (name === 'RequestTimeTooSkewed') {
    return `The clocks of this machine and of the S3 server of bucket "${bucket}" differ too much. Set the clock.`;
  }
  if (name === 'CredentialsProviderError' || name === 'TokenProviderError') {
    return `No usable credentials found for bucket "${bucket}". Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or use a profile.`;
  }
  if (WRONG_REGION.has(name) || status === 301) {
    return `Bucket "${bucket}" is in another region. Set region=... in its URL, or AWS_REGION.`;
  }
  if (error instanceof Error && error.message === 'Region is missing') {
    return `No region given for bucket "${bucket}". Set region=... in its URL, or AWS_REGION.`;
  }
  if (status === 403) {
    return `The credentials do not allow listing bucket "${bucket}". Grant s3:ListBucket on the bucket, and s3:GetObject, s3:PutObject and s3:DeleteObject on its objects.`;
  }
  // At the start, any 400 counts, such as that of a server that expects TLS, because the request itself is known to be
  // correct.
  if (status !== undefined || isTroubleOfBucket(error)) {
    return `The S3 server of bucket "${bucket}" cannot be reached, or is not an S3 server (${signOf(error)}). Check that the endpoint is right and the server is running.`;
  }
  return undefined;
}

/** Describes an error without quoting the server. */
function signOf(error: unknown): string {
  const status = statusOf(error);
  if (status !== undefined) return `HTTP status ${status}`;
  const name = error instanceof Error && 'code' in error ? String(error.code) : nameOf(error);
  return SIGNS[name] ?? name;
}

function isTroubleOfBucket(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'NoSuchBucket' || TROUBLES_WITHOUT_RESPONSE.has(error.name)) return true;
  const status = statusOf(error);
  if (status !== undefined) {
    // A success that could not be parsed: the address is not that of an S3 server.
    return status < 300 || status >= 500 || TROUBLE_STATUSES.has(status) || TROUBLES_WITH_400.has(error.name);
  }
  // TypeErrors and RangeErrors of Node also have codes, but are bugs.
  const isBug = error instanceof TypeError || error instanceof RangeError;
  return !isBug && 'code' in error && typeof error.code === 'string';
}

function becauseOf(cause: unknown, sentence: string): Failure {
  const failure = new Failure('unavailable', sentence, { retryAfterSeconds: RETRY_AFTER_SECONDS });
  return cause === undefined ? failure : Object.assign(failure, { cause });
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}

/** The status of the response behind an error of the SDK. */
function statusOf(error: unknown): number | undefined {
  const { $metadata, $response } = Object(error) as {
    $metadata?: { httpStatusCode?: number };
    $response?: { statusCode?: number };
  };
  return $metadata?.httpStatusCode ?? $response?.statusCode;
}
