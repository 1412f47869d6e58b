import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { getSystemErrorMessage } from 'node:util';

/** The servers of a database, in the order in which they are tried. */
export interface DatabaseAddress {
  /** One URL for each server, with the credentials. Secret. */
  serverUrls: readonly string[];
  /** For display: host, port and name of the database, without user and password. */
  label: string;
  /** Connect timeout, if the URL has one. */
  connectTimeoutMs?: number | undefined;
}

/**
 * Of servers whose URL has no timeout. Together with the search for a new primary, a caller has a response within two
 * seconds.
 */
export const CONNECT_TIMEOUT_MS = 1500;

/** In seconds. 0 is refused: in libpq it means no timeout, and a request would wait forever. */
const CONNECT_TIMEOUT = /^[1-9]\d{0,2}$/;
const SECOND_MS = 1000;

const SCHEME = /^postgres(?:ql)?:\/\//i;
const SHAPE = /^(postgres(?:ql)?:\/\/)(?:([^@/?#]*)@)?([^@/?#]+)\/([^@/?#]+)(?:\?([^@#]*))?$/i;

const WHITE_SPACE = /[\s\p{Cc}]/u;

/**
 * Parameters that the driver, or this file, reads, with their values if they are few. The driver ignores all other
 * parameters of libpq, or lets them replace settings of Menagerie.
 */
const PARAMETERS: Readonly<Record<string, readonly string[] | undefined>> = {
  // Ignored.
  application_name: undefined,
  connect_timeout: undefined,
  options: undefined,
  password: undefined,
  ssl: ['true', '1', '0', 'no-verify'],
  sslcert: undefined,
  sslkey: undefined,
  // The driver would take the mode `allow` of libpq for verify-full.
  sslmode: ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'],
  sslnegotiation: ['postgres', 'direct'],
  sslrootcert: undefined,
  // The others accept servers that are read-only.
  target_session_attrs: ['read-write', 'primary'],
  uselibpqcompat: ['true'],
  user: undefined,
};

/** The driver treats these modes more strictly than libpq does, and logs a warning at each start. */
const MODES_OF_LIBPQ = new Set(['prefer', 'require', 'verify-ca']);

/** Files that the driver reads for each connection. Each function throws for content of another kind. */
const FILES: readonly (readonly [parameter: string, kind: string, parse: (text: Buffer) => unknown])[] = [
  ['sslrootcert', 'certificate', (text) => new X509Certificate(text)],
  ['sslcert', 'certificate', (text) => new X509Certificate(text)],
  ['sslkey', 'private key without a passphrase', (text) => createPrivateKey(text)],
];

/**
 * Reads a connection URL in the format of libpq (https://www.postgresql.org/docs/current/libpq-connect.html, section
 * 34.1.1.2). It may have several servers, separated by commas, of which the one that accepts writes is used.
 *
 * @returns the address, or one sentence that explains the problem without repeating the URL, which may contain a
 *   password
 */
export function readDatabaseUrl(url: string): DatabaseAddress | string {
  const match = SHAPE.exec(url);
  const [, scheme = '', login, hosts = '', database = '', query = ''] = match ?? [];
  const problem = explainForm(url, match);
  if (problem !== undefined) return problem;
  const parameters = new URLSearchParams(query);
  const parameterProblem = explainParameters(parameters) ?? explainFiles(parameters);
  if (parameterProblem !== undefined) return parameterProblem;
  const timeout = parameters.get('connect_timeout');
  const connectTimeoutMs = timeout === null ? undefined : Number(timeout) * SECOND_MS;
  // Upgrades and moves find nodes by the name that they announce.
  for (const own of ['connect_timeout', 'target_session_attrs', 'application_name']) parameters.delete(own);
  if (MODES_OF_LIBPQ.has(parameters.get('sslmode') ?? '')) parameters.set('uselibpqcompat', 'true');
  const rest = parameters.size === 0 ? '' : `?${parameters.toString()}`;
  const servers = hosts.split(',');
  const serverUrls = servers.map(
    (server) => `${scheme}${login === undefined ? '' : `${login}@`}${server}/${database}${rest}`,
  );
  if (!serverUrls.every((serverUrl) => URL.canParse(serverUrl)) || servers.some((server) => server === ''))
    return 'names a server that is no host with a port, such as db.example.org:5432.';
  const label = `${servers.join(', ')}/${database}`;
  return { serverUrls, label, connectTimeoutMs };
}

/** The same servers, to which connections announce another name than that of a node. */
export function withProgramName(address: DatabaseAddress, name: string): DatabaseAddress {
  const parameter = `application_name=${encodeURIComponent(name)}`;
  return {
    ...address,
    serverUrls: address.serverUrls.map((url) => `${url}${url.includes('?') ? '&' : '?'}${parameter}`),
  };
}

function explainForm(url: string, match: RegExpExecArray | null): string | undefined {
  const form = 'must be like postgres://user:password@host:5432/database.';
  if (!SCHEME.test(url)) return form;
  // The driver would encode the other characters again.
  if (WHITE_SPACE.test(url)) return 'has white space, which must be deleted, or written as %20.';
  if (hasUnencoded(url.replace(SCHEME, '')))
    return 'has a special character in the user, the password or a parameter that must be percent-encoded: @ as %40, : as %3A, / as %2F, ? as %3F, # as %23.';
  if (match === null) return form;
  return match.slice(2).every((part) => isDecodable(part ?? ''))
    ? undefined
    : 'has a % that begins no percent-encoding of UTF-8; as itself it is written %25.';
}

function explainParameters(parameters: URLSearchParams): string | undefined {
  for (const [name, value] of parameters) {
    if (name === 'host' || name === 'port')
      return 'must name its servers before the database, not among the parameters.';
    if (!Object.hasOwn(PARAMETERS, name))
      return `has an unknown parameter${/^\w{1,40}$/.test(name) ? `, ${name}` : ''}; allowed are ${Object.keys(PARAMETERS).join(', ')}.`;
    if (parameters.getAll(name).length > 1) return `has ${name} more than once.`;
    const values = PARAMETERS[name];
    if (values !== undefined && !values.includes(value)) return `must have one of ${values.join(', ')} as its ${name}.`;
  }
  const timeout = parameters.get('connect_timeout');
  if (timeout !== null && !CONNECT_TIMEOUT.test(timeout)) return 'may give connect_timeout in whole seconds, 1 to 999.';
  const mode = parameters.get('sslmode');
  if (mode === 'verify-ca' && !parameters.has('sslrootcert')) return 'needs sslrootcert beside sslmode=verify-ca.';
  if (parameters.get('sslnegotiation') === 'direct' && (mode === 'disable' || parameters.get('ssl') === '0'))
    return 'needs TLS for sslnegotiation=direct, such as with sslmode=verify-full.';
  return undefined;
}

function explainFiles(parameters: URLSearchParams): string | undefined {
  for (const [parameter, kind, parse] of FILES) {
    const path = parameters.get(parameter);
    if (path === null) continue;
    try {
      parse(readFileSync(path));
    } catch (error) {
      const isUnread = error instanceof Error && 'errno' in error;
      return isUnread
        ? `has as ${parameter} the file ${path}, which cannot be read: ${getSystemErrorMessage(Number(error.errno))}.`
        : `has as ${parameter} the file ${path}, which is no ${kind} in PEM format.`;
    }
  }
  return undefined;
}

/**
 * Whether a password is not percent-encoded: parts of it would be taken for the host, which is displayed, or for
 * parameters.
 */
function hasUnencoded(rest: string): boolean {
  return /[@/?#]/.test(rest.slice(0, Math.max(0, rest.lastIndexOf('@'))));
}

function isDecodable(part: string): boolean {
  try {
    decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}
