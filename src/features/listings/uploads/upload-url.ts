/** A server that files are uploaded to. Secret. */
export interface UploadTarget {
  /** `ftps` is FTP that is upgraded to TLS. */
  protocol: 'ftp' | 'ftps' | 'sftp';
  host: string;
  port: number;
  user: string;
  /** Undefined with a key. */
  password: string | undefined;
  /** Path of the file with the private key, for SFTP. */
  keyFile: string | undefined;
  /** The SHA-256 fingerprint of the key of the server, as `ssh-keyscan host | ssh-keygen -lf -` prints it. */
  hostKey: string | undefined;
  /** Path of a file with the certificates to trust instead of the usual ones, for FTPS. */
  caFile: string | undefined;
  /** Where the files belong, such as `/import`; empty for the folder after the login. */
  folder: string;
  /** The name of the table there, if the site wants another one. */
  fileName: string | undefined;
}

const PORTS = { ftp: 21, ftps: 21, sftp: 22 } as const;
const PARAMETERS = { ftp: [], ftps: ['ca-file'], sftp: ['host-key', 'key-file'] } as const;
const HOST = /^(?:[a-z\d](?:[\w.-]{0,251}[a-z\d])?|\[[\da-f:.]+\])$/i;
const HOST_KEY = /^SHA256:[A-Za-z\d+/]{43}$/;

/**
 * Reads `sftp://user:password@host/folder/?host-key=SHA256:...`, `ftps://` or `ftp://`. A path that does not end with a
 * slash ends with the name of the table.
 *
 * @returns the rest of a sentence about what is wrong, which never contains a part of the URL
 */
export function readUploadUrl(text: string): UploadTarget | string {
  const url = URL.parse(text);
  const protocol = (['ftp', 'ftps', 'sftp'] as const).find((each) => url?.protocol === `${each}:`);
  if (url === null || protocol === undefined || !HOST.test(url.hostname))
    return 'must be a URL such as sftp://user:password@host/folder/, ftps:// or ftp://.';
  const parts = decoded(url);
  if (parts === undefined) return 'has a % that is not an encoded character: write %25 for %.';
  const { user, password, path } = parts;
  const { searchParams: parameters } = url;
  const hostKey = parameters.get('host-key')?.replaceAll(' ', '+');
  const keyFile = parameters.get('key-file') ?? undefined;
  const known: readonly string[] = PARAMETERS[protocol];
  if (url.hash !== '' || ![...parameters.keys()].every((name) => known.includes(name)))
    return `may only have these parameters: ${known.join(', ') || 'none'}.`;
  if (user === '' || (password === '') === (keyFile === undefined))
    return 'must have a user name, and a password or, for sftp, key-file.';
  if (protocol === 'sftp' && (hostKey === undefined || !HOST_KEY.test(hostKey)))
    return 'must have the fingerprint of the server: host-key=SHA256:... with 43 characters.';
  const fileName = path.slice(path.lastIndexOf('/') + 1);
  return {
    protocol,
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? PORTS[protocol] : Number(url.port),
    user,
    password: password === '' ? undefined : password,
    keyFile,
    hostKey,
    caFile: parameters.get('ca-file') ?? undefined,
    folder: path.slice(1, Math.max(1, path.lastIndexOf('/'))),
    fileName: fileName === '' ? undefined : fileName,
  };
}

/** Undefined if they are not encoded as they should be. */
function decoded({ username, password, pathname }: URL) {
  try {
    const [user = '', secret = '', path = ''] = [username, password, pathname].map(decodeURIComponent);
    return { user, password: secret, path };
  } catch {
    return undefined;
  }
}

/** For display, without credentials. */
export function placeOf({ protocol, host, folder }: UploadTarget): string {
  return `${protocol}://${host}/${folder}`;
}
