import * as openId from 'openid-client';
import { SignInFailure, type SignInProblem } from '../../domain/providers/sign-in-failure.ts';

/* What the errors of the library mean for a login, with a reason for the log. */

/** An error response of a provider (RFC 6749, sections 4.1.2.1 and 5.2). */
interface Refusal {
  code: string;
  description: string | undefined;
  /** The status of the HTTP response; undefined if a browser brought the error. */
  status: number | undefined;
}

/** Errors that say that the provider does not respond. */
const TROUBLES: ReadonlySet<string> = new Set(['OAUTH_TIMEOUT', 'OAUTH_ABORT']);

const TEMPORARY: ReadonlySet<string> = new Set(['server_error', 'temporarily_unavailable']);

/** The errors of an authorization response for which the person can do nothing. */
const WRONG_REQUESTS: ReadonlySet<string> = new Set([
  'invalid_client',
  'invalid_request',
  'invalid_scope',
  'unauthorized_client',
  'unsupported_response_type',
]);

/**
 * @param problem if nothing else follows from the error
 * @param secrets which a provider may repeat in its descriptions
 */
export async function toSignInFailure(
  error: unknown,
  problem: SignInProblem,
  secrets: readonly (string | undefined)[] = [],
): Promise<SignInFailure> {
  if (error instanceof SignInFailure) return error;
  const refusal = await refusalIn(error);
  if (refusal !== undefined) return new SignInFailure(problemOfRefusal(refusal), reasonOfRefusal(refusal, secrets));
  const status = statusIn(error);
  if (status !== undefined)
    return new SignInFailure(problemOfStatus(status), `the provider responded with status ${status}`);
  return new SignInFailure(isTrouble(error) ? 'unavailable' : problem, otherIssuerIn(error) ?? reasonOf(error));
}

/** For the log: which of two issuers was expected. Often they differ by a slash. */
export function issuersDiffer(place: string, given: string, expected: string): string {
  return `the issuer ${place} is ${quoted(given)}, not ${quoted(expected)}`;
}

async function refusalIn(error: unknown): Promise<Refusal | undefined> {
  if (error instanceof openId.AuthorizationResponseError)
    return { code: error.error, description: error.error_description, status: undefined };
  if (error instanceof openId.ResponseBodyError)
    return { code: error.error, description: error.error_description, status: error.status };
  if (error instanceof openId.WWWAuthenticateChallengeError) {
    // The body says why the client is refused (RFC 6749, section 5.2), or else the header.
    const { status } = error;
    const body = await bodyOf(error.response);
    const none = { code: `status ${status}`, description: undefined, status };
    return refusalOf(body, status) ?? refusalOf(error.cause[0]?.parameters, status) ?? none;
  }
  // Some providers refuse with status 200.
  return refusalOf(fieldOf(detailsOf(error), 'body'), 200);
}

async function bodyOf(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    return undefined;
  }
}

function refusalOf(record: unknown, status: number): Refusal | undefined {
  const [code, description] = [fieldOf(record, 'error'), fieldOf(record, 'error_description')];
  if (typeof code !== 'string') return undefined;
  return { code, description: typeof description === 'string' ? description : undefined, status };
}

function problemOfRefusal({ code, status }: Refusal): SignInProblem {
  if (TEMPORARY.has(code)) return 'unavailable';
  if (status === undefined) return WRONG_REQUESTS.has(code) ? 'misconfigured' : 'refused';
  // The code of the login is too old, or was used.
  return code === 'invalid_grant' ? 'invalid' : problemOfStatus(status);
}

function problemOfStatus(status: number): SignInProblem {
  return status >= 500 || status === 429 || status === 408 ? 'unavailable' : 'misconfigured';
}

function reasonOfRefusal({ code, description }: Refusal, secrets: readonly (string | undefined)[]): string {
  const reason = `the provider responded with ${loggable(code, secrets)}`;
  return description === undefined ? reason : `${reason}: ${quoted(description, secrets)}`;
}

/** The status of a response that has another one than the protocol allows. */
function statusIn(error: unknown): number | undefined {
  const cause = fieldOf(error, 'cause');
  return fieldOf(error, 'code') === 'OAUTH_RESPONSE_IS_NOT_CONFORM' && cause instanceof Response
    ? cause.status
    : undefined;
}

function isTrouble(error: unknown): boolean {
  for (let each = error; each instanceof Error; each = each.cause) {
    // Of `fetch`: https://fetch.spec.whatwg.org/#fetch-method.
    if (each instanceof TypeError && /fetch failed|terminated/.test(each.message)) return true;
    if (TROUBLES.has(String(fieldOf(each, 'code')))) return true;
  }
  return false;
}

function otherIssuerIn(error: unknown): string | undefined {
  const details = detailsOf(error);
  const [expected, parameters] = [fieldOf(details, 'expected'), fieldOf(details, 'parameters')];
  if (typeof expected !== 'string' || !URL.canParse(expected)) return undefined;
  if (fieldOf(details, 'claim') === 'iss') {
    const given = fieldOf(fieldOf(details, 'claims'), 'iss');
    return issuersDiffer('of the ID token', String(given), expected);
  }
  const given = parameters instanceof URLSearchParams ? parameters.get('iss') : null;
  return given === null ? undefined : issuersDiffer('of the response', given, expected);
}

/** The library's errors have a cause with a message, which has the details as its cause. */
function detailsOf(error: unknown): unknown {
  return fieldOf(fieldOf(error, 'cause'), 'cause');
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** The messages of the library contain neither tokens nor secrets; the details of its errors do. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  // Connections to several addresses fail without a message.
  return `${error.message}: ${cause.message === '' ? String(fieldOf(cause, 'code')) : cause.message}`;
}

const MAX_LENGTH = 300;
const CONTROLS = /[\p{C}\p{Zl}\p{Zp}]+/gu;
/** No word is so long, nor is a UUID. */
const TOKEN = /[\w.~+=-]{40,}/g;

/** A text of a provider without what could change other lines of a log, and without secrets. */
function loggable(text: string, secrets: readonly (string | undefined)[]): string {
  let shown = text.replaceAll(CONTROLS, ' ');
  for (const secret of secrets)
    if (secret !== undefined && secret !== '')
      shown = shown.replaceAll(secret, '…').replaceAll(encodeURIComponent(secret), '…');
  return shown.replaceAll(TOKEN, '…').slice(0, MAX_LENGTH).toWellFormed().trim();
}

function quoted(text: string, secrets: readonly (string | undefined)[] = []): string {
  return `"${loggable(text, secrets)}"`;
}
