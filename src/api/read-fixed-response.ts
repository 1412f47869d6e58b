import { Failure, invalidInput, type FieldProblem } from '../domain/failure.ts';
import type { FixedResponse } from '../domain/playgrounds/faults.ts';
import { nearestName } from './words/nearest-name.ts';

/*
 * The response of a rule. Anyone may create a playground, and its responses have the origin of the service: headers
 * that proxies or browsers act on, and documents that browsers show, are refused.
 */

const HEADERS: readonly string[] = [
  'content-type',
  'content-language',
  'etag',
  'last-modified',
  'retry-after',
  'link',
  'location',
  'allow',
  'deprecation',
  'sunset',
  'warning',
  'ratelimit',
  'ratelimit-policy',
  'x-rate-limit',
  'x-expires-after',
];

const OWN_HEADER = /^x-test-[a-z0-9-]{1,50}$/;

const CONTENT_TYPE =
  /^(?:application\/(?:json|x-ndjson|octet-stream|[\w.-]+\+json)|text\/(?:plain|csv))(?:\s*;[\w\s=;."-]*)?$/i;

const HEADER_VALUE = /^[\x20-\x7e]{1,1000}$/;

const WITHOUT_BODY: readonly number[] = [204, 205, 304];

interface SentResponse {
  status: number;
  headers?: Readonly<Record<string, string>>;
  body?: unknown;
}

/** @param path of the response, as a JSON Pointer @throws Failure `invalid-input` */
export function readFixedResponse({ status, headers = {}, body }: SentResponse, path: string): FixedResponse {
  const lowerCased = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  const problems = lowerCased.flatMap(([name, value]): FieldProblem[] => {
    const message = headerProblem(name, value);
    return message === undefined ? [] : [{ path: `${path}/headers/${name}`, message }];
  });
  const isEmpty = body === undefined || body === '';
  if (WITHOUT_BODY.includes(status) && !isEmpty)
    problems.push({ path: `${path}/body`, message: `must be left out with the status ${status}` });
  if (problems.length > 0) throw invalidInput(problems);
  return { status, headers: Object.fromEntries(lowerCased), body: isEmpty ? undefined : body };
}

function headerProblem(name: string, value: string): string | undefined {
  if (!HEADERS.includes(name) && !OWN_HEADER.test(name)) {
    const nearest = nearestName(name, HEADERS);
    const question = nearest === undefined ? '' : ` (did you mean ${nearest}?)`;
    return `is not allowed${question}: use X-Test- and a name for a header of your own`;
  }
  if (!HEADER_VALUE.test(value)) return 'must be a text of 1 to 1000 printable ASCII characters';
  if (name === 'content-type' && !CONTENT_TYPE.test(value)) return 'must be a type of JSON, plain text, CSV or bytes';
  if (name === 'location' && !/^\/(?![/\\])/.test(value)) return 'must be a path, such as /v2/pet/2';
  return undefined;
}

/** @throws Failure `invalid-input` */
export function requireShortRules(rules: unknown, maxLength: number): void {
  if (JSON.stringify(rules).length > maxLength)
    throw new Failure('invalid-input', `The rules must have at most ${maxLength} characters together.`);
}
