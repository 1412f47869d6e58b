/** Where a database is: the servers that may have it, in the order in which they are tried. */
export interface DatabaseAddress {
  /** One URL a server, each with everything that is needed to log in. Secret. */
  serverUrls: readonly string[];
  /** For people: host, port and name of the database, without user and password. */
  told: string;
}

const SHAPE = /^(postgres(?:ql)?:\/\/)(?:([^@/?#]*)@)?([^/?#]+)\/([^?#]+)(?:\?([^#]*))?$/i;

/** Whoever writes needs a server that takes writes, whatever is asked for; these say the same. */
const WRITING = new Set(['read-write', 'primary']);

/**
 * Reads a connection URL as libpq has it (https://www.postgresql.org/docs/current/libpq-connect.html, section 34.1.1.2): several servers may stand
 * in it, separated by commas, of which the one that takes writes is used.
 *
 * @returns the address, or one sentence that says what is wrong and never repeats what was given, for it may hold a password
 */
export function readDatabaseUrl(url: string): DatabaseAddress | string {
  const match = SHAPE.exec(url);
  if (match === null) return 'must be like postgres://user:password@host:5432/database.';
  const [, scheme = '', login, hosts = '', database = '', query = ''] = match;
  const parameters = new URLSearchParams(query);
  const attributes = parameters.get('target_session_attrs') ?? 'read-write';
  if (!WRITING.has(attributes)) return 'may ask with target_session_attrs for read-write or primary only.';
  parameters.delete('target_session_attrs');
  const rest = parameters.size === 0 ? '' : `?${parameters.toString()}`;
  const servers = hosts.split(',');
  const serverUrls = servers.map(
    (server) => `${scheme}${login === undefined ? '' : `${login}@`}${server}/${database}${rest}`,
  );
  if (!serverUrls.every((serverUrl) => URL.canParse(serverUrl)) || servers.some((server) => server === ''))
    return 'names a server that is no host with a port, such as db.example.org:5432.';
  return { serverUrls, told: `${servers.join(', ')}/${database}` };
}
