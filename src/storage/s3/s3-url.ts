import { isIP } from 'node:net';

/** The location of the photos in S3. The AWS SDK finds the credentials by its default chain. */
export interface S3Settings {
  bucket: string;
  /** The prefix of every key, without a slash at either end; may be empty. */
  prefix: string;
  /** A server other than Amazon's. If undefined, the AWS SDK finds it: AWS_ENDPOINT_URL_S3 or a profile. */
  endpoint: string | undefined;
  /** If undefined, the AWS SDK finds it: AWS_REGION or a profile. */
  region: string | undefined;
  /** Whether the bucket is in the path of a URL (`host/bucket/key`) instead of in its host (`bucket.host/key`). */
  pathStyle: boolean;
}

type S3UrlResult = { settings: S3Settings } | { problems: readonly string[] };

/** Amazon's rules for bucket names, which aliases of access points follow as well. */
const BUCKET = /^(?!.*\.\.)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
/** Characters that no server or proxy encodes differently. */
const PREFIX = /^(?:[A-Za-z0-9_-][A-Za-z0-9._-]*(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*)?$/;
/** Maximum length of a prefix. A key may have 1,024 bytes, of which up to 85 follow the prefix. */
const MAX_PREFIX_LENGTH = 512;
const REGION = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;
const PARAMETERS = ['endpoint', 'region', 'path-style'] as const;
const CREDENTIAL = /key|secret|token|password|credential|user/i;
const NO_CREDENTIALS =
  'Credentials do not belong in the URL of the bucket, because logs and process lists show it. Set ' +
  'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or use a profile.';

/**
 * Reads `s3://bucket/prefix?endpoint=http://127.0.0.1:9000&region=us-east-1&path-style=true`. Prefix and parameters are
 * optional. All problems are reported together, without repeating the input.
 *
 * `path-style` is false by default, as Amazon requires. With an endpoint whose host is an IP address or localhost it is
 * true, because `bucket.host` would not resolve.
 */
export function readS3Url(text: string): S3UrlResult {
  const url = URL.parse(text);
  if (url?.protocol !== 's3:' || !text.toLowerCase().startsWith('s3://')) {
    return { problems: ['The URL of a bucket must look like s3://bucket/prefix?region=us-east-1.'] };
  }
  const problems: string[] = [];
  const { searchParams } = url;
  const names = [...searchParams.keys()];
  const hasCredentials = [url.username, url.password].some((part) => part !== '');
  const unknown = names.filter((name) => !isParameter(name));
  if (hasCredentials || unknown.some((name) => CREDENTIAL.test(name))) problems.push(NO_CREDENTIALS);
  if (unknown.some((name) => !CREDENTIAL.test(name))) {
    problems.push(`The URL of a bucket has an unknown parameter. Allowed parameters: ${PARAMETERS.join(', ')}.`);
  }
  for (const name of PARAMETERS) {
    if (searchParams.getAll(name).length > 1) problems.push(`${name} must not be repeated.`);
  }
  if (url.port !== '' || url.hash !== '') {
    problems.push('The URL of a bucket must have neither a port nor a fragment. Use endpoint to set the server.');
  }

  const bucket = url.hostname;
  if (!BUCKET.test(bucket) || isIP(bucket) !== 0) {
    problems.push(
      'The name of the bucket must have 3 to 63 lower-case letters, digits, dots and hyphens, begin and end with ' +
        'a letter or a digit, have no consecutive dots, and not be an IP address.',
    );
  }
  const prefix = url.pathname.replace(/^\//, '').replace(/\/$/, '');
  if (!PREFIX.test(prefix) || prefix.length > MAX_PREFIX_LENGTH || hasDotSegments(text)) {
    problems.push(
      `The prefix must consist of names separated by single slashes. Names may have letters, digits, dots, hyphens and underscores, and must not begin with a dot. The maximum length is ${MAX_PREFIX_LENGTH} characters.`,
    );
  }
  // An installation at the parent prefix would empty it as its trash.
  if (/(?:^|\/)trash$/.test(prefix)) problems.push('The prefix must not end in trash, which holds deleted photos.');
  const region = searchParams.get('region') ?? undefined;
  if (region !== undefined && !REGION.test(region)) problems.push('region must be a name such as us-east-1.');
  const endpoint = readEndpoint(searchParams.get('endpoint') ?? undefined, problems);
  const pathStyle = readPathStyle(searchParams.get('path-style') ?? undefined, endpoint, problems);

  return problems.length > 0
    ? { problems }
    : { settings: { bucket, prefix, endpoint: endpoint?.href.replace(/\/$/, ''), region, pathStyle } };
}

function isParameter(name: string): boolean {
  return (PARAMETERS as readonly string[]).includes(name);
}

/** Whether the path has `.` or `..`, which the URL parser would resolve silently. */
function hasDotSegments(text: string): boolean {
  const path = text.replace(/[?#].*$/s, '');
  return path.split('/').some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment));
}

function readEndpoint(text: string | undefined, problems: string[]): URL | undefined {
  if (text === undefined) return undefined;
  const endpoint = URL.parse(text);
  if (endpoint === null || !/^https?:$/.test(endpoint.protocol)) {
    problems.push('endpoint must be a URL such as https://s3.example.org or http://127.0.0.1:9000.');
    return undefined;
  }
  if (endpoint.username !== '' || endpoint.password !== '') {
    if (!problems.includes(NO_CREDENTIALS)) problems.push(NO_CREDENTIALS);
  }
  if (endpoint.search !== '' || endpoint.hash !== '') {
    problems.push('endpoint must have neither a query nor a fragment.');
  }
  return endpoint;
}

function readPathStyle(text: string | undefined, endpoint: URL | undefined, problems: string[]): boolean {
  if (text === undefined) return endpoint !== undefined && isHostWithoutSubdomains(endpoint.hostname);
  if (text !== 'true' && text !== 'false') problems.push('path-style must be true or false.');
  return text === 'true';
}

function isHostWithoutSubdomains(host: string): boolean {
  return host === 'localhost' || isIP(host.replace(/^\[(.*)\]$/, '$1')) !== 0;
}
