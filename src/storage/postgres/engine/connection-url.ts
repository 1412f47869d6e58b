/** The servers of a database, in the order in which they are tried. */
export interface DatabaseAddress {
  /** One URL for each server, with the credentials. Secret. */
  serverUrls: readonly string[];
  /** For display: host, port and name of the database, without user and password. */
  label: string;
  /** Connect timeout, if the URL has one. */
  connectTimeoutMs?: number | undefined;
}

/** In seconds. 0 is refused: in libpq it means no timeout, and a request would wait forever. */
const CONNECT_TIMEOUT = /^[1-9]\d{0,2}$/;
const SECOND_MS = 1000;

/** No further @ or /: they would belong to a password that is not percent-encoded, and parts of it would be taken for the host, which is displayed. */
const SHAPE = /^(postgres(?:ql)?:\/\/)(?:([^@/?#]*)@)?([^@/?#]+)\/([^@/?#]+)(?:\?([^#]*))?$/i;

/** The values of target_session_attrs that require a server that accepts writes. */
const WRITING = new Set(['read-write', 'primary']);

/** The driver treats these modes more strictly than libpq does, and logs a warning at each start. */
const MODES_OF_LIBPQ = new Set(['prefer', 'require', 'verify-ca']);

/**
 * Reads a connection URL in the format of libpq (https://www.postgresql.org/docs/current/libpq-connect.html, section 34.1.1.2). It may have several servers,
 * separated by commas, of which the one that accepts writes is used.
 *
 * @returns the address, or one sentence that explains the problem without repeating the URL, which may contain a password
 */
export function readDatabaseUrl(url: string): DatabaseAddress | string {
  const match = SHAPE.exec(url);
  if (match === null) return 'must be like postgres://user:password@host:5432/database.';
  const [, scheme = '', login, hosts = '', database = '', query = ''] = match;
  if (![login ?? '', hosts, database, query].every(isDecodable))
    return 'has a % that begins no percent-encoding of UTF-8; as itself it is written %25.';
  const parameters = new URLSearchParams(query);
  if (parameters.has('host') || parameters.has('port'))
    return 'must name its servers before the database, not among the parameters.';
  const attributes = parameters.get('target_session_attrs') ?? 'read-write';
  if (!WRITING.has(attributes)) return 'may ask with target_session_attrs for read-write or primary only.';
  parameters.delete('target_session_attrs');
  const timeout = parameters.get('connect_timeout');
  const connectTimeoutMs = timeout === null ? undefined : Number(timeout) * SECOND_MS;
  if (timeout !== null && !CONNECT_TIMEOUT.test(timeout)) return 'may give connect_timeout in whole seconds, 1 to 999.';
  parameters.delete('connect_timeout');
  // Upgrades and moves find nodes by the name that they announce.
  parameters.delete('application_name');
  const mode = parameters.get('sslmode') ?? '';
  if (mode === 'verify-ca' && !parameters.has('sslrootcert')) return 'needs sslrootcert beside sslmode=verify-ca.';
  if (MODES_OF_LIBPQ.has(mode)) parameters.set('uselibpqcompat', 'true');
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

function isDecodable(part: string): boolean {
  try {
    decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}
