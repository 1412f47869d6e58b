import { Failure } from '../../domain/failure.ts';

const RETRY_AFTER_SECONDS = 5;

/** Refusals with 400 that tell of credentials, regions and networks; every other 400 is a mistake of ours. */
const TROUBLES_WITH_400 = new Set([
  'AuthorizationHeaderMalformed',
  'ExpiredToken',
  'InvalidToken',
  'RequestTimeout',
  'TokenRefreshRequired',
]);
const TROUBLES_WITHOUT_AN_ANSWER = new Set([
  'TimeoutError',
  'CredentialsProviderError',
  'TokenProviderError',
  'NotAnS3Server',
]);
/** Statuses that tell of the server, of the way to it, or of what we may do there. Those from 500 on do so too. */
const TROUBLE_STATUSES = new Set([301, 307, 401, 403, 404, 405, 408, 409, 429]);

const WRONG_CREDENTIALS = new Set(['InvalidAccessKeyId', 'SignatureDoesNotMatch', 'InvalidToken', 'ExpiredToken']);
const WRONG_REGION = new Set(['PermanentRedirect', 'AuthorizationHeaderMalformed', 'TemporaryRedirect']);

/** Nothing lies under the key. On a HEAD, which has no body to say so, also: there is no bucket. */
export function isNotFound(error: unknown): boolean {
  return nameOf(error) === 'NoSuchKey' || nameOf(error) === 'NotFound';
}

/**
 * Trouble of the bucket, of its server or of the way to it, in a sentence for whoever wanted a picture, with what was behind it as the cause.
 * Anything else is a bug, and stays what it is.
 */
export function toFailure(error: unknown): unknown {
  if (error instanceof Failure || !isTroubleOfBucket(error)) return error;
  return becauseOf(error, 'The pictures cannot be reached at the moment. Try again in some seconds.');
}

/** Likewise at the start, for whoever runs the service: what is wrong, and what to do. */
export function explainAtStart(error: unknown, bucket: string): unknown {
  const sentence = explain(error, bucket);
  return sentence === undefined ? error : becauseOf(error, sentence);
}

/** An object that was there is not there any more, or is another one. */
export function objectHasChanged(): Failure {
  return becauseOf(undefined, 'The picture changed while it was read. Try again in some seconds.');
}

export function noAnswerWithin(ms: number): Error {
  return Object.assign(new Error(`The bucket sent nothing for ${ms} ms.`), { name: 'TimeoutError' });
}

export function notAnS3Server(): Error {
  return Object.assign(new Error('The answer has not the form of one of S3.'), { name: 'NotAnS3Server' });
}

function explain(error: unknown, bucket: string): string | undefined {
  const name = nameOf(error);
  const status = statusOf(error);
  if (name === 'NoSuchBucket') {
    return `There is no bucket "${bucket}" on this S3 server. Create it, or correct its name, the endpoint or the region.`;
  }
  if (WRONG_CREDENTIALS.has(name) || status === 401) {
    return `The S3 server of the bucket "${bucket}" does not accept the credentials. Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the profile.`;
  }
  if (name === 'RequestTimeTooSkewed') {
    return `The S3 server of the bucket "${bucket}" has another time than this machine. Set the clock.`;
  }
  if (name === 'CredentialsProviderError' || name === 'TokenProviderError') {
    return `There are no usable credentials for the bucket "${bucket}". Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or use a profile.`;
  }
  if (WRONG_REGION.has(name) || status === 301) {
    return `The bucket "${bucket}" lies in another region. Name it with region=... in its URL, or with AWS_REGION.`;
  }
  if (error instanceof Error && error.message === 'Region is missing') {
    return `It is not said in which region the bucket "${bucket}" lies. Name it with region=... in its URL, or with AWS_REGION.`;
  }
  if (status === 403) {
    return `The credentials may not list the bucket "${bucket}". Allow them s3:ListBucket on it, and s3:GetObject, s3:PutObject and s3:DeleteObject on what is in it.`;
  }
  // Here also a 400, as from a server that expects TLS: the question itself has been tried on S3.
  if (status !== undefined || isTroubleOfBucket(error)) {
    return `The S3 server of the bucket "${bucket}" cannot be reached, or does not answer as one (${signOf(error)}). Check the endpoint, and that it is running.`;
  }
  return undefined;
}

/** What can be told of an error without repeating what a server wrote. */
function signOf(error: unknown): string {
  const status = statusOf(error);
  if (status !== undefined) return `HTTP status ${status}`;
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return nameOf(error);
}

function isTroubleOfBucket(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'NoSuchBucket' || TROUBLES_WITHOUT_AN_ANSWER.has(error.name)) return true;
  const status = statusOf(error);
  if (status !== undefined) {
    // Below 300 it was taken for an answer, and could not be read: something else stands at that address.
    return status < 300 || status >= 500 || TROUBLE_STATUSES.has(status) || TROUBLES_WITH_400.has(error.name);
  }
  // Node gives its own bugs a code too, as TypeErrors and RangeErrors.
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

/** The status of the answer behind an error of the SDK, whether it understood the answer or not. */
function statusOf(error: unknown): number | undefined {
  const { $metadata, $response } = Object(error) as {
    $metadata?: { httpStatusCode?: number };
    $response?: { statusCode?: number };
  };
  return $metadata?.httpStatusCode ?? $response?.statusCode;
}
